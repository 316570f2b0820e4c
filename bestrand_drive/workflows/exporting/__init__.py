"""From a suite to the file that another tool takes."""

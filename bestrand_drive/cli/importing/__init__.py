"""Reading the logs of evaluation tools."""

"""The command that writes a report for people to look at."""

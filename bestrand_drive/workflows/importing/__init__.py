"""From the logs of other tools to a score table."""

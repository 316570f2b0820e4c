"""The `bestrand` command, one file a subcommand."""

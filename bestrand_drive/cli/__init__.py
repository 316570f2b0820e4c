"""The `bestrand` command: one room an errand, as in `workflows`, one file a subcommand; what all share lies here."""

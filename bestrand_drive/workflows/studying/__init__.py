"""How wrong each method is, from the command line's options to tables."""

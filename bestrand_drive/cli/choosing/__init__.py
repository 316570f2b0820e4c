"""The commands that choose a suite, and show one."""

"""The commands that estimate a policy, and say in which order to run a suite."""

"""The commands that hand a suite on."""

"""What the commands that read results or score tables share."""

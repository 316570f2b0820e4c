"""What sensors measure, as the bytes of their streams."""

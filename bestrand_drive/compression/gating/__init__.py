"""What the difference of two policies says of a regression, by rules that are named."""

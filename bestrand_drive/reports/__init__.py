"""What is made for people to look at: plots."""

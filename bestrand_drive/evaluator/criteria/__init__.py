"""What is judged while driving, one rule a file; pure functions of places and speeds wherever the rule allows."""

"""What is told of policies on a suite, gathered for people to look at."""

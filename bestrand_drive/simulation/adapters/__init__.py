"""How each benchmark's own evaluator is run, from the user's checkout and without a change to it."""

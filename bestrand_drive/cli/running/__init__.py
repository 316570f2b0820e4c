"""The commands that run policies, or look at what a run needs and left."""

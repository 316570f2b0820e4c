"""The verbs that join the rooms: compress, estimate, inspect."""

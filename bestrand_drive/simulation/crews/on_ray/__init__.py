"""The crew whose slots are Ray actors: each leases what a server needs, on whichever node has it."""

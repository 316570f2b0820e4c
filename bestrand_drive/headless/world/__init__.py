"""The simulated world: actors, vehicles, walkers, collisions, lights and signs, without a socket in sight."""

"""Towns and routes of our own, made from a few tables: OpenDRIVE files that CARLA takes too."""

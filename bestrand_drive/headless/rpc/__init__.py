"""What each remote call does to the world, grouped by subject."""

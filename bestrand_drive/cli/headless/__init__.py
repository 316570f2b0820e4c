"""The commands of the CPU-only server."""

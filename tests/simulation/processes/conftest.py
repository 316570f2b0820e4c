"""Notes of this user's processes go to a folder of the test's own."""

from tests.simulation.processes.trees import own_runtime_folder

__all__ = ["own_runtime_folder"]

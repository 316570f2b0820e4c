"""The search for a subset whose probe means lie nearest the pool's: ways to judge many candidates, and exchanges."""

from bestrand_drive.compression.search.best_of import best_of
from bestrand_drive.compression.search.guards import guard_rows
from bestrand_drive.compression.search.space import TIE, Found, SearchSpace
from bestrand_drive.compression.search.swaps import improve_by_swaps
from bestrand_drive.compression.search.ways import WAYS, search

__all__ = ["TIE", "WAYS", "Found", "SearchSpace", "best_of", "guard_rows", "improve_by_swaps", "search"]

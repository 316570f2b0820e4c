"""Stands in for torch where an evaluator imports it only to seed it and its interpreter has none."""


def manual_seed(seed: int) -> None:
    """Nothing draws from torch here."""

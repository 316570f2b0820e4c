"""Slots: each makes one attempt after the other, with all that an attempt needs on its host."""

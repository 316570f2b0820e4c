"""How large a suite must be, and what to expect of a size."""

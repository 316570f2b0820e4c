"""``bestrand compare``."""

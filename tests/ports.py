"""Free ports for servers of tests, as the measuring scripts take them."""

from scripts.free_ports import free_ports

__all__ = ["free_ports"]

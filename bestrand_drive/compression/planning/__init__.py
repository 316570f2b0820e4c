"""How large a suite must be: from what the probes tell of policies to sizes, errors, differences and break-evens."""

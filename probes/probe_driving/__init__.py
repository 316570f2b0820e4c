"""A rule-based driver whose abilities can be switched on one by one: what the probes beside it share."""

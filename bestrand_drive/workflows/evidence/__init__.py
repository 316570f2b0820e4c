"""What policies did: results read into score matrices."""

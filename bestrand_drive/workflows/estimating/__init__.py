"""From a suite and a target's results to its full scores."""

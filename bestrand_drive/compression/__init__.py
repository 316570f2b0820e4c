"""Choosing a suite and judging a policy on it: sampling, search, estimators, intervals. Knows nothing of driving."""

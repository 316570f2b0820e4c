"""Comparing policies on a suite: pairing their results, the differences, sweeps of many, and a suite's uses."""

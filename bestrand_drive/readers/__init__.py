"""Evaluation logs of other tools -> rows of one form, and from rows to one table. One file a tool."""

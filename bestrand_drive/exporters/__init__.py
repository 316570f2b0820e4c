"""The chosen items as other tools take them. One file a tool."""

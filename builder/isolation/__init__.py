"""Runs somebody else's program: what it may see, what it may use, and that nothing of it is left afterwards."""

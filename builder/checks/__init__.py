"""Looks at what was generated before anyone sees it."""

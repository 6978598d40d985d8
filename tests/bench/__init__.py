"""Measurements that print ratios; nothing here is a test, since a busy machine would fail it."""

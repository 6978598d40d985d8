"""The hosted process: the only holder of the ledger and of the Bluesky account."""

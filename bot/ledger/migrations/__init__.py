"""The ledger's migrations, run by `schema.py`."""

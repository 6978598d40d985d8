"""The ledger: one row per unit of work, one writer per status, and the history of every move."""

"""How the ledger keeps a secret that it has to know again: as its SHA-256, of which nobody can make the secret."""

import hashlib


def digest_of(secret: str) -> str:
    """What is stored of a token or a code with many random bits; comparing digests tells the time of nothing."""
    return hashlib.sha256(secret.encode()).hexdigest()

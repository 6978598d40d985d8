"""Addresses of apps: a short readable part and an unguessable one, valid as a host name's label."""

import hashlib
import re
import unicodedata
from collections.abc import Callable

from guardrails.documents import Slug

_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
RANDOM_CHARACTERS = 12
_READABLE = 24
_BURNT = "gone"
_BURNT_DIGITS = 40
_BURNT_SLUG = re.compile(rf"{_BURNT}-[0-9a-f]{{{_BURNT_DIGITS}}}")


def mint_slug(ask: str, pick: Callable[[str], str]) -> Slug:
    """A slug for an ask: up to 24 readable ASCII characters, a dash, and 12 of 32 random ones (60 bits).

    `pick` chooses one character of a string at random, from a source that nobody can guess.
    """
    folded = unicodedata.normalize("NFKD", ask).encode("ascii", "ignore").decode().lower()
    words = "".join(character if character.isalnum() else " " for character in folded).split()
    readable = ""
    for word in words:
        longer = f"{readable}-{word}" if readable else word
        if len(longer) > _READABLE:
            break
        readable = longer
    random = "".join(pick(_ALPHABET) for _ in range(RANDOM_CHARACTERS))
    return Slug(f"{readable or 'app'}-{random}")


def burnt(slug: str) -> Slug:
    """What stands for a slug whose words are to be forgotten; the same for the same slug, and itself when it is one.

    Nobody can tell the slug from it, since that has an unguessable part.
    """
    if _BURNT_SLUG.fullmatch(slug):
        return Slug(slug)
    return Slug(f"{_BURNT}-{hashlib.sha256(slug.encode()).hexdigest()[:_BURNT_DIGITS]}")

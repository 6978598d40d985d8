"""Finds what looks like somebody's secret key in a file that everybody can read."""

import re
from typing import Final

# The beginning of a run is the only place where a match may begin, so that each run is read once.
_RUN: Final = r"(?<![A-Za-z0-9_+/-])"
_KEYS: Final = tuple(
    (what, re.compile(pattern))
    for what, pattern in (
        ("a private key", r"-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY-----"),
        ("an API key", _RUN + r"sk-[A-Za-z0-9_-]{20,}+"),
        ("a payment key", _RUN + r"[sr]k_live_[A-Za-z0-9]{16,}+"),
        ("an AWS key", _RUN + r"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("a Google API key", _RUN + r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
        ("a GitHub token", _RUN + r"(?:gh[opsur]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{40,}+)"),
        ("a GitLab token", _RUN + r"glpat-[A-Za-z0-9_-]{20,}+"),
        ("an npm token", _RUN + r"npm_[A-Za-z0-9]{36,}+"),
        ("a Slack token", _RUN + r"xox[abeoprs]-[A-Za-z0-9-]{10,}+"),
        ("a Hugging Face token", _RUN + r"hf_[A-Za-z0-9]{30,}+"),
        ("a webhook's secret", _RUN + r"whsec_[A-Za-z0-9+/]{24,}+"),
        ("a Telegram bot's token", _RUN + r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
        ("a signed token", _RUN + r"eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{16,}+"),
    )
)
# A made-up key repeats itself, or says what it is.
_FEWEST_CHARACTERS: Final = 9
_MADE_UP: Final = re.compile(r"example|placeholder|your|xxxx|1234567|abcdef", re.IGNORECASE)


def key_problems(text: str) -> list[str]:
    """What kinds of keys stand in a text; the keys themselves are not said."""
    return [
        f"it looks as if {what} stood in it"
        for what, pattern in _KEYS
        if any(_is_one(found.group()) for found in pattern.finditer(text))
    ]


def _is_one(found: str) -> bool:
    if found.startswith("-----"):
        return True
    # One kind of them has letters only.
    has_digits = found.startswith("hf_") or any(map(str.isdigit, found))
    varied = len(set(found)) >= _FEWEST_CHARACTERS and has_digits and found.lower() != found
    return varied and not _MADE_UP.search(found)

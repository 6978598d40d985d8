"""Our own profile: says that this is a bot and who runs it, and leaves alone what else is there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.bluesky.errors import CallFailed
from bot.bluesky.records import INVALID_SWAP, Found, put_over, read_back
from bot.bluesky.session import Account
from guardrails.documents import RecordKey
from guardrails.text import clean, graphemes, utf8_len

PROFILE_COLLECTION = "app.bsky.actor.profile"
PROFILE_KEY = RecordKey("self")
# A line that begins so is ours to replace.
CONTACT_LINE = "Bot operator: "

# https://atproto.com/lexicons/app-bsky-actor#appbskyactorprofile
MAX_GRAPHEMES = 256
MAX_BYTES = 2560

_SELF_LABELS = "com.atproto.label.defs#selfLabels"


class ProfileUnfit(ValueError):
    """The profile cannot say what it should; the message tells what to change."""


@dataclass(frozen=True)
class ProfileChange:
    """Our profile before (None: there was none) and after; nothing was written when both are the same."""

    before: dict[str, Any] | None = field(repr=False)
    after: dict[str, Any] = field(repr=False)

    @property
    def changed(self) -> bool:
        """Whether anything was written."""
        return self.before != self.after


def apply_profile(
    account: Account, *, self_label: str = "bot", contact: str, description: str | None = None
) -> ProfileChange:
    """Make the profile as `merged` has it, over the version that was read; running it again changes nothing.

    Raises ProfileUnfit, and CallFailed: after UNKNOWN run it again.
    """
    try:
        return _apply(account, self_label, contact, description)
    except CallFailed as failed:
        # Somebody else wrote meanwhile: their change is to be kept too.
        if failed.error != INVALID_SWAP:
            raise
    return _apply(account, self_label, contact, description)


def planned_profile(account: Account, *, self_label: str = "bot", contact: str) -> ProfileChange:
    """What `apply_profile` would write now; nothing is written. Raises ProfileUnfit and CallFailed."""
    read = read_back(account, PROFILE_COLLECTION, PROFILE_KEY)
    before = read.record if isinstance(read, Found) else None
    return ProfileChange(before, merged(before, self_label=self_label, contact=contact))


def merged(
    profile: Mapping[str, Any] | None, *, self_label: str, contact: str, description: str | None = None
) -> dict[str, Any]:
    """The profile with the self-label and the operator's contact; ProfileUnfit when they do not fit in.

    `description` takes the place of the words that are there, None keeps them. Words that name the contact already
    get no line of their own.
    """
    found = dict(profile or {"$type": PROFILE_COLLECTION})
    words = found.get("description", "") if description is None else description
    found["description"] = _described(words if isinstance(words, str) else "", clean(contact))
    found["labels"] = _labelled(found.get("labels"), self_label)
    return found


def _apply(account: Account, self_label: str, contact: str, description: str | None) -> ProfileChange:
    read = read_back(account, PROFILE_COLLECTION, PROFILE_KEY)
    before, there = (read.record, read.cid) if isinstance(read, Found) else (None, None)
    after = merged(before, self_label=self_label, contact=contact, description=description)
    if after != before:
        put_over(account, PROFILE_COLLECTION, PROFILE_KEY, after, there)
    return ProfileChange(before, after)


def _described(words: str, contact: str) -> str:
    if not contact:
        raise ProfileUnfit("there is no contact to name: set one first")
    own = "\n".join(line for line in words.split("\n") if not line.startswith(CONTACT_LINE)).rstrip()
    text = own if _names(own, contact) else f"{own}\n\n{CONTACT_LINE}{contact}".lstrip()
    if graphemes(text) > MAX_GRAPHEMES or utf8_len(text) > MAX_BYTES:
        raise ProfileUnfit(
            f"the description would have {graphemes(text)} characters and {utf8_len(text)} bytes with the contact, "
            f"of {MAX_GRAPHEMES} and {MAX_BYTES}: shorten it first"
        )
    return text


def _names(words: str, contact: str) -> bool:
    """Whether the contact stands there by itself, not as a part of a longer address."""
    return re.search(rf"(?<![\w@.-]){re.escape(contact)}(?![\w@-]|\.\w)", words) is not None


def _labelled(labels: object, self_label: str) -> dict[str, Any]:
    match labels:
        case None:
            return {"$type": _SELF_LABELS, "values": [{"val": self_label}]}
        case {"$type": str(kind), "values": list(values)} if kind == _SELF_LABELS and isinstance(labels, dict):
            there = any(isinstance(value, dict) and value.get("val") == self_label for value in values)
            return labels if there else {**labels, "values": [*values, {"val": self_label}]}
    raise ProfileUnfit("the profile has labels of a kind that is not known here: they would be lost")

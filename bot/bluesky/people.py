"""Other people's profiles, in batches: labels, what their bio asks of bots, followers, blocks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import regex

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.labels import labels_in
from bot.bluesky.patience import Patience
from bot.bluesky.session import Account
from guardrails.documents import Did, is_did
from guardrails.facts import Profile
from guardrails.text import folded

# https://atproto.com/lexicons/app-bsky-actor#appbskyactorgetprofiles
BATCH = 25

_NOBOT = regex.compile(r"(?<![\w#])#no[-_]?bots?(?![\w-])")


@dataclass(frozen=True)
class Profiles:
    """What was asked about accounts: those that are shown, and those of which it could not be told.

    Whoever is in neither is not there: deactivated, taken down or deleted. `retry_at`: when the server wants to be
    asked again, where that was told.
    """

    found: Mapping[Did, Profile]
    unclear: frozenset[Did] = frozenset()
    retry_at: datetime | None = None


def read_profiles(account: Account, dids: Iterable[Did], over: Callable[[], bool] = lambda: False) -> Profiles:
    """The profiles of any number of accounts, as we see them; whatever fails is unclear, nothing is raised.

    Once it is `over` nothing more is asked, and who was not asked about is unclear.
    """
    asked = [did for did in dict.fromkeys(dids) if is_did(did)]
    reading = _Reading(account, over)
    for start in range(0, len(asked), BATCH):
        reading.read(asked[start : start + BATCH])
    return Profiles(reading.found, frozenset(reading.unclear), reading.retry_at)


def asks_for_no_bots(bio: str) -> bool:
    """Whether a bio holds #nobot, however it is written."""
    return _NOBOT.search(folded(bio)) is not None


def blocked_by_viewer(viewer: object) -> bool:
    """Whether the viewer's state of an account says that a block stands between it and us, whoever set it."""
    match viewer:
        case {"blockedBy": True} | {"blocking": str()} | {"blockingByList": dict()}:
            return True
    return False


class _Reading:
    """One round of questions."""

    def __init__(self, account: Account, over: Callable[[], bool]) -> None:
        self.found: dict[Did, Profile] = {}
        self.unclear: set[Did] = set()
        self._account = account
        self._patience = Patience(over)
        self.retry_at: datetime | None = None

    def read(self, dids: Sequence[Did]) -> None:
        """A batch; one that the server cannot read must not hide the others."""
        if self._patience.is_over:
            self.unclear.update(dids)
            return
        try:
            shown, complete = _shown(self._account, dids)
        except CallFailed as failed:
            self._patience.note(failed)
            self.retry_at = failed.retry_at or self.retry_at
            if failed.failure is Failure.REFUSED and len(dids) > 1:
                middle = len(dids) // 2
                self.read(dids[:middle])
                self.read(dids[middle:])
            else:
                self.unclear.update(dids)
            return
        self.found |= shown
        if not complete:
            self.unclear.update(set(dids) - shown.keys())


def _shown(account: Account, dids: Sequence[Did]) -> tuple[dict[Did, Profile], bool]:
    """The profiles in one answer, and whether each of them could be read."""
    profiles = account.query("app.bsky.actor.getProfiles", {"actors": list(dids)}).get("profiles")
    if not isinstance(profiles, list):
        raise CallFailed(Failure.NOT_SENT, "the answer about accounts cannot be read")
    read = [_profile(view) for view in profiles]
    return {profile.did: profile for profile in read if profile is not None}, None not in read


def _profile(view: object) -> Profile | None:
    match view:
        case {"did": str(did), **rest}:
            bio, followers = rest.get("description"), rest.get("followersCount")
            return Profile(
                did=Did(did),
                labels=labels_in(view),
                nobot=isinstance(bio, str) and asks_for_no_bots(bio),
                followers=followers if type(followers) is int else None,
                blocked=blocked_by_viewer(rest.get("viewer")),
            )
    return None

"""What a stream tells of posts: nothing counts before the AppView shows the same post under the same address."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.jetstream import Operation, Told
from bot.bluesky.notifications import Notification, read_view
from bot.bluesky.posts import PostView, get_posts
from bot.bluesky.session import Account
from bot.jobs.hearing import as_mention, ask_in, for_us, is_stale
from bot.ledger.ledger import Ledger
from bot.ledger.sources import Found, Position, Source
from guardrails.access import Caller
from guardrails.documents import AtUri, Mention, split_at_uri

MOST = 200
BATCH = 25
# The AppView is a moment behind; what it does not show by the last of these tries, the notifications may bring.
TRIES = 20
FIRST_WAIT = 0.025
# So much longer each wait is than the one before: within the first second, in which nearly all appear, and after it.
CLOSE_TRIES, CLOSER, LONGER = 10, 1.2, 2.0
LONGEST_WAIT = 30.0
AWAY_WAIT = 5.0


@dataclass(eq=False)
class Rumour:
    """A post that a frame told of; asked about again at `due`, by a steady clock."""

    told: Told
    time_us: int
    due: float
    tries: int = 0


class Rumours:
    """What was told of and is not proven yet: kept in memory alone, so few that no stream can fill it.

    The place in the stream stays before the first of them, so that a crash loses none.
    """

    def __init__(
        self, ledger: Ledger, account: Account, caller: Caller, stale_before: datetime, counts: Counter[str]
    ) -> None:
        self._ledger = ledger
        self._account = account
        self._caller = caller
        self._stale_before = stale_before
        self._counts = counts
        self._open: list[Rumour] = []

    @property
    def is_full(self) -> bool:
        """Whether no more may be added before some are settled."""
        return len(self._open) >= MOST

    def add(self, told: Told, time_us: int, now: float) -> None:
        """Keep what a frame tells when it is for us, as the frame has it; asked about at once."""
        if ask_in(told.record, split_at_uri(told.uri).did, self._account.did) is not None:
            self._open.append(Rumour(told, time_us, now))
        else:
            self._counts["ignored"] += 1

    def make_room(self) -> bool:
        """Give up the one that was asked about most, as a flood of what nobody can find hides what comes behind it.

        False while nobody can be asked: what was not asked about is not given up.
        """
        most = max(self._open, key=lambda rumour: rumour.tries)
        if most.tries == 0:
            return False
        self._open.remove(most)
        self._counts["unproven"] += 1
        return True

    def next_due(self) -> float | None:
        """When the first of them is to be asked about."""
        return min((rumour.due for rumour in self._open), default=None)

    def before(self, time_us: int) -> int:
        """How far the stream is done, when it was read to there."""
        return min([time_us, *(rumour.time_us - 1 for rumour in self._open)])

    def settle(self, now: float, position: Callable[[], Position | None]) -> list[AtUri]:
        """Ask about those whose time has come; the posts that are new documents then, stored with the position.

        CallFailed when the AppView cannot be asked: then all of them stay.
        """
        waiting = sorted(self._open, key=lambda rumour: rumour.due)
        due = [rumour for rumour in waiting if rumour.due <= now][:BATCH]
        if not due:
            return []
        try:
            shown = self._shown([rumour.told.uri for rumour in due])
        except CallFailed:
            for rumour in due:
                rumour.due = now + AWAY_WAIT
            raise
        proven = [rumour for rumour in due if _is_proven(rumour.told, shown.get(rumour.told.uri))]
        given_up = [rumour for rumour in due if rumour not in proven and not self._later(rumour, now)]
        self._counts["unproven"] += len(given_up)
        left = self._open
        settled = [*proven, *given_up]
        self._open = [rumour for rumour in left if rumour not in settled]
        try:
            return self._receive([shown[rumour.told.uri] for rumour in proven], proven, position())
        except Exception:
            self._open = left
            raise

    def _shown(self, uris: Sequence[AtUri]) -> dict[AtUri, PostView]:
        """What the AppView shows of them; one that it cannot read hides no other."""
        try:
            return get_posts(self._account, uris)
        except CallFailed as failed:
            if failed.failure is not Failure.REFUSED:
                raise
            return {uri: view for one in uris for uri, view in self._shown([one]).items()} if len(uris) > 1 else {}

    def _later(self, rumour: Rumour, now: float) -> bool:
        """Ask again, ever later; False when it was asked about often enough."""
        rumour.tries += 1
        rumour.due = now + wait_after(rumour.tries)
        return rumour.tries < TRIES

    def _receive(self, views: Sequence[PostView], proven: Sequence[Rumour], position: Position | None) -> list[AtUri]:
        mentions = [mention for view in views if (mention := self._mention(view)) is not None]
        ours = for_us(self._ledger, self._account.did, mentions)
        found = Found(Source.STREAM, position)
        new = {document.source_uri for document in self._ledger.documents.receive(self._caller, ours, by=found)}
        edited = [it.told.uri for it in proven if it.told.operation is Operation.UPDATE and it.told.uri not in new]
        self._ledger.sightings.look_now(edited)
        self._counts["new"] += len(new)
        self._counts["known"] += len(ours) - len(new)
        self._counts["ignored"] += len(views) - len(ours)
        return [AtUri(uri) for uri in sorted(new)]

    def _mention(self, view: PostView) -> Mention | None:
        """A post that cannot be read is the notifications' to keep."""
        item = read_view(view)
        try:
            mention = as_mention(item, self._account.did) if isinstance(item, Notification) else None
        except ValidationError:
            return None
        if mention is None or not isinstance(item, Notification):
            return None
        return mention.model_copy(update={"stale": is_stale(item, self._stale_before, late=True)})


def wait_after(tries: int) -> float:
    """How long to wait after so many tries: what appears soon is seen hardly a fifth later than that."""
    close = min(tries, CLOSE_TRIES)
    return min(FIRST_WAIT * CLOSER**close * LONGER ** (tries - close), LONGEST_WAIT)


def _is_proven(told: Told, view: PostView | None) -> bool:
    """The same version, in its author's name; the AppView may still have the one before."""
    return view is not None and view.cid == told.cid and view.author_did == split_at_uri(told.uri).did

"""Removes what is kept for a time only, batch by batch: logs, posts, whole histories, and apps whose time is over."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog
from sqlalchemy.exc import OperationalError

from bot.ledger.ledger import Ledger
from bot.ledger.retention import Place
from guardrails.documents import DocId
from guardrails.retention import Keep, Part

BATCH = 100
# Ages are in days: whoever has looked at all that has ended need not begin anew before this.
WALK_EVERY = timedelta(hours=6)
log = structlog.get_logger()


@dataclass
class Walk:
    """How far a process has come with all that has ended, and when it last came to its end; each round writes it.

    `broken`: how many it has passed over so far of which nothing could be removed.
    """

    at: Place | None = None
    ended_at: datetime | None = None
    broken: int = 0


@dataclass(frozen=True)
class Pruned:
    """What a round has removed: parts of asks, apps, and rows that count what was used of caps.

    `whole` where it came to the end of what there was to look at; `broken` so many could not be removed.
    """

    logs: int = 0
    posts: int = 0
    histories: int = 0
    apps: int = 0
    usage: int = 0
    broken: int = 0
    whole: bool = True

    @property
    def anything(self) -> bool:
        """Whether something of asks or apps has gone."""
        return any((self.logs, self.posts, self.histories, self.apps))


def prune_once(ledger: Ledger, keep: Keep, walk: Walk, over: Callable[[], bool] = lambda: False) -> Pruned:
    """Remove what may go, the oldest end first, until there is no more or the round is over; the next goes on there.

    Each batch is a short transaction of its own, and a crash between two of them leaves nothing half removed.
    """
    retention = ledger.retention
    apps, no_apps = _all_of(lambda: retention.end_apps(BATCH), over)
    usage, no_usage = _all_of(lambda: retention.let_go_of_usage(BATCH), over)
    before = walk.broken = walk.broken if walk.at is not None else 0
    parts, walked = _walk(ledger, keep, walk, over)
    done = _pruned(parts, apps, usage, whole=no_apps and no_usage and walked)
    return replace(done, broken=walk.broken - before)


def may_go_now(ledger: Ledger, keep: Keep) -> Pruned:
    """What would go now of asks and apps; nothing is written. What goes with a history is counted as that."""
    found: Counter[Part] = Counter()
    place: Place | None = None
    while batch := ledger.retention.over(keep, place, BATCH):
        place = batch[-1].place
        for each in batch:
            found.update({Part.HISTORY} if Part.HISTORY in each.parts else each.parts)
    return _pruned(found, apps=ledger.retention.apps_to_end())


def _pruned(parts: Counter[Part], apps: int, usage: int = 0, *, whole: bool = True) -> Pruned:
    asks = {"logs": parts[Part.LOGS], "posts": parts[Part.POSTS], "histories": parts[Part.HISTORY]}
    return Pruned(**asks, apps=apps, usage=usage, whole=whole)


def _all_of(remove: Callable[[], int], over: Callable[[], bool]) -> tuple[int, bool]:
    """Remove batch after batch: how much that was, and whether it was all there is."""
    n = 0
    while not over():
        removed = remove()
        n += removed
        if removed < BATCH:
            return n, True
    return n, False


def _walk(ledger: Ledger, keep: Keep, walk: Walk, over: Callable[[], bool]) -> tuple[Counter[Part], bool]:
    """What was removed, and whether this came to the end. What breaks is passed over, and the walk is then not done."""
    removed: Counter[Part] = Counter()
    now = ledger.db.time()
    if walk.at is None and walk.ended_at is not None and now - walk.ended_at < WALK_EVERY:
        return removed, True
    while not over():
        batch = ledger.retention.over(keep, walk.at, BATCH)
        due = [each.id for each in batch if each.parts]
        if due:
            removed.update(_removed(ledger, keep, due, walk))
        walk.at = batch[-1].place if batch else None
        if len(batch) < BATCH:
            walk.at, walk.ended_at = None, now
            if not walk.broken:
                ledger.retention.walked()
            return removed, True
    return removed, False


def _removed(ledger: Ledger, keep: Keep, ids: Collection[DocId], walk: Walk) -> Counter[Part]:
    """Remove what may go of these; where that breaks, of each by itself, so that one holds no other back."""
    try:
        return ledger.retention.remove(keep, ids)
    except OperationalError:
        # It is the database, and none of them.
        raise
    except Exception:
        if len(ids) == 1:
            log.exception("prune_failed", document=next(iter(ids)))
            walk.broken += 1
            return Counter()
    removed: Counter[Part] = Counter()
    for each in ids:
        removed.update(_removed(ledger, keep, [each], walk))
    return removed

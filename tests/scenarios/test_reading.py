"""How far each reading of the notifications goes, through whatever pages, and what comes last in it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.jobs.ingest import CROWDED, WATERMARK
from bot.sandbox.faults import Call, Fault
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.documents import newest
from tests.scenarios.stages import ASK
from tests.scenarios.world import World

LIST = "app.bsky.notification.listNotifications"
SEEN = "app.bsky.notification.updateSeen"


@dataclass
class Witness(Fault):
    """A fault that sees how the ledger stands when it plays."""

    world: World | None = None
    saw: list[tuple[datetime | None, int]] = field(default_factory=list)

    def concerns(self, call: Call) -> bool:
        met = super().concerns(call)
        if met and self.world is not None:
            ledger = self.world.ledger
            self.saw.append((ledger.desk.watermark(WATERMARK), len(newest(ledger, 9))))
        return met


def chatter(world: World, number: int, since: datetime, apart: timedelta = timedelta(milliseconds=1)) -> None:
    """Notifications that ask for nothing."""
    ours = world.network.post(world.network.account("wright.test").did, "good morning", created_at=since)
    carol = world.network.account("carol.test").did
    for n in range(number):
        world.network.post(carol, f"hello {n}", reply=ours, created_at=since + n * apart)


def asks(world: World, at: datetime) -> StrongRef:
    """Alice asks, by a clock of her own."""
    bot = world.network.account("wright.test").did
    return world.network.post(world.network.account("alice.test").did, ASK, mentions=[bot], created_at=at)


def crowded(world: World) -> bool:
    return world.ledger.conditions.stands(CROWDED)


def test_what_is_seen_is_marked_last_and_nothing_depends_on_it(world: World) -> None:
    """The server takes no mark: the ask is stored and judged, and the next reading begins behind it."""
    witness = Witness(SEEN, "status", status=502, world=world)
    world.network.faults.append(witness)
    before = world.ledger.desk.watermark(WATERMARK)
    world.clock.shift += timedelta(seconds=1)
    post = world.says("alice.test", ASK)
    read = world.bot.ingest()

    mark = world.ledger.desk.watermark(WATERMARK)
    assert (1, True, Status.PENDING_BUILD) == (read.new, read.whole, world.status(post))
    assert mark == world.document(post).mention.indexed_at != before
    assert [(mark, 1)] == witness.saw


def test_a_poll_reads_on_below_what_was_read(world: World) -> None:
    """A slow clock dates an ask nine minutes back, behind more than a page."""
    chatter(world, 120, world.clock())
    world.clock.shift += timedelta(seconds=1)
    world.bot.ingest()
    mark = world.ledger.desk.watermark(WATERMARK)
    assert mark is not None
    post = asks(world, mark - timedelta(minutes=9))
    read = world.bot.ingest()

    assert (1, 2) == (read.new, read.pages)
    assert Status.PENDING_BUILD is world.status(post)


def test_a_sweep_reads_a_day(world: World) -> None:
    """And no more of what is older than the page on which the day ends."""
    now = world.clock()
    asks(world, now - timedelta(hours=25))
    chatter(world, 120, now - timedelta(hours=24, minutes=30))
    post = asks(world, now - timedelta(hours=23))
    chatter(world, 100, now - timedelta(hours=22))
    read = world.bot.sweep()

    assert (1, 2, True) == (read.new, read.pages, read.whole)
    assert [post.uri] == [document.source_uri for document in newest(world.ledger, 9)]


def test_an_empty_page_with_a_cursor_is_not_the_end(world: World) -> None:
    """What was on it was taken out of it; the cursor alone says whether there is more."""
    cursor = (world.clock() + timedelta(minutes=1)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    world.fails("status", LIST, status=200, body={"notifications": [], "cursor": cursor})
    post = world.says("alice.test", ASK)
    read = world.bot.ingest()

    assert (1, 2) == (read.new, read.pages)
    assert Status.PENDING_BUILD is world.status(post)


def test_more_of_one_millisecond_than_a_page_holds_is_told(world: World) -> None:
    """What is older is read all the same; it stands for as long as a sweep meets it, since an ask may be among them."""
    post = asks(world, world.clock())
    world.clock.shift += timedelta(seconds=2)
    chatter(world, 101, world.clock() - timedelta(seconds=1), apart=timedelta())
    met = [(world.bot.ingest().gap, crowded(world))]
    read = world.status(post)
    for _ in range(2):
        world.clock.shift += timedelta(minutes=11)
        chatter(world, 1, world.clock())
        met.append((world.bot.ingest().gap, crowded(world)))
    met.append((world.bot.sweep().gap, crowded(world)))
    world.clock.shift += timedelta(hours=24)
    met.append((world.bot.sweep().gap, crowded(world)))

    assert Status.PENDING_BUILD is read
    assert [(True, True), (True, True), (False, True), (True, True), (False, False)] == met

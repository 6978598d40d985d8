"""An operator's desk over a ledger, with a network that a test has made up."""

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.errors import NoSuchDocument
from bot.ledger.enrolments import Place
from bot.ledger.ledger import Ledger
from bot.ledger.views import Send
from bot.operations.acting import Means
from bot.operations.enrolling import NewDevice
from bot.operations.local import local_operations
from bot.operations.port import Operations
from bot.operations.reading import Around
from guardrails.access import Caller, Role
from guardrails.documents import AtUri, DocId, Kind, Mention, StrongRef, doc_id_of
from guardrails.rules import Rules
from tests.mentions import ALICE, OPERATOR, OUR_DID

LINK = "https://bsky.app/profile/alice.test/post/3kasked"
OUTSIDE = AtUri(f"at://{OUR_DID}/app.bsky.feed.post/3kout")
ME = NewDevice(Place("olga's phone", ""), Role.VIEWER)
A_LANE = NewDevice(Place("a spare box", "https://apps.example/", 60), lasts=timedelta(days=1))


class FakeNetwork:
    """A network on which alice's post stands, and our record where a test puts it."""

    def __init__(self, asked: Mention | None = None, out: StrongRef | None = None) -> None:
        self.asked = asked
        self.out = out

    def record(self, send: Send, link: str) -> StrongRef:
        if self.out is None or self.out.uri != link:
            raise NoSuchDocument(f"{link} is not there")
        return self.out

    def ask(self, link: str, is_known: Callable[[DocId], bool], now: datetime) -> tuple[DocId, Mention | None]:
        if self.asked is None or link != LINK:
            raise NoSuchDocument("this post is not shown to us")
        document_id = doc_id_of(Kind.MENTION, self.asked.post.uri)
        return document_id, None if is_known(document_id) else self.asked


def operations(ledger: Ledger, caller: Caller = OPERATOR, network: FakeNetwork | None = None) -> Operations:
    around = Around("https://apps.example", Rules, {"alice.test": ALICE}.get, timedelta(minutes=5))
    means = Means(lambda: network or FakeNetwork(), lambda caller: f"as {caller.device} wants")
    return local_operations(ledger, caller, around, means)

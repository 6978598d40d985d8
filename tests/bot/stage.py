"""A ledger with a story in it: asks that wait for a lane, lanes and their tokens, apps that are live."""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.clock import Clock
from bot.ledger.finishing import Inspected
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LanePolicy, LedgerPolicy
from bot.ledger.schema import migrate
from bot.ledger.views import Device, Document
from guardrails.access import Caller, Role
from guardrails.documents import AtUri, ClaimId, DeviceId, Did, Mention, Slug, StrongRef
from guardrails.judgement import Judgement
from guardrails.said import PASS, Outcome
from guardrails.transitions import Reason
from guardrails.wire import BuildOutcome, Report
from tests.facts import PURSE, facts_of, seats_of

BOT = Caller(Role.BOT, DeviceId("bot"))
OPERATOR = Caller(Role.OPERATOR, DeviceId("terminal"))
LEASE = timedelta(minutes=2)
PAGE = {"index.html": b"<!doctype html><title>Timer</title><p>tick"}


@dataclass
class Stage:
    """The ledger, its clock, and what tests do to them."""

    ledger: Ledger
    clock: Clock
    numbers: Iterator[int] = field(default_factory=count)

    def ask(self, text: str = "a pomodoro timer", known: Mapping[str, Any] | None = None, **more: Any) -> Document:
        """An ask that all guardrails passed, waiting for a lane; `known` are facts beside the usual ones."""
        post = StrongRef(uri=AtUri(f"at://did:plc:alice/app.bsky.feed.post/3k{next(self.numbers):03}"), cid="bafyask")
        fields = {
            "post": post,
            "author_did": Did("did:plc:alice"),
            "author_handle": "alice.test",
            "text": f"@bot.test {text}",
            "ask": text,
            "langs": ("en",),
            "root": post,
            "created_at": "2026-03-02T12:00:00Z",
            "indexed_at": self.clock(),
            "record": {"text": text},
        }
        mention = Mention.model_validate(fields | more)
        [received] = self.ledger.documents.receive(BOT, [mention])
        facts, passed = facts_of(mention, **(known or {})), Judgement(Outcome.PASS, Reason.PASSED, ())
        return self.ledger.documents.accept(BOT, received, passed, facts, seats_of(mention))

    def device(self, token: str, role: Role = Role.LANE, prefix: str = "http://localhost/") -> Device:
        """A device that holds this token."""
        return self.ledger.desk.add_device(OPERATOR, DeviceId(f"device-{token}"), token, role, prefix, token)

    def claim(self, device: Device) -> ClaimId:
        """The id of a new claim to the next ask."""
        claim_id = ClaimId(f"{next(self.numbers):026}")
        assert self.ledger.claims.claim_next(device.caller, claim_id, "template", PURSE)
        return claim_id

    def app(
        self,
        files: Mapping[str, bytes] = PAGE,
        title: str = "Pomodoro",
        description: str = "25/5",
        elsewhere: str | None = None,
    ) -> Slug:
        """The slug of a new app that is live; `elsewhere` is where its lane has published it."""
        document = self.ask()
        lane = self.device(f"lane-of-{document.id[-4:]}")
        claim_id = self.claim(lane)
        self.ledger.hosting.store(lane.caller, claim_id, "0" * 64, files)
        report = Report(
            outcome=BuildOutcome.DONE, title=title, description=description, generator="template", sha256="0" * 64
        )
        found = None
        if elsewhere is not None:
            report, found = (
                report.model_copy(update={"address": elsewhere}),
                Inspected(PASS, page="https://apps.example"),
            )
        self.ledger.claims.report(lane.caller, claim_id, report, found)
        slug = self.ledger.queries.document(document.id).slug
        assert slug is not None
        return slug


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    """A stage over a new SQLite ledger in a folder."""
    clock, slugs = Clock(), count(1)
    file = folder / "ledger.db"
    file.write_bytes(_migrated())
    policy = LedgerPolicy(lane=LanePolicy(lease=LEASE))
    ledger = open_ledger(f"sqlite:///{file}", clock, policy, lambda _: Slug(f"app-{next(slugs)}"))
    yield Stage(ledger, clock)
    ledger.close()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A bundle of these files."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as bundle:
        for name, content in files.items():
            bundle.writestr(name, content)
    return archive.getvalue()


def sha256(content: bytes) -> str:
    """The digest that uploads and reports name a bundle by."""
    return hashlib.sha256(content).hexdigest()


@cache
def _migrated() -> bytes:
    # Once per process: the migrations take longer than most tests.
    with TemporaryDirectory() as folder:
        file = Path(folder) / "ledger.db"
        ledger = open_ledger(f"sqlite:///{file}", Clock(), LedgerPolicy(), Slug)
        migrate(ledger.db)
        ledger.close()
        return file.read_bytes()

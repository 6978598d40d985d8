"""The other story: two people take back what they have asked, and the bot dies while it does what follows."""

from dataclasses import dataclass, field
from datetime import timedelta

from bot.jobs.hearing import mention_of
from bot.jobs.reply import freeze_reply
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.sandbox.faults import Fault
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST
from guardrails.documents import ClaimId, StrongRef
from guardrails.tid import TidClock
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome, Report
from tests.crash.host import Host, Process
from tests.crash.invariants import check_history
from tests.facts import PURSE, facts_of, seats_of
from tests.mentions import BOT, LANE, judgement

DELETE = "com.atproto.repo.deleteRecord"
MOST_ROUNDS = 12
ENDS = {
    "alice": (Status.REPLIED, Reason.SENT),
    "carol": (Status.SKIPPED, Reason.CANCELLED),
}


@dataclass
class TakenBack:
    """Alice deletes her post, which was answered, and Carol says cancel before she is."""

    host: Host
    network: SandboxNetwork
    posts: dict[str, StrongRef] = field(default_factory=dict)

    def tell(self) -> None:
        """From a bot that is up and has answered, to one that has nothing left to take back."""
        with self.host.fate.spared():
            self.posts = {name: self._says(name, "@wright.test make me a timer") for name in ENDS}
            self.host.run(self._answered)
            self._job("judge")
        self._says("carol", "@wright.test cancel", self.posts["carol"])
        self.network.delete_record(self.posts["alice"].uri)
        for job in ("ingest", "judge"):
            self._job(job)
        self.network.faults += [Fault(DELETE, "drop_answer"), Fault(DELETE, "drop_request")]
        for _ in range(MOST_ROUNDS):
            self._job("watch")
            if self.host.run(self._is_quiet):
                break
            self.host.clock.shift += timedelta(seconds=61)
        self._job("reply")

    def check(self, ledger: Ledger) -> None:
        """Nothing that we said is left, no app is, and the ledger says so; the deletion has one key, answered."""
        documents = {name: ledger.queries.find(post.uri) for name, post in self.posts.items()}
        deletions = [send for send in ledger.queries.newest_sends(99) if send.op == "delete"]

        assert ENDS == {name: (document.status, document.reason) for name, document in documents.items()}
        assert [] == self.network.repo(self.network.account("wright.test").did, POST)
        assert [f"delete:{documents['alice'].reply_uri}"] == [send.key for send in deletions]
        assert {"answered"} == {send.state for send in ledger.queries.newest_sends(99)}
        for document in documents.values():
            check_history(ledger, document)
            assert document.withdrawn_at is not None
            assert (document.reply_uri is None) == (document.reply_deleted_at is None)
            app = ledger.hosting.app(str(document.slug))
            assert app is not None
            assert app.gone_at is not None

    def _job(self, name: str) -> None:
        self.host.run(lambda process: getattr(process.bot, name)())

    def _answered(self, process: Process) -> None:
        """Both were built, and Alice has her answer."""
        for number, (name, post) in enumerate(self.posts.items()):
            document = self._built(process.ledger, number, name, post)
            if name == "alice":
                self._reply(process.ledger, document)

    def _built(self, ledger: Ledger, number: int, name: str, post: StrongRef) -> Document:
        account = self.network.account(f"{name}.test")
        [entry] = self.network.repo(account.did, POST)
        now = self.host.clock()
        mention = mention_of(post.uri, post.cid, account.did, account.handle, entry["value"], "make me a timer", now)
        [received] = ledger.documents.receive(BOT, [mention])
        ledger.documents.accept(BOT, received, judgement(), facts_of(mention), seats_of(mention))
        claim_id = ClaimId(f"claim-{number:020d}")
        claimed = ledger.claims.claim_next(LANE, claim_id, "template", PURSE)
        assert claimed is not None
        ledger.hosting.store(LANE, claim_id, "0" * 64, {"index.html": b"<!doctype html><title>an app</title>"})
        address = f"{self.host.settings.apps_url}/{claimed.slug}"
        told = {"title": "A timer", "address": address, "sha256": "0" * 64, "generator": "template"}
        ledger.claims.report(LANE, claim_id, Report.model_validate({"outcome": BuildOutcome.DONE, **told}))
        return ledger.queries.document(received.id)

    def _reply(self, ledger: Ledger, document: Document) -> None:
        frozen = freeze_reply(document, TidClock(self.host.clock, 1))
        send = ledger.sends.claim_reply(BOT, document, frozen)
        wright = self.network.account("wright.test").did
        ref = self.network.put_record(wright, POST, frozen.rkey, frozen.record)
        ledger.sends.answered(BOT, send, ref)

    def _is_quiet(self, process: Process) -> bool:
        ledger = process.ledger
        waiting = [ledger.queries.unsettled_sends(), ledger.sightings.to_take_back(9)]
        return ledger.queries.find(self.posts["alice"].uri).withdrawn_at is not None and not any(waiting)

    def _says(self, name: str, text: str, reply: StrongRef | None = None) -> StrongRef:
        everybody = list(self.network.state.accounts)
        return self.network.post(self.network.account(f"{name}.test").did, text, mentions=everybody, reply=reply)

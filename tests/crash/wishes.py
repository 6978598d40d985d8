"""The story of what people say afterwards: one takes it back, one wants it again, one to be forgotten, one to know."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta

from bot.jobs.rescue import rescue_once
from bot.ledger.ledger import Ledger
from bot.sandbox.state import POST
from bot.speech import note
from bot.texts import Note
from guardrails.documents import Did, StrongRef
from guardrails.facts import Standing
from guardrails.transitions import Status
from tests.crash.host import Process
from tests.crash.invariants import check_history
from tests.crash.story import MOST_ROUNDS, Story
from tests.mentions import BOT

WORDS = {"alice": "delete", "bob": "status", "carol": "forget me", "dave": "retry"}
ANSWERS = {"alice": Note.TAKEN_BACK, "bob": Note.IS_NOTHING, "carol": Note.FORGOTTEN, "dave": Note.TRIED_AGAIN}


@dataclass
class Wishes(Story):
    """Alice and Carol have their apps, Dave could not have his: then each of them says one word, and so does Bob."""

    words: dict[str, StrongRef] = field(default_factory=dict)

    def tell(self) -> None:
        """From what was answered to where nothing is left to be said, built or taken back."""
        with self.host.fate.spared():
            self._job("ingest")
            self.people_speak()
            self._job("ingest")
            while self._a_lane_builds():
                pass
            self._until_quiet("reply", "speak")
        for name, word in WORDS.items():
            under = self.posts[name] if name in ("alice", "dave") else None
            self.words[name] = self._says(f"{name}.test", f"@wright.test {word}", under)
        for job in ("ingest", "judge", "speak"):
            self._job(job)
        while self._a_lane_builds():
            pass
        self._until_quiet("watch", "judge", "speak")
        self.host.run(lambda process: rescue_once(process.ledger, BOT))

    def check(self, ledger: Ledger) -> None:
        """Each wish was granted once and answered once, and of Carol nothing is left but that she wants it so."""
        asked = {name: ledger.queries.find(post.uri) for name, post in self.posts.items()}
        said = {name: ledger.queries.find(post.uri) for name, post in self.words.items()}
        carol = Did(asked["carol"].author_did)

        assert {Status.SKIPPED} == {document.status for document in said.values()}
        assert [asked["alice"].id, asked["carol"].id] == [each.id for each in asked.values() if each.reply_deleted_at]
        assert Standing.FORGOTTEN in ledger.people.standing_of([carol])[carol]
        assert [asked["carol"].id, said["carol"].id] == [d.id for d in (*asked.values(), *said.values()) if d.is_blank]
        assert (Status.BUILD_FAILED, 2) == (asked["dave"].status, len(ledger.queries.attempts(asked["dave"].id)))
        for document in (*asked.values(), *said.values()):
            check_history(ledger, document)
        assert 1 == ledger.queries.times_asked_again(asked["dave"].id)
        self._check_words()

    def _until_quiet(self, *jobs: str) -> None:
        for _ in range(MOST_ROUNDS):
            for job in jobs:
                self._job(job)
            if self.host.run(_is_quiet):
                return
            self.host.clock.shift += timedelta(minutes=11)

    def _check_words(self) -> None:
        """An answer under each word, and two failures told to Dave, beside the help that Bob was given before."""
        wright = self.network.account("wright.test").did
        records = [entry["value"] for entry in self.network.repo(wright, POST)]
        under: dict[str, list[str]] = defaultdict(list)
        for record in records:
            under[record["reply"]["parent"]["uri"]].append(record["text"])

        assert [[note(ANSWERS[name]).text] for name in WORDS] == [under[self.words[name].uri] for name in WORDS]
        assert 2 == len(under[self.posts["dave"].uri])
        assert 7 == len(records)


def _is_quiet(process: Process) -> bool:
    queries, sightings = process.ledger.queries, process.ledger.sightings
    waiting = [
        process.ledger.pages.counts()[Status.BUILT],
        queries.unsettled_sends(),
        queries.to_like(10),
        queries.to_tell(10),
        sightings.to_take_back(10),
        queries.waiting(Status.RECEIVED, 10),
    ]
    return not any(waiting)

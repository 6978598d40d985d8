"""Procedures of the runbook, carried out with its own commands on one bot that runs.

The bot and the lanes are processes; a command is called in this one, since most of its time is its start.
"""

import re
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from bot.clock import Clock
from bot.ledger.marks import BACKED_UP, put
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.bot.hook import Hook, hooked
from tests.bot.ledger.steps import new_claim_id
from tests.bot.terminal.prompt import Prompt
from tests.drills.conftest import on
from tests.drills.runbook import commands_of
from tests.drills.saying import PATIENCE, answers, conditions
from tests.scenarios.processes import TOKEN, Machine, Program, machine
from tests.waiting import SECONDS, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("by_the_book")]


class Night:
    """A bot that runs, and who looks after it, with the runbook in hand."""

    def __init__(self, here: Machine, network: SandboxNetwork, hook: Hook) -> None:
        self.here, self.network, self.hook = here, network, hook
        self.bot = here.bot()

    def ask(self, handle: str, text: str) -> StrongRef:
        return self.network.say(handle, f"@wright.test make me {text}")

    def follow(self, anchor: str, first: int = 0, last: int | None = None, **given: str) -> list[str]:
        """Carry out these of a section's commands, and say what each said; the doctor alone may end with a warning."""
        return [self.do(*command) for command in commands_of(anchor, **given)[first:last]]

    def do(self, *command: str) -> str:
        """Carry out a command, and say what it said."""
        done = Prompt(self.here.settings).run(*command)
        assert done.exit_code in ((0, 1) if command == ("doctor",) else (0,)), (command, done.output)
        return done.output

    def claim(self, post: StrongRef) -> None:
        """A lane takes it, and is not heard of again."""
        self.here.document(post.uri, Status.PENDING_BUILD)
        claim = {"api_version": 1, "claim_id": new_claim_id(), "generator": "template"}
        headers = {"Authorization": f"Bearer {TOKEN}"}
        url = f"{self.here.lane_url}/api/lane/claim"
        claimed = httpx.post(url, json=claim, headers=headers, trust_env=False, timeout=SECONDS)
        assert claimed.is_success, claimed.text
        self.here.document(post.uri, Status.BUILDING)

    def answered(self, post: StrongRef) -> str:
        """The id of a document, once it is answered; once."""
        document = self.here.document(post.uri, Status.REPLIED)
        assert 1 == answers(self.network)[post.uri]
        return str(document.id)


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    """One bot for all of it; each procedure has an asker of its own."""
    network = SandboxNetwork(Clock())
    network.create_account("wright.test", self_labels=["bot"])
    for handle in ("alice.test", "bob.test", "carol.test", "dora.test", "emil.test"):
        network.create_account(handle)
    folder = tmp_path_factory.mktemp("night")
    with (
        hooked() as hook,
        SandboxServer(network) as sandbox,
        machine(folder, **on(sandbox, hook), rules=str(folder / "rules.toml")) as here,
    ):
        (folder / "rules.toml").write_text("")
        night = Night(here, network, hook)
        here.enrol()
        # Its nights have passed without one; the bot looks at that a few times in a minute.
        with here.ledger() as ledger, ledger.db.write() as connection:
            put(ledger.db, connection, BACKED_UP, ledger.db.time() - timedelta(days=3))
        yield night


@pytest.fixture
def lane(night: Night) -> Iterator[Program]:
    """A lane, which ends with its test."""
    lane = night.here.lane()
    yield lane
    lane.stop()


def test_answered_twice(night: Night, lane: Program) -> None:
    """Replies wait while somebody looks, and go out once."""
    first = night.ask("alice.test", "a pomodoro timer")
    told = night.follow("answered-twice", last=3, ID=night.answered(first))
    second = night.ask("alice.test", "a dice roller")
    night.here.document(second.uri, Status.BUILT)
    held = answers(night.network)[second.uri]
    night.follow("answered-twice", first=3)

    assert night.answered(second)
    assert 0 == held
    assert "reply:" in told[1]


def test_stuck_building(night: Night) -> None:
    """A build whose lane says nothing any more is ended by hand, and built by another."""
    post = night.ask("bob.test", "a tip splitter")
    night.claim(post)
    night.follow("stuck-building", ID=str(night.here.document(post.uri, Status.BUILDING).id))
    lane = night.here.lane()

    assert night.answered(post)
    lane.stop()


def test_no_lane(night: Night) -> None:
    """One is let in with what the section says, and builds what waited."""
    post = night.ask("carol.test", "a countdown")
    night.here.document(post.uri, Status.PENDING_BUILD)
    night.follow("no-lane")
    lane = night.here.lane(token=night.do("devices", "add", "new lane", "--role", "lane").split()[-1])

    assert night.answered(post)
    lane.stop()


def test_purse_empty(night: Night) -> None:
    """Nothing is claimed until somebody raises it."""
    rules = night.here.folder / "rules.toml"
    rules.write_text("[money]\nday_usd = 0.5\nauthor_day_usd = 0.5\nbuild_usd = 0.5\n")
    night.do("reload")
    posts = [night.ask("dora.test", "a unit converter")]
    night.claim(posts[0])
    posts.append(night.ask("dora.test", "a drawing pad"))
    night.here.document(posts[1].uri, Status.PENDING_BUILD)
    rules.write_text("")
    night.follow("purse-empty")
    lane = night.here.lane()

    assert all(night.answered(post) for post in posts)
    lane.stop()


def test_no_backup(night: Night) -> None:
    """Operators are told when the nights pass without one, and again once one is made."""
    until(lambda: "backup" in conditions(night.here), PATIENCE, told=lambda: night.bot.said)
    *_, doctor = night.follow("no-backup", FOLDER=str(night.here.folder / "nightly"))

    assert re.search(r"^ok +backup", doctor, re.MULTILINE), doctor
    assert "backup" not in conditions(night.here)


def test_abuse_report(night: Night, lane: Program) -> None:
    """The app is gone, and what else its author had; our replies are deleted."""
    posts = [night.ask("emil.test", what) for what in ("a colour palette", "a habit grid")]
    slugs = [night.here.document(post.uri, Status.REPLIED).slug for post in posts]
    night.follow("abuse-report", LINK=f"{night.here.apps_url}/{slugs[0]}", WHO="emil.test")
    until(lambda: not any(answers(night.network)[post.uri] for post in posts), PATIENCE, told=lambda: night.bot.said)

    assert [410, 410] == [night.here.page(f"/{slug}").status_code for slug in slugs]


def test_upgrade_and_roll_back(night: Night, lane: Program) -> None:
    """Back to the backup that was made before: what was answered since stays answered, once."""
    here = night.here
    backups = here.folder / "backups"
    shutil.rmtree(backups, ignore_errors=True)
    night.do("backup", "--to", str(backups))
    (backup,) = backups.iterdir()
    since = night.ask("alice.test", "a decision wheel")
    night.answered(since)
    assert 0 == night.bot.stop()
    night.follow("upgrade-and-roll-back", last=1)
    night.bot = here.bot()
    night.follow("upgrade-and-roll-back", first=1, last=2)
    assert 0 == night.bot.stop()
    night.follow("upgrade-and-roll-back", first=2, FILE=str(backup))
    night.bot = here.bot()
    later = night.ask("alice.test", "a to-do list")

    assert night.answered(later)
    assert 1 == answers(night.network)[since.uri]
    assert Path(here.folder / "ledger.db").exists()

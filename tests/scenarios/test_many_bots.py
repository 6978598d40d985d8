"""Several bots on one ledger: one does the rounds, another takes over, and nothing is said twice."""

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from bot.ledger.schema import migrate
from bot.rounds import Bot
from bot.sandbox.server import SandboxServer
from guardrails.transitions import Status
from tests.pooler import Pooler
from tests.postgres import PostgresServer
from tests.scenarios.processes import Machine, machine
from tests.scenarios.stages import built, replied
from tests.scenarios.test_processes import ask, hold_the_answer, on, replies
from tests.scenarios.world import World
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
# One that is renewed in time on a busy machine, too.
LEASE = "4"
# What bots of one ledger have in common, besides its address and their account.
SHARED = ("SKYWRIGHT_SESSION_KEY", "SKYWRIGHT_APPS_URL")
ASKS = 12


class Machines(list[Machine]):
    """Machines whose bots have one ledger and one account."""

    def here(self) -> list[int]:
        """At which of them the rounds are; whoever does not answer says nothing."""
        told = [(each.health() or {}).get("rounds") for each in self]
        return [number for number, place in enumerate(told) if place == "here"]


@pytest.fixture
def database(pg_server: PostgresServer) -> Iterator[str]:
    """The name of a database with nothing in it."""
    name = f"of_many_{uuid4().hex}"
    pg_server.create_database(name)
    yield name
    pg_server.drop_database(name)


@pytest.fixture
def machines(sandbox: SandboxServer, tmp_path: Path, pg_server: PostgresServer, database: str) -> Iterator[Machines]:
    """Three machines, no bot on them yet."""
    made = Machines()
    with ExitStack() as stack:
        for name in ("a", "b", "c"):
            (tmp_path / name).mkdir()
            more = {"database_url": pg_server.url(database), "rounds_lease_seconds": LEASE}
            made.append(stack.enter_context(machine(tmp_path / name, **on(sandbox), **more)))
            made[-1].settings |= {name: made[0].settings[name] for name in SHARED}
        with made[0].ledger() as ledger:
            migrate(ledger.db)
        made[0].enrol()
        yield made


def test_three_bots_follow_each_other(machines: Machines, sandbox: SandboxServer) -> None:
    """One is killed while it replies, the next is stopped; each time one of those that are left takes over.

    Whoever does looks at what is out before it says anything. At a stop nobody waits for the end of the lease.
    """
    long = "600"
    bots = [
        machines[0].bot(call_deadline_seconds="60"),
        *(each.bot(rounds_lease_seconds=long) for each in machines[1:]),
    ]
    machines[2].lane()
    assert [0] == machines.here()
    assert {200} == {each.get("127.0.0.1", each.admin_port, "/ready").status_code for each in machines}
    hold_the_answer(sandbox.network)
    post = ask(sandbox.network)
    until(lambda: replies(sandbox.network), told=lambda: bots[0].said)
    bots[0].kill()
    machines[0].document(post.uri, Status.REPLIED)
    (now,) = machines.here()
    assert [True, False] == ["looked_at_own_posts" in bots[each].said for each in (now, 3 - now)]
    assert str((machines[3 - now].health() or {})["rounds_holder"]) in bots[now].said

    assert 0 == bots[now].stop()
    until(lambda: machines.here() == [3 - now], 10, told=lambda: bots[3 - now].said)
    assert "rounds_handed_over" in bots[now].said
    assert 1 == len(replies(sandbox.network))


def test_a_bot_that_stood_still_does_nothing_again(machines: Machines, sandbox: SandboxServer) -> None:
    """In the middle of its reply, for longer than its lease: another has settled it by the time that it goes on."""
    first, second = machines[0].bot(call_deadline_seconds="60"), machines[1].bot()
    machines[1].lane()
    hold_the_answer(sandbox.network)
    post = ask(sandbox.network)
    until(lambda: replies(sandbox.network), told=lambda: first.said)
    first.send(signal.SIGSTOP)
    try:
        machines[1].document(post.uri, Status.REPLIED)
        until(lambda: "rounds_taken" in second.said)
        later = ask(sandbox.network, "make me a to-do list")
        machines[1].document(later.uri, Status.REPLIED)
    finally:
        first.send(signal.SIGCONT)
    until(lambda: "rounds_lost" in first.said, told=lambda: first.said)

    assert [1] == machines.here()
    third = ask(sandbox.network, "make me a tip splitter")
    machines[1].document(third.uri, Status.REPLIED)
    assert 3 == len(replies(sandbox.network))
    # It would wait for the answer to its call that nobody gives.
    first.kill()


def test_the_real_commands_behind_a_pooler(
    machines: Machines, sandbox: SandboxServer, pooler: Pooler, database: str
) -> None:
    """Migrated, run, asked by lanes and by a person: all by the pooler's address."""
    direct = machines[0].settings["SKYWRIGHT_DATABASE_URL"]
    for each in machines:
        each.settings |= {"SKYWRIGHT_DATABASE_URL": pooler.url(database), "SKYWRIGHT_DATABASE_DIRECT_URL": direct}
    assert 0 == machines[0].skywright("migrate").status()
    bot = machines[0].bot()
    machines[0].lane()
    for post in (ask(sandbox.network), ask(sandbox.network, "make me a to-do list")):
        machines[1].document(post.uri, Status.REPLIED)
    doctor = machines[2].skywright("doctor", "--json")
    doctor.status()
    listed = machines[2].skywright("list")

    assert 0 == listed.status()
    assert '"it is before PostgreSQL, and nothing is kept on a connection"' in doctor.said
    assert '"it leads to the same database, round the pooler"' in doctor.said
    assert 0 == bot.stop()
    assert 2 == len(replies(sandbox.network))


def test_a_bot_that_had_the_rounds_before_looks_and_hears_again(world: World) -> None:
    """What another has said meanwhile, by a ledger that was lost since, and what was said while nobody listened."""
    answered, meant = replied(world), built(world)
    with world.ledger.db.write() as connection:
        # As a copy from before the answer has it.
        connection.exec_driver_sql("DELETE FROM sends")
        connection.exec_driver_sql("UPDATE documents SET status = 'built', reply_uri = NULL WHERE status = 'replied'")
    world.says("alice.test", "@wright.test cancel", meant)
    world.bot.begin()
    world.bot.reply()
    world.until_settled()

    assert (Status.REPLIED, Status.SKIPPED) == (world.status(answered), world.status(meant))
    assert [answered.uri] == [each["reply"]["parent"]["uri"] for each in world.replies()]


def test_two_that_do_all_rounds_at_once_say_nothing_twice(world: World) -> None:
    """Without a lease, as after one that ran out in the middle of a job: every write is safe by itself."""
    other = Bot(world.settings, world.ledger, world.clock, timedelta(), rules=lambda: world.rules)
    posts = [world.says("alice.test", f"@wright.test make me timer number {n}") for n in range(ASKS)]
    over = threading.Event()

    def goes_round(bot: Bot) -> None:
        while not over.is_set():
            for job in bot.jobs():
                job.run()

    def all_answered() -> bool:
        counts = world.ledger.pages.counts()
        if counts[Status.PENDING_BUILD]:
            world.lane_builds()
        return counts[Status.REPLIED] == ASKS

    with ThreadPoolExecutor(2) as pool:
        rounds = [pool.submit(goes_round, bot) for bot in (world.bot, other)]
        try:
            until(all_answered)
        finally:
            over.set()
    other.close()

    assert [None, None] == [each.exception() for each in rounds]
    did = world.network.account("wright.test").did
    uris = sorted(post.uri for post in posts)
    assert uris == sorted(each["reply"]["parent"]["uri"] for each in world.replies())
    assert uris == sorted(each["value"]["subject"]["uri"] for each in world.network.repo(did, "app.bsky.feed.like"))

"""What was asked before all that a lost ledger's look at the start reaches, and is put before the bot once more."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.jobs.look import UNREAD
from bot.ledger.ledger import Ledger
from bot.operations.network import AccountNetwork
from bot.rounds import Bot
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from guardrails.rules import Rules
from guardrails.switches import Switch
from guardrails.tid import tid_at
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.mentions import OPERATOR
from tests.scenarios.asides import likes, texts
from tests.scenarios.stages import AN_APP, linked
from tests.scenarios.world import World, settings_for

LIST = "com.atproto.repo.listRecords"
A_PAGE = 100
LOST = timedelta(days=5)
A_WHILE = timedelta(minutes=2)
FOR_EVER = 1000
# Whether it mentions the bot, and an operator has it judged again, or does not, and one names it.
MENTIONS = pytest.mark.parametrize("mentions", [True, False])


@pytest.fixture
def network(sandbox: SandboxServer) -> SandboxNetwork:
    return sandbox.network


@pytest.fixture
def start(ledger: Ledger, clock: Clock, sandbox: SandboxServer) -> Iterator[Callable[[], World]]:
    """The ledger is lost; five days later a bot is over an empty one, and has read what there is."""
    worlds: list[World] = []

    def start() -> World:
        clock.shift += LOST
        worlds.append(World(ledger, clock, sandbox, settings_for(sandbox)))
        worlds[-1].start()
        return worlds[-1]

    yield start
    for world in worlds:
        world.bot.close()


def asked(network: SandboxNetwork, mentions: bool = True, by: str = "alice.test") -> StrongRef:
    ours = network.account("wright.test")
    text = "make me a to-do list"
    return network.post(network.account(by).did, f"@wright.test {text}" if mentions else text, mentions=[ours.did])


def said(
    network: SandboxNetwork, text: str, under: StrongRef | None = None, link: str | None = None, rkey: str | None = None
) -> None:
    facets = [linked(text, link)] if link is not None else []
    network.post(network.account("wright.test").did, text, reply=under, facets=facets, rkey=rkey)


def said_much(network: SandboxNetwork, pages: int) -> None:
    for number in range(pages * A_PAGE):
        said(network, f"news, part {number}")


def asked_once_more(world: World, post: StrongRef, mentions: bool = True) -> None:
    """By an operator, in good faith."""
    if mentions:
        assert Reason.BEFORE_FIRST_START is world.document(post).reason
        world.ledger.documents.judge_again(OPERATOR, world.document(post))
    else:
        network = AccountNetwork(world.ledger.queries, lambda: nullcontext(world.bot.presence.account()))
        _, mention = network.ask(post.uri, lambda _: False, world.ledger.db.time())
        assert mention is not None
        world.ledger.documents.receive(OPERATOR, [mention], Reason.ASKED_BY_OPERATOR)


def built_once_more(world: World, post: StrongRef, mentions: bool = True) -> None:
    asked_once_more(world, post, mentions)
    world.bot.judge()
    world.lane_builds()


def answered(world: World) -> list[str]:
    """The posts under which ours stand, in the order of ours."""
    ours = reversed(world.replies())
    return [record["reply"]["parent"]["uri"] for record in ours if "reply" in record]


@MENTIONS
def test_what_was_answered_before_the_ledger_was_lost_is_not_answered_again(
    network: SandboxNetwork, start: Callable[[], World], mentions: bool
) -> None:
    """The answer is found before anything is built, and nothing is said beside it."""
    post = asked(network, mentions)
    said(network, "it is ready", post, AN_APP)
    world = start()
    asked_once_more(world, post, mentions)
    for job in (world.bot.judge, world.bot.speak, world.bot.reply):
        job()

    assert (Status.SKIPPED, Reason.ALREADY_ANSWERED) == (world.status(post), world.document(post).reason)
    assert (["it is ready"], []) == (texts(world), likes(world))


@MENTIONS
def test_what_was_judged_before_that_look_is_looked_for_before_it_is_answered(
    network: SandboxNetwork, clock: Clock, start: Callable[[], World], mentions: bool
) -> None:
    """As after an upgrade; about a reply that is not to go out nobody is asked whether it may."""
    post, then = asked(network, mentions), tid_at(clock())
    world = start()
    built_once_more(world, post, mentions)
    said(network, "it is ready", post, AN_APP, rkey=then)
    world.restart()
    world.bot.reply()

    assert (Status.REPLIED, Reason.ADOPTED) == (world.status(post), world.document(post).reason)
    assert ["it is ready"] == texts(world)


@MENTIONS
def test_what_was_not_answered_is_answered_once(
    network: SandboxNetwork, start: Callable[[], World], mentions: bool
) -> None:
    """Down to the first of our posts there is no answer to it."""
    other = asked(network, by="bob.test")
    said(network, "it is ready", other, AN_APP)
    post = asked(network, mentions)
    world = start()
    built_once_more(world, post, mentions)
    world.bot.reply()
    if mentions:
        # It is held for its age.
        world.ledger.decisions.release_reply(OPERATOR, world.document(post))
    for _ in range(2):
        world.restart()
        world.bot.reply()

    assert Status.REPLIED is world.status(post)
    assert [other.uri, post.uri] == answered(world)


def test_what_was_told_is_not_told_again(network: SandboxNetwork, start: Callable[[], World]) -> None:
    """Of two asks that cannot be built, the one of which nothing was said is told so."""
    told, other = asked(network), asked(network, by="bob.test")
    said(network, "I cannot build that", told)
    world = start()
    for post in (told, other):
        asked_once_more(world, post)
        world.bot.judge()
        world.lane_builds(outcome=BuildOutcome.REFUSED, reason="I build timers")
    world.bot.speak()

    assert [told.uri, other.uri] == answered(world)


def test_an_older_ask_waits_while_our_posts_cannot_be_listed(
    network: SandboxNetwork, clock: Clock, start: Callable[[], World]
) -> None:
    """What is new does not wait with it; the look goes on where it was broken off."""
    post = asked(network)
    said(network, "it is ready", post, AN_APP)
    said_much(network, 1)
    world = start()
    # The page in which the look at the start has ended is had, the one below it is not.
    world.fails("status", LIST, status=502, skip=1)
    asked_once_more(world, post)
    new = world.says("bob.test", "@wright.test make me a timer")
    world.bot.ingest()
    waiting = world.status(post), world.status(new)
    clock.shift += A_WHILE
    before = len(network.calls_to(LIST))
    world.bot.judge()

    assert (Status.RECEIVED, Status.PENDING_BUILD) == waiting
    assert Reason.ALREADY_ANSWERED is world.document(post).reason
    assert 2 == len(network.calls_to(LIST)) - before


def test_what_waits_for_that_look_says_so_and_comes_before_a_person(
    network: SandboxNetwork, clock: Clock, start: Callable[[], World]
) -> None:
    """As all that cannot be told, once that has been so for the rules' hours; nothing of it is asked meanwhile."""
    post = asked(network)
    world = start()
    world.fails("status", LIST, status=502, times=FOR_EVER)
    asked_once_more(world, post)
    before, told = len(network.calls), []
    for wait in (A_WHILE, timedelta(hours=Rules().moderation.unknown_hours)):
        world.bot.judge()
        document = world.document(post)
        told.append((document.status, document.reason, document.verdicts[-1].detail))
        clock.shift += wait
    world.bot.judge()

    assert [(Status.RECEIVED, Reason.JUDGED_AGAIN, UNREAD)] * 2 == told
    assert (Status.AWAITING_APPROVAL, Reason.UNKNOWN_TOO_LONG) == (world.status(post), world.document(post).reason)
    assert {LIST} == {call.nsid for call in network.calls[before:]}


def test_a_reply_that_waits_for_that_look_says_so(network: SandboxNetwork, start: Callable[[], World]) -> None:
    """Until it goes out."""
    post = asked(network, mentions=False)
    world = start()
    built_once_more(world, post, mentions=False)
    world.restart()
    world.fails("status", LIST, status=502, skip=1)
    world.bot.reply()
    waiting = world.document(post)
    world.until_settled()
    after = world.document(post)

    assert [(Status.BUILT, UNREAD), (Status.REPLIED, "")] == [(each.status, each.detail) for each in (waiting, after)]


@pytest.mark.parametrize("judged", [False, True])
def test_a_round_looks_through_so_many_pages(
    network: SandboxNetwork, clock: Clock, start: Callable[[], World], monkeypatch: pytest.MonkeyPatch, judged: bool
) -> None:
    """The next goes on with the one after them, be it before a judgement or before a reply."""
    post = asked(network, mentions=False)
    said_much(network, 2)
    world = start()
    work: Callable[[], object] = world.bot.judge
    asked_once_more(world, post, mentions=False)
    if judged:
        world.bot.judge()
        world.lane_builds()
        world.restart()
        work = world.bot.reply
        world.bot.speak()
    monkeypatch.setattr("bot.jobs.look.PAGES", 1)
    looks = []
    for _ in range(3):
        assert (Status.BUILT if judged else Status.RECEIVED) is world.status(post)
        before = len(network.calls_to(LIST))
        work()
        looks.append(len(network.calls_to(LIST)) - before)
        clock.shift += A_WHILE

    assert (Status.REPLIED if judged else Status.PENDING_BUILD) is world.status(post)
    assert [1, 1, 1] == looks


def test_replies_paused_in_the_middle_of_that_look_do_not_go_out(
    network: SandboxNetwork, clock: Clock, start: Callable[[], World]
) -> None:
    """Between two of its pages, of which the second is the last."""
    post = asked(network, mentions=False)
    said_much(network, 1)
    world = start()
    built_once_more(world, post, mentions=False)
    before = len(network.calls_to(LIST))

    def steady() -> float:
        # The look at the start has had a page, and so has the one further down.
        if len(network.calls_to(LIST)) == before + 2:
            world.ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, "an incident")
        return 0.0

    bot = Bot(world.settings, world.ledger, clock, timedelta(), steady=steady)
    bot.reply()
    bot.close()

    assert (3, Status.BUILT) == (len(network.calls_to(LIST)) - before, world.status(post))
    assert [] == answered(world)


def test_what_was_answered_before_can_be_taken_back(network: SandboxNetwork, start: Callable[[], World]) -> None:
    """Once it was found, its asker may have it deleted, as if the ledger had never been lost."""
    post = asked(network)
    said(network, "it is ready", post, AN_APP)
    world = start()
    asked_once_more(world, post)
    world.bot.judge()
    world.says("alice.test", "@wright.test delete", post)
    world.bot.ingest()
    world.bot.watch()

    assert [] == texts(world)

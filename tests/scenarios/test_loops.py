"""Somebody who answers every answer, strangers who talk under one, and more asks in a minute than people make."""

from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.ledger.conditions import LOOP
from bot.speech import capped, note
from bot.texts import Note
from guardrails.caps import Cap
from guardrails.documents import AtUri, StrongRef
from guardrails.rules import Rules
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.documents import newest
from tests.mentions import OPERATOR
from tests.scenarios.asides import likes, texts
from tests.scenarios.stages import replied
from tests.scenarios.world import World, ruled

ROUNDS = 50
EXCHANGES = Rules().loops.exchanges
HOUR = timedelta(hours=1)


def goes_on(world: World) -> None:
    """All that the bot and a lane have to do now."""
    world.bot.judge()
    while world.ledger.pages.counts()[Status.PENDING_BUILD]:
        world.lane_builds()
    world.bot.reply()
    world.bot.speak()


def newest_of_ours(world: World) -> StrongRef:
    newest = world.network.repo(world.network.account("wright.test").did)[0]
    return StrongRef(uri=AtUri(newest["uri"]), cid=newest["cid"])


def echoes(world: World, ask: str) -> None:
    """A bot that does not say so answers our newest post with the next ask, fifty times."""
    world.network.create_account("echo.test")
    world.says("echo.test", ask.format(n=0))
    for n in range(1, ROUNDS):
        world.bot.ingest()
        goes_on(world)
        world.clock.shift += timedelta(seconds=20)
        world.says("echo.test", ask.format(n=n), newest_of_ours(world))
    world.bot.ingest()
    goes_on(world)


def at_noon(world: World) -> None:
    """So that the next day begins within the hours in which a line is still said, also where a round takes four."""
    now = world.ledger.db.time()
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
    world.clock.shift += (noon - now) % timedelta(days=1)


def alerts(logs: list[Any]) -> list[str]:
    return [entry["detail"] for entry in logs if entry["event"] == "loop"]


@pytest.mark.parametrize(
    ("ask", "claims", "lines"),
    [
        # One app, and its link for each exchange after it, if only on the next day.
        ("@wright.test make a clock", 1, EXCHANGES),
        # An app for each exchange, and the line about the cap of the hour.
        ("@wright.test make clock number {n}", EXCHANGES, EXCHANGES + 1),
    ],
)
def test_a_bot_that_echoes_every_reply_is_left_alone(world: World, ask: str, claims: int, lines: int) -> None:
    """Fifty rounds: so many builds as the rules allow, then silence, and one alert."""
    world.rules = Rules()
    at_noon(world)
    with capture_logs() as logs:
        echoes(world, ask)
        for _ in range(7):
            world.clock.shift += 4 * HOUR
            goes_on(world)
    said = len(texts(world))
    for _ in range(6):
        world.clock.shift += 4 * HOUR
        goes_on(world)

    assert (claims, lines) == (world.claims, said)
    assert (said, world.claims) == (len(texts(world)), len(likes(world)))
    assert 1 == len(alerts(logs))
    assert 0 == world.ledger.pages.counts()[Status.RECEIVED]


def test_an_author_whose_builds_all_fail_is_stopped(world: World) -> None:
    """Only what made an app counts against the other caps; and so many failures are told in a day."""
    world.rules = Rules()
    for n in range(ROUNDS):
        world.says("alice.test", f"@wright.test make clock number {n}")
        world.bot.ingest()
        while world.ledger.pages.counts()[Status.PENDING_BUILD]:
            world.lane_builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")
        world.bot.speak()
        world.clock.shift += timedelta(seconds=20)
    failed = note(Note.NOT_BUILT, reason="it needs a server").text
    until = world.ledger.db.time().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    full = capped(Cap.AUTHOR_STARTS, until, goes_on=True).text

    assert Rules().caps.starts_per_day == world.claims
    assert ([full] + [failed] * Rules().commands.answers_per_day) == texts(world)


def test_wishes_for_changes_under_every_note_get_one_line(world: World) -> None:
    """However many there are, and whichever post of ours they stand under; one alert, when they go round."""
    replied(world)
    world.rules = Rules()
    with capture_logs() as logs:
        for _ in range(12):
            world.says("alice.test", "@wright.test make it blue", newest_of_ours(world))
            world.bot.ingest()
            goes_on(world)
            world.clock.shift += timedelta(seconds=20)
    ended = [document.reason for document in newest(world.ledger, 12)]

    assert [note(Note.REVISION).text] == texts(world)[:-1]
    assert [Reason.LOOP] * (13 - EXCHANGES) + [Reason.REVISION] * (EXCHANGES - 1) == ended
    assert (1, 1) == (world.claims, len(alerts(logs)))


def test_a_wish_for_a_change_under_a_link_is_told_by_the_app(world: World) -> None:
    """Nobody is told a second time of the same app, though the ask was repeated in a thread of its own."""
    replied(world)
    world.rules = Rules()
    world.says("alice.test", "@wright.test make it blue", newest_of_ours(world))
    world.bot.ingest()
    goes_on(world)
    world.says("alice.test", "@wright.test Make me a pomodoro timer!")
    world.bot.ingest()
    goes_on(world)
    world.says("alice.test", "@wright.test make it red", newest_of_ours(world))
    world.bot.ingest()
    goes_on(world)

    assert (3, 1) == (len(texts(world)), texts(world).count(note(Note.REVISION).text))


def test_wishes_for_changes_are_among_the_answers_of_a_day(world: World) -> None:
    """However many apps and threads they are about."""
    world.rules = ruled(commands={"answers_per_day": 1}, ask={"same_hours": 0})
    for n in range(2):
        world.says("alice.test", f"@wright.test make clock number {n}")
        world.bot.ingest()
        goes_on(world)
        world.says("alice.test", "@wright.test make it blue", newest_of_ours(world))
        world.bot.ingest()
        goes_on(world)

    assert (2, 1) == (world.claims, texts(world).count(note(Note.REVISION).text))


def test_somebody_new_in_the_thread_ends_the_silence(world: World) -> None:
    """It is no loop any more."""
    world.rules = ruled(loops={"exchanges": 2}, ask={"same_hours": 0})
    thread = world.says("alice.test", "@wright.test make clock number 0")
    for n in (1, 2):
        world.says("alice.test", f"@wright.test make clock number {n}", thread)
        world.bot.ingest()
        goes_on(world)
    silenced = world.says("alice.test", "@wright.test make clock number 3", thread)
    world.bot.ingest()
    bob = world.says("bob.test", "@wright.test make a dice roller", thread)
    world.bot.ingest()
    again = world.says("alice.test", "@wright.test make clock number 4", thread)
    world.bot.ingest()

    assert (Status.SKIPPED, Reason.LOOP) == (world.status(silenced), world.document(silenced).reason)
    assert [Status.PENDING_BUILD] * 2 == [world.status(bob), world.status(again)]


def test_the_alert_is_over_when_there_was_no_loop_for_an_hour(world: World) -> None:
    """Whatever is passed over meanwhile keeps it up, be it elsewhere, and nobody hears of it again."""
    world.rules = ruled(loops={"exchanges": 1}, ask={"same_hours": 0})
    people = ("alice.test", "bob.test")
    threads = [world.says(who, "@wright.test make clock number 0") for who in people]
    world.bot.ingest()
    with capture_logs() as logs:
        for who, thread in zip(people, threads, strict=True):
            world.says(who, "@wright.test make clock number 1", thread)
            world.bot.ingest()
            world.clock.shift += 0.6 * HOUR
            world.bot.judge()
            assert world.ledger.conditions.stands(LOOP)
    world.clock.shift += 0.6 * HOUR
    world.bot.judge()

    assert not world.ledger.conditions.stands(LOOP)
    assert 1 == len(alerts(logs))


def test_too_much_in_a_minute_pauses_the_builds(world: World) -> None:
    """By the bot, with the reason, for a person to release; what was asked is not lost."""
    world.rules = ruled(loops={"per_minute": 2}, ask={"same_hours": 0})
    people = ("alice.test", "bob.test", "carol.test")
    posts = [world.says(handle, "@wright.test make a dice roller") for handle in people]
    with capture_logs() as logs:
        world.bot.ingest()
        world.bot.judge()
    ((switch, device, reason, _),) = world.ledger.desk.switches_on()

    assert (Switch.PAUSE_BUILDS, "bot") == (switch, device)
    assert [reason] == alerts(logs)
    assert reason.startswith("more than 2 asks were taken on in a minute")
    assert {Status.PENDING_BUILD} == {world.status(post) for post in posts}


def test_why_the_builds_would_have_been_paused_is_shown_where_they_are(world: World) -> None:
    """Whoever paused them stays named, and finds out before releasing them."""
    world.rules = ruled(loops={"per_minute": 1}, ask={"same_hours": 0})
    world.ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "a new lane")
    for handle in ("alice.test", "bob.test"):
        world.says(handle, "@wright.test make a dice roller")
    world.bot.ingest()
    ((_, device, reason, _),) = world.ledger.desk.switches_on()

    assert OPERATOR.device == device
    assert reason.startswith("a new lane; bot: more than 1 asks were taken on in a minute")


def test_each_time_that_the_builds_are_paused_somebody_is_called(world: World) -> None:
    """Also within the hour, after a person has released them."""
    world.rules = ruled(loops={"per_minute": 1}, ask={"same_hours": 0})
    with capture_logs() as logs:
        for _ in range(2):
            for handle in ("alice.test", "bob.test"):
                world.says(handle, "@wright.test make a dice roller")
            world.bot.ingest()
            world.ledger.desk.release(OPERATOR, Switch.PAUSE_BUILDS)
            world.clock.shift += timedelta(minutes=2)

    assert 2 == len(alerts(logs))


def test_the_builds_stay_paused_until_a_person_releases_them(world: World) -> None:
    """However long it is quiet; then the alert goes, too."""
    world.rules = ruled(loops={"per_minute": 1}, ask={"same_hours": 0})
    for handle in ("alice.test", "bob.test"):
        world.says(handle, "@wright.test make a dice roller")
    world.bot.ingest()
    world.clock.shift += 3 * HOUR
    world.bot.judge()
    paused, stands = world.ledger.desk.is_on(Switch.PAUSE_BUILDS), world.ledger.conditions.stands(LOOP)
    world.ledger.desk.release(OPERATOR, Switch.PAUSE_BUILDS)
    world.bot.judge()

    assert (True, True) == (paused, stands)
    assert not world.ledger.conditions.stands(LOOP)
    assert not world.ledger.desk.is_on(Switch.PAUSE_BUILDS)


def test_a_backlog_pauses_nothing(world: World) -> None:
    """After an outage much is taken on at once that people asked for over hours."""
    world.rules = ruled(loops={"per_minute": 1}, ask={"same_hours": 0})
    for handle in ("alice.test", "bob.test", "carol.test"):
        world.says(handle, "@wright.test make a dice roller")
        world.clock.shift += timedelta(minutes=5)
    world.bot.ingest()

    assert 3 == world.ledger.pages.counts()[Status.PENDING_BUILD]
    assert [] == world.ledger.desk.switches_on()


def test_what_is_spread_over_minutes_pauses_nothing(world: World) -> None:
    """The rule is about a minute."""
    world.rules = ruled(loops={"per_minute": 1}, ask={"same_hours": 0})
    for handle in ("alice.test", "bob.test", "carol.test"):
        world.says(handle, "@wright.test make a dice roller")
        world.bot.ingest()
        world.clock.shift += timedelta(seconds=61)

    assert [] == world.ledger.desk.switches_on()


def test_strangers_who_talk_under_our_answer_make_no_documents(world: World) -> None:
    """Nor does the asker who talks with them, however near to a command it comes."""
    replied(world)
    answer = newest_of_ours(world)
    first = world.says("bob.test", "help", answer)
    world.says("carol.test", "stop", first)
    world.says("bob.test", "cancel", answer)
    world.says("alice.test", "thanks, all! please do not stop", answer)
    world.says("alice.test", "cancel", first)
    before = world.ledger.pages.counts()
    done = world.bot.ingest()

    assert (0, 5) == (done.new, done.ignored)
    assert before == world.ledger.pages.counts()


def test_a_bare_command_of_the_asker_under_our_answer_counts(world: World) -> None:
    """It need not mention us."""
    post = replied(world)
    command = world.says("alice.test", "delete", newest_of_ours(world))
    world.bot.ingest()

    assert (Status.SKIPPED, Reason.COMMAND) == (world.status(command), world.document(command).reason)
    assert world.document(post).withdrawn_at is not None

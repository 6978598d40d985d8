"""The alert job, at a webhook that is a real server: once, and once that it is over, whatever happens between."""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi import Response
from pydantic import SecretStr
from sqlalchemy.exc import OperationalError

from bot.alerting import KNOWN, PAGES, UNTOLD, Alerting, notice_of, send_test
from bot.clock import Clock
from bot.jobs.alert import Alerted, LedgerAway
from bot.jobs.board import JobBoard
from bot.ledger import conditions, piles
from bot.ledger.alerts import CALM, STANDS, Message, Telling
from bot.ledger.conditions import Condition
from bot.ledger.ledger import Ledger
from bot.operations.present import Overview, Pile
from bot.outgoing import Failed
from bot.settings import LedgerSettings
from tests.bot.hook import TOKEN, WAITS, Hook, hooked
from tests.bot.ledger.steps import travel
from tests.bot.overviews import QUIET
from tests.bot.terminal.commands import is_command


@pytest.fixture
def hook() -> Iterator[Hook]:
    with hooked() as hook:
        yield hook


class Bot:
    """A bot's alerts over a ledger; `now` is how it is, to be set by the test, at the ledger's time."""

    def __init__(self, ledger: Ledger, hook: Hook | None, seconds: float = 10) -> None:
        self.now = QUIET
        self.board = JobBoard(ledger.db.time)
        self._ledger = ledger
        url = SecretStr(hook.url) if hook is not None else None
        self.settings = LedgerSettings(alert_url=url, apps_url="https://apps.example", call_deadline_seconds=seconds)
        self.alerts = self._anew()

    def once(self) -> Alerted:
        try:
            return self.alerts.once()
        finally:
            self.alerts.close()
            self.alerts = self._anew()

    def _anew(self) -> Alerting:
        return Alerting(self.settings, self._ledger, self._overview, self.board, self._ledger.db.time)

    def _overview(self) -> Overview:
        return replace(self.now, at=self._ledger.db.time())


def with_pile(ledger: Ledger, name: str = piles.UNKNOWN_SENDS, **ago: float) -> Overview:
    oldest = ledger.db.time() - timedelta(**ago)
    return replace(QUIET, piles=(Pile(name, 3, oldest, "sends of unknown outcome", "skywright sends"),))


def test_a_condition_is_told_once_until_it_clears(ledger: Ledger, ledger_clock: Clock, hook: Hook) -> None:
    """With its page and its command; another bot on the ledger, and one that starts anew, tell nothing twice."""
    bot, other = Bot(ledger, hook), Bot(ledger, hook)
    bot.now = other.now = with_pile(ledger, hours=1)
    for each in (bot, other, bot, Bot(ledger, hook)):
        each.now = bot.now
        each.once()
        ledger_clock.shift += STANDS
    for each in (bot, other, Bot(ledger, hook)):
        each.now = QUIET
        each.once()
        ledger_clock.shift += CALM + STANDS
    again = [each.once() for each in (bot, other)]
    raised, cleared = hook.told

    assert [Alerted(0)] * 2 == again
    assert [("raised", "unknown_sends"), ("cleared", "unknown_sends")] == [
        (told["event"], told["name"]) for told in hook.told
    ]
    assert raised["detail"].startswith("3, the oldest since 20")
    assert ("sends of unknown outcome", "skywright sends") == (raised["summary"], raised["command"])
    assert ("http://127.0.0.1:8102/console/sends", "https://apps.example") == (raised["link"], raised["bot"])
    assert raised["since"] == cleared["since"]
    assert [] == ledger.alerts.standing()


def test_a_channel_that_takes_nothing_is_left_alone_and_shown(ledger: Ledger, ledger_clock: Clock, hook: Hook) -> None:
    """For longer each time, or as long as it wants; nothing is told of it by itself, and it is told all later."""
    bot = Bot(ledger, hook, seconds=0.5)
    hook.answers += [Response("busy", 429, {"Retry-After": "600"}), Response("", 500), WAITS]
    waited, fails = [], []

    def stands(**more: float) -> Alerted:
        travel(ledger_clock, **more)
        bot.now = with_pile(ledger, hours=1)
        bot.now = replace(bot.now, conditions=tuple(ledger.conditions.standing()))
        return bot.once()

    stands()
    for _ in range(3):
        done, seconds = Alerted(1), 0
        while done.failed is None:
            done, seconds = stands(seconds=60), seconds + 60
        waited.append(seconds)
        fails.append(done.failed)
    [shown] = ledger.conditions.standing()
    [alert] = ledger.alerts.standing()

    assert [60, 600, 60] == waited
    assert [
        "it answers with status 429; too much was said there; busy",
        "it answers with status 500",
        "it cannot be reached: ReadTimeout",
    ] == fails
    assert (conditions.ALERTS, 3) == (shown.name, alert.failures)
    assert TOKEN not in f"{shown.detail} {alert.problem} {fails}"

    assert Alerted(1, told=1) == stands(minutes=10)
    assert [] == ledger.conditions.standing()
    assert 4 == len(hook.told)


def test_what_is_wrong_by_its_nature_and_its_age(ledger: Ledger, ledger_clock: Clock) -> None:
    """What settles by itself is left alone for a while, what waits for a decision for longer; some at once."""
    bot = Bot(ledger, None)
    bot.board.add("ingest", 5, 20)
    travel(ledger_clock, hours=1)
    heaps = {
        piles.UNKNOWN_SENDS: 14,
        piles.STUCK_BUILDS: 16,
        piles.HELD_ASKS: 11 * 60,
        piles.HELD_REPLIES: 13 * 60,
        piles.CONFLICTS: 0,
        piles.ERRORS: 1,
    }
    at = ledger.db.time()
    heaped = [Pile(name, 1, at - timedelta(minutes=ago), name, "skywright doctor") for name, ago in heaps.items()]
    bot.now = replace(
        QUIET,
        piles=(*heaped, Pile(piles.PARKED, 0, None, "nothing", "skywright doctor")),
        conditions=tuple(Condition(name, "alice.test said hunter2", at, at) for name in ("account", "alerts", "new")),
    )

    assert Alerted(7) == bot.once()
    assert ["account", "conflicts", "errors", "held_replies", "jobs_late", "new", "stuck_builds"] == sorted(
        alert.name for alert in ledger.alerts.standing()
    )
    assert not any("hunter2" in alert.detail or "alice" in alert.detail for alert in ledger.alerts.standing())
    assert "ingest" == next(alert.detail for alert in ledger.alerts.standing() if alert.name == "jobs_late")


def test_a_ledger_that_is_away_is_told_without_it(ledger: Ledger, ledger_clock: Clock, hook: Hook) -> None:
    """Once it has been so for a while, though the channel fails first; and once that it has answered for a while."""
    settings = LedgerSettings(alert_url=SecretStr(hook.url), apps_url="https://apps.example")
    away = False

    def overview() -> Overview:
        if away:
            raise OperationalError("SELECT hunter2", {}, OSError("refused"))
        return QUIET

    def look(alerts: Alerting, **more: float) -> list[str]:
        travel(ledger_clock, **more)
        with suppress(OperationalError):
            alerts.once()
        return [f"{told['event']} {told['name']}" for told in hook.told]

    hook.answers += [Response("", 500)]
    alerts = Alerting(settings, ledger, overview, JobBoard(ledger.db.time), ledger.db.time)
    with closing(alerts):
        seen = [look(alerts)]
        away = True
        seen += [look(alerts, seconds=1), look(alerts, seconds=61), look(alerts, seconds=5), look(alerts, seconds=31)]
        seen += [look(alerts, hours=5)]
        away = False
        seen += [look(alerts, seconds=30), look(alerts, minutes=6), look(alerts, hours=1)]

    raised, cleared = "raised ledger_away", "cleared ledger_away"
    assert [[], [], [raised], [raised], [raised] * 2] == seen[:5]
    assert [[raised] * 2, [raised] * 2, [raised, raised, cleared], [raised, raised, cleared]] == seen[5:]
    assert len({told["since"] for told in hook.told}) == 1
    assert "hunter2" not in str(hook.told)


def test_a_hiccup_of_the_ledger_is_not_told(ledger: Ledger, ledger_clock: Clock) -> None:
    """It answers again before anybody would be told."""
    told: list[Telling] = []
    away = LedgerAway(ledger.db.time)
    for seconds, is_away in ((0, True), (30, True), (30, False), (400, False), (10, True), (400, False)):
        travel(ledger_clock, seconds=seconds)
        away.look(lambda telling, _: told.append(telling), away=is_away)

    assert [] == told


def test_a_condition_of_a_lane_has_its_words_and_names_the_lane(ledger: Ledger) -> None:
    """Each lane's is told by itself."""
    bot, at = Bot(ledger, None), ledger.db.time()
    bot.now = replace(QUIET, conditions=(Condition("lane_cost:my-lane", "2.00 USD", at, at),))
    bot.once()
    [alert] = ledger.alerts.standing()
    notice = notice_of(Message(Telling.RAISED, alert), bot.now, bot.settings)

    assert ("lane_cost:my-lane", "my-lane") == (notice.name, notice.detail)
    assert (KNOWN["lane_cost"].summary, KNOWN["lane_cost"].command) == (notice.summary, notice.command)
    assert notice.link.endswith("/console/lanes")


def test_a_test_says_that_it_is_one(hook: Hook) -> None:
    """Or why it was not taken; without a channel it says so."""
    settings = LedgerSettings(alert_url=SecretStr(hook.url))
    hook.answers += [Response(status_code=204), Response("", 403)]

    assert None is send_test(settings)
    assert Failed("it answers with status 403; its address is wrong or was withdrawn") == send_test(settings)
    assert Failed("SKYWRIGHT_ALERT_URL is not set") == send_test(LedgerSettings())
    assert ["test", "test"] == [told["event"] for told in hook.told]


def test_each_condition_has_words_a_page_and_a_command() -> None:
    """Also one that somebody adds to the ledger's."""
    named = {value for name, value in vars(conditions).items() if name.isupper() and isinstance(value, str)}

    assert named <= KNOWN.keys() | UNTOLD
    assert all(is_command(known.command) for known in KNOWN.values())
    assert all(known.page.startswith("/console/") for known in KNOWN.values())
    assert PAGES.keys() <= set(piles.NAMES)

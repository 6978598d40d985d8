"""What operators are told of, at the terminal: here, and at a bot elsewhere."""

import json
from collections.abc import Iterator

import pytest
from fastapi import Response

from bot.clock import Clock
from bot.ledger.alerts import CALM, STANDS, Wrong
from bot.ledger.ledger import Ledger
from tests.bot.hook import TOKEN, Hook, hooked
from tests.bot.ledger.test_alerts import LEASE, raised
from tests.bot.terminal.prompt import Prompt

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


@pytest.fixture
def hook() -> Iterator[Hook]:
    with hooked() as hook:
        yield hook


@pytest.fixture
def host(host: Prompt, hook: Hook) -> Prompt:
    """The host's settings name the webhook."""
    return host.having(SKYWRIGHT_ALERT_URL=hook.url)


def test_what_stands_is_listed_with_what_was_told(either: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """Told, over, and not told since the channel does not take it."""
    assert 1 == len(either.lines("alerts"))
    errors, purse, no_lane = Wrong("errors", "3"), Wrong("purse", ""), Wrong("no_lane", "2")
    ledger.alerts.sent(raised(ledger, ledger_clock, errors))
    ledger.alerts.sent(raised(ledger, ledger_clock, purse))
    ledger_clock.shift += CALM
    for _ in range(2):
        ledger.alerts.note([errors, no_lane])
        ledger_clock.shift += STANDS
    message = ledger.alerts.take(LEASE)
    assert message is not None
    ledger.alerts.failed(message, "it answers with status 500", LEASE)
    told = {row.split("\t")[0]: row.split("\t")[2:] for row in either.lines("alerts")[1:]}

    assert {
        "purse": ["over, not told yet", "", "it answers with status 500"],
        "no_lane": ["not yet", "2", ""],
        "errors": ["told", "3", ""],
    } == told
    assert ["errors", "purse", "no_lane"] == [json.loads(line)["name"] for line in either.lines("alerts", "--json")]


def test_the_channel_is_tried(either: Prompt, ledger: Ledger, hook: Hook) -> None:
    """It takes the message or says why not, without its address; who tried it is in the audit log."""
    hook.answers += [Response(), Response("no such hook", 404)]
    good, bad = either.run("alerts", "test"), either.run("alerts", "test")

    assert (0, "The channel took the message.\n") == (good.exit_code, good.stdout)
    assert 4 == bad.exit_code
    assert "it answers with status 404; its address is wrong or was withdrawn; no such hook" in bad.stderr
    assert TOKEN not in bad.output
    assert ["test", "test"] == [told["event"] for told in hook.told]
    assert ["not taken", "taken"] == [row.detail for row in ledger.audit.rows(None, 2)]

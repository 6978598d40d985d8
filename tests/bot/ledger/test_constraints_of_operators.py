"""What the database itself holds about operators, attacked with raw SQL on both databases."""

import pytest
from sqlalchemy.exc import DBAPIError

from bot.ledger.ledger import Ledger
from tests.bot.ledger.attack import broken_by, run
from tests.bot.ledger.steps import received

NOON, ONE = "'2026-03-02 12:00:00.000000'", "'2026-03-02 13:00:00.000000'"
ACTION = (
    "INSERT INTO audit (at, device, action, target, detail, action_id) "
    f"VALUES ({NOON}, 'olga', 'stop', 'mention:x', '', {{action_id}})"
)
HELD = f"INSERT INTO held_asks (ask_sha256, document_id, device, at) VALUES ('d', {{document}}, 'olga', {NOON})"
LINK = (
    "INSERT INTO console_links (code_sha256, role, holder, created_at, expires_at) "
    f"VALUES ('c', {{role}}, 'olga', {NOON}, {{expires}})"
)
SESSION = (
    "INSERT INTO console_sessions (id, token_sha256, role, holder, device, created_at, seen_at, expires_at, ended_at, "
    "ended_why) VALUES ({id}, {token}, {role}, 'olga', {device}, " + f"{NOON}, {NOON}, " + "{expires}, {ended}, {why})"
)
ALERT = (
    "INSERT INTO alerts (name, detail, since, seen_at, told, failures) "
    f"VALUES ('purse', '', {NOON}, {NOON}, {{told}}, {{failures}})"
)
LIVE = {
    "id": "'s'",
    "token": "'t'",
    "role": "'operator'",
    "device": "NULL",
    "expires": ONE,
    "ended": "NULL",
    "why": "NULL",
}


@pytest.mark.parametrize("change", ["UPDATE audit SET detail = 'nothing'", "DELETE FROM audit"])
def test_the_audit_log_is_never_changed(ledger: Ledger, change: str) -> None:
    """By nobody, with whatever statement; what is in it stays."""
    run(ledger, ACTION.format(action_id="'a'"))

    with pytest.raises(DBAPIError, match="the audit log is never changed"):
        run(ledger, change)
    assert ["stop"] == [row.action for row in ledger.audit.rows(None, 9)]


def test_an_action_is_noted_once(ledger: Ledger) -> None:
    """Those without an id are as many as they are."""
    run(ledger, ACTION.format(action_id="NULL"), ACTION.format(action_id="NULL"))
    one = ACTION.format(action_id="'a'")

    broken_by(ledger, "audit.action_id|uq_audit_action_id", one, one)


def test_an_ask_is_held_once_for_a_document_that_is_there(ledger: Ledger) -> None:
    """Whoever takes it down a second time changes nothing."""
    document = received(ledger)
    one = HELD.format(document=f"'{document.id}'")

    broken_by(ledger, "FOREIGN KEY|fk_held_asks_document_id", HELD.format(document="'mention:nobody'"))
    broken_by(ledger, "held_asks.ask_sha256|pk_held_asks", one, one)


@pytest.mark.parametrize("role", ["'lane'", "'bot'"])
def test_nobody_but_people_comes_into_the_console(ledger: Ledger, role: str) -> None:
    """Neither by a link nor in a session."""
    broken_by(ledger, "ck_console_links_role", LINK.format(role=role, expires=ONE))
    broken_by(ledger, "ck_console_sessions_role", SESSION.format(**LIVE | {"role": role}))


def test_a_link_ends_and_is_one(ledger: Ledger) -> None:
    """Whoever draws its code."""
    one = LINK.format(role="'viewer'", expires=ONE)

    broken_by(ledger, "ck_console_links_expires", LINK.format(role="'viewer'", expires=NOON))
    broken_by(ledger, "console_links.code_sha256|pk_console_links", one, one)


def test_a_session_ends_and_is_one(ledger: Ledger) -> None:
    """By its name, and by its token; and it is of a device that is known, or of none."""
    run(ledger, SESSION.format(**LIVE))

    broken_by(ledger, "ck_console_sessions_expires", SESSION.format(**LIVE | {"id": "'x'", "expires": NOON}))
    broken_by(ledger, "console_sessions.id|pk_console_sessions", SESSION.format(**LIVE | {"token": "'u'"}))
    broken_by(
        ledger, "console_sessions.token_sha256|uq_console_sessions_token_sha256", SESSION.format(**LIVE | {"id": "'x'"})
    )
    broken_by(
        ledger,
        "FOREIGN KEY|fk_console_sessions_device",
        SESSION.format(**LIVE | {"id": "'x'", "token": "'u'", "device": "'nobody'"}),
    )


@pytest.mark.parametrize("half", [{"ended": ONE}, {"why": "'revoked'"}])
def test_a_session_that_has_ended_says_why(ledger: Ledger, half: dict[str, str]) -> None:
    """And one that has not says nothing."""
    broken_by(ledger, "ck_console_sessions_ended", SESSION.format(**LIVE | half))


def test_an_alert_was_raised_or_cleared(ledger: Ledger) -> None:
    """Once for each name, and told so often or not at all."""
    one = ALERT.format(told="NULL", failures="0")

    broken_by(ledger, "ck_alerts_told", ALERT.format(told="'whispered'", failures="0"))
    broken_by(ledger, "ck_alerts_failures", ALERT.format(told="NULL", failures="-1"))
    broken_by(ledger, "alerts.name|pk_alerts", one, one)

"""What the database itself holds about lanes, attacked with raw SQL on both databases."""

import pytest

from bot.ledger.ledger import Ledger
from tests.bot.ledger.attack import broken_by, run
from tests.bot.ledger.steps import building

NOON, ONE = "'2026-03-02 12:00:00.000000'", "'2026-03-02 13:00:00.000000'"
DEVICE = (
    "INSERT INTO devices (id, name, role, token_sha256, allowed_prefix, created_at, longest_lease_seconds, expires_at) "
    "VALUES ({id}, '', {role}, {token}, '', " + NOON + ", {lease}, {expires})"
)
INVITE = (
    "INSERT INTO invites (code_sha256, name, allowed_prefix, longest_lease_seconds, invited_by, created_at, "
    "expires_at) VALUES ('c', '', '', {lease}, 'olga', " + NOON + ", {expires})"
)
LOGIN = (
    "INSERT INTO run_logins (jti_sha256, device, token_sha256, at, expires_at) VALUES ({jti}, {device}, {token}, "
    + NOON
    + ", {expires})"
)
DISPATCH = (
    "INSERT INTO dispatches (target, token, tried_at, not_before, tries, failures) "
    f"VALUES ('o/r:w', 't', {NOON}, {NOON}, {{tries}}, {{failures}})"
)
RUN = DEVICE.format(id="'run'", role="'lane'", token="NULL", lease="NULL", expires=ONE)


@pytest.mark.parametrize(("role", "expires"), [("'lane'", "NULL"), ("'operator'", ONE)])
def test_only_the_device_of_a_run_has_no_token_of_its_own(ledger: Ledger, role: str, expires: str) -> None:
    """It is a lane, and it ends."""
    broken_by(
        ledger, "ck_devices_token", DEVICE.format(id="'x'", role=role, token="NULL", lease="NULL", expires=expires)
    )


@pytest.mark.parametrize("lease", ["0", "9", "86401"])
def test_no_lease_is_longer_than_a_day(ledger: Ledger, lease: str) -> None:
    """Neither a device's nor that of one that is invited."""
    broken_by(
        ledger, "ck_devices_lease", DEVICE.format(id="'x'", role="'lane'", token="'t'", lease=lease, expires="NULL")
    )
    broken_by(ledger, "ck_invites_lease", INVITE.format(lease=lease, expires=ONE))


def test_an_invitation_ends_after_it_began(ledger: Ledger) -> None:
    """Without an end it would lie about for ever."""
    broken_by(ledger, "ck_invites_expires", INVITE.format(lease="NULL", expires=NOON))
    broken_by(ledger, "NOT NULL|null value", INVITE.format(lease="NULL", expires="NULL"))


def test_a_code_is_one_invitation(ledger: Ledger) -> None:
    """Whoever draws it."""
    one = INVITE.format(lease="NULL", expires=ONE)

    broken_by(ledger, "invites.code_sha256|pk_invites", one, one)


def test_what_a_run_shows_is_good_once(ledger: Ledger) -> None:
    """And a token is one login's."""
    run(ledger, RUN, LOGIN.format(jti="'j'", device="'run'", token="'t'", expires=ONE))

    broken_by(
        ledger,
        "run_logins.jti_sha256|pk_run_logins",
        LOGIN.format(jti="'j'", device="'run'", token="'u'", expires=ONE),
    )
    broken_by(
        ledger,
        "run_logins.token_sha256|uq_run_logins_token_sha256",
        LOGIN.format(jti="'k'", device="'run'", token="'t'", expires=ONE),
    )


def test_a_login_is_a_devices_and_ends(ledger: Ledger) -> None:
    """The device stays while one of its logins is known."""
    run(ledger, RUN)

    broken_by(ledger, "ck_run_logins_expires", LOGIN.format(jti="'j'", device="'run'", token="'t'", expires=NOON))
    broken_by(
        ledger, "FOREIGN KEY|fk_run_logins_device", LOGIN.format(jti="'j'", device="'no'", token="'t'", expires=ONE)
    )
    run(ledger, LOGIN.format(jti="'j'", device="'run'", token="'t'", expires=ONE))
    broken_by(ledger, "FOREIGN KEY|fk_run_logins_device", "DELETE FROM devices")


@pytest.mark.parametrize(("tries", "failures"), [("0", "0"), ("1", "-1"), ("1", "2")])
def test_a_dispatch_counts_its_tries(ledger: Ledger, tries: str, failures: str) -> None:
    """One at least, and no more failures than tries."""
    broken_by(ledger, "ck_dispatches_counts", DISPATCH.format(tries=tries, failures=failures))


def test_a_workflow_has_one_row(ledger: Ledger) -> None:
    """So two bots cannot both be the first to call it."""
    one = DISPATCH.format(tries="1", failures="0")

    broken_by(ledger, "dispatches.target|pk_dispatches", one, one)


@pytest.mark.parametrize(
    ("name", "change"), [("ck_attempts_repairs", "repairs = -1"), ("ck_attempts_lease", "lease_seconds = 0")]
)
def test_an_attempt_has_a_lease_and_counts_its_repairs(ledger: Ledger, name: str, change: str) -> None:
    """A lease of nothing would be over before the first heartbeat."""
    building(ledger)

    broken_by(ledger, name, f"UPDATE attempts SET {change}")

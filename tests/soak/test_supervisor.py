"""Which end of a bot is a fault, where the database is restarted under it."""

import pytest

from tests.soak.supervisor import was_turned_away

CALL = "2026-03-02T12:00:00Z [warning  ] call_failed                    error=OperationalError path=/api/lane/claim\n"
BEGUN = "2026-03-02T12:00:00Z [info     ] running                        apps=http://localhost\n"
AWAY = "the ledger does not answer: server login has been failing, try again later (server_login_retry)\n"


@pytest.mark.parametrize(
    ("said", "away"),
    [
        (AWAY, True),
        (f"{CALL}{AWAY}\n", True),  # its listeners begin before it asks for the last move
        (f"{BEGUN}{CALL}{AWAY}", False),
        (f"{AWAY}{CALL}", False),
        ("", False),
    ],
)
def test_a_bot_that_has_begun_is_not_turned_away(said: str, away: bool) -> None:
    """It goes on by itself when the database is back; one that has not begun leaves that to its supervisor."""
    assert away is was_turned_away(said)

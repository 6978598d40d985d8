"""Looking again and again at what may not answer for a while."""

from threading import Event

import pytest
from sqlalchemy.exc import OperationalError

from bot.terminal.patience import Patience


class Restarted:
    """A database that answers, is away for two looks, and answers again."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> int:
        self.looks += 1
        if self.looks in (2, 3):
            raise OperationalError("SELECT 1", {}, Exception("the server is starting up\nsecret"))
        return self.looks


def test_a_database_that_starts_anew_is_asked_until_it_answers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told once that it is away, and once that it is back."""
    monkeypatch.setattr("bot.terminal.patience.AGAIN_SECONDS", 0.01)
    patience, database = Patience(Event(), lasting=True), Restarted()

    assert [1, 4] == [patience.look(database), patience.look(database)]
    away = "the ledger does not answer: the server is starting up; it is asked again until it does"
    assert [away, "the ledger answers again"] == capsys.readouterr().err.splitlines()


def test_a_database_that_never_answered_is_not_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Nor is one whose history is only looked at once."""
    database = Restarted()
    database.looks = 1
    with pytest.raises(OperationalError):
        Patience(Event(), lasting=True).look(database)
    once = Patience(Event(), lasting=False)
    database.looks = 0
    once.look(database)
    with pytest.raises(OperationalError):
        once.look(database)
    assert "" == capsys.readouterr().err

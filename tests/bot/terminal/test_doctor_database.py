"""The doctor's look at the database: what it would forget, and whether it has room."""

import sqlite3
from pathlib import Path

import pytest

from bot.holding import sole_holder
from bot.jobs.room import LEAST_ROOM
from bot.ledger.conditions import ALERTS
from bot.ledger.ledger import Ledger
from bot.terminal import doctor_database
from bot.terminal.doctor_database import LARGE_LOG, LITTLE_ROOM, filesystem_of, log_finding, room_finding
from guardrails.findings import State
from tests.bot.terminal.prompt import CANARY, Prompt, findings

NOBODY = {f"SKYWRIGHT_{name}_URL": "http://127.0.0.1:1" for name in ("ADMIN", "LANE", "APPS")}


def test_what_a_power_cut_would_make_it_forget(prompt: Prompt) -> None:
    """SQLite is opened so that it forgets nothing; the PostgreSQL of the tests does not wait for its disk."""
    told = findings(prompt.having(**NOBODY))["durability"]

    if prompt.env["SKYWRIGHT_DATABASE_URL"].startswith("sqlite"):
        assert ("ok", "journal_mode=wal, synchronous=full") == (told["state"], told["told"])
    else:
        assert ("warn", "fsync=off, full_page_writes=off") == (told["state"], told["told"])
        assert "answered twice" in told["mend"]


@pytest.mark.parametrize(
    ("free", "state"),
    [(LITTLE_ROOM, State.OK), (LITTLE_ROOM - 1, State.WARN), (LEAST_ROOM, State.WARN), (LEAST_ROOM - 1, State.FAIL)],
)
def test_room_for_the_ledger(free: int, state: State) -> None:
    """A disk that is all but full is told of before it is full."""
    assert state is room_finding(Path("/srv"), free).state


@pytest.mark.parametrize(("size", "state"), [(0, State.OK), (LARGE_LOG, State.OK), (LARGE_LOG + 1, State.WARN)])
def test_a_log_that_is_never_folded_in(size: int, state: State) -> None:
    """Some program reads and reads."""
    assert state is log_finding(Path("x.db-wal"), size).state


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_a_ledger_on_another_machines_disk(prompt: Prompt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its locks may fail."""
    mounts = tmp_path / "mounts"
    mounts.write_text("box:/ / nfs4 rw 0 0\n")
    monkeypatch.setattr(doctor_database, "MOUNTS", mounts)

    told = findings(prompt.having(**NOBODY))["database"]

    assert ("warn", True) == (told["state"], "on a nfs4 filesystem" in told["told"])


def test_what_is_no_database(tmp_path: Path) -> None:
    """A file of something else, and an address that is none: it may hold a password."""
    file = tmp_path / "notes.db"
    file.write_text("shopping list " * 100)
    wrong, none = (
        findings(Prompt({**NOBODY, "SKYWRIGHT_DATABASE_URL": url}))["database"]
        for url in (f"sqlite:///{file}", f"oracle://u:{CANARY}@h/x")
    )

    assert ["fail", "fail"] == [wrong["state"], none["state"]]
    assert "is no address of a database" in none["told"]


def test_a_postgresql_that_is_away() -> None:
    """With what its driver says, and no password."""
    url = f"postgresql+psycopg://u:{CANARY}@127.0.0.1:1/x"
    result = Prompt({**NOBODY, "SKYWRIGHT_DATABASE_URL": url}).run("doctor")

    assert "fail  database          does not answer: " in result.stdout
    assert CANARY not in result.output


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_alerts_that_do_not_arrive(host: Prompt, ledger: Ledger) -> None:
    """None wanted, a channel, and one that takes nothing; the address of the channel is a secret."""
    host = host.having(**NOBODY)
    channel = host.having(SKYWRIGHT_ALERT_URL=f"http://127.0.0.1:1/{CANARY}")
    none, fine = findings(host)["alerts"], findings(channel)["alerts"]
    ledger.conditions.set(ALERTS, "the alert channel takes no message: status 404")
    told = findings(channel)

    assert [("warn", True), ("ok", False), ("fail", True)] == [
        (each["state"], "skywright alerts test" in each["mend"]) for each in (none, fine, told["alerts"])
    ]
    assert "status 404" in told["alerts"]["told"]
    assert "ok" == told["conditions"]["state"]
    assert CANARY not in channel.run("doctor").output


def test_a_file_that_was_moved_away(tmp_path: Path) -> None:
    """Where one was, none is to be made: it is to be put back, or a backup; and what has it open is to run on."""
    file = tmp_path / "gone.db"
    url = f"sqlite:///{file}"
    prompt = Prompt({**NOBODY, "SKYWRIGHT_DATABASE_URL": url})
    never = findings(prompt)["database"]
    with sole_holder(url):
        held = findings(prompt)["database"]
    moved, said = findings(prompt)["database"], prompt.run("list")

    assert ["fail"] * 3 == [each["state"] for each in (never, held, moved)]
    assert ["yet" in each["told"] for each in (never, held, moved)] == [True, False, False]
    assert ["skywright migrate" in each["mend"] for each in (never, held, moved)] == [True, False, False]
    assert "moved or deleted" in held["told"]
    assert "do not stop the bot" in held["mend"]
    assert "`skywright restore FILE`" in moved["mend"]
    assert (78, True, False) == (said.exit_code, "moved or deleted" in said.stderr, "migrate" in said.stderr)
    assert not file.exists()


def test_a_log_without_its_ledger(tmp_path: Path) -> None:
    """It tells that there was one, if nothing else does."""
    (tmp_path / "gone.db-wal").touch()
    told = findings(Prompt({**NOBODY, "SKYWRIGHT_DATABASE_URL": f"sqlite:///{tmp_path / 'gone.db'}"}))["database"]

    assert "moved or deleted" in told["told"]


def test_an_empty_file_is_a_ledger_of_no_schema(tmp_path: Path) -> None:
    """SQLite takes it for an empty database."""
    file = tmp_path / "empty.db"
    sqlite3.connect(file).close()
    file.touch()

    told = findings(Prompt({**NOBODY, "SKYWRIGHT_DATABASE_URL": f"sqlite:///{file}"}))

    assert ("ok", "fail") == (told["database"]["state"], told["schema"]["state"])


@pytest.mark.parametrize(
    ("file", "expected"),
    [("/mnt/c/x.db", "9p"), ("/srv/my disk/x.db", "nfs4"), ("/srv/x.db", "ext4"), ("/mnt/cx", "ext4")],
)
def test_the_kind_of_a_files_filesystem(file: str, expected: str) -> None:
    """The deepest mount that holds it, and the last of those on one place."""
    mounts = "none / overlay rw 0 0\n/dev/sda / ext4 rw 0 0\nC: /mnt/c 9p rw 0 0\nbox:/ /srv/my\\040disk nfs4 rw 0 0\n"

    assert expected == filesystem_of(Path(file), mounts)

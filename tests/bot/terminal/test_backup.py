"""Backups: made while others write, looked through, and put back without losing what was there."""

import os
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from uuid import uuid4

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.holding import sole_holder
from bot.ledger import backups
from bot.ledger.engine import open_database
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.schema import check_schema, differences, head_revision, migrate
from bot.ledger.selection import Selection
from bot.terminal.dumps import Address
from guardrails.access import Role
from guardrails.documents import DeviceId, DocId
from tests.bot.ledger.steps import STARTS, built, received
from tests.bot.terminal.prompt import CANARY, Prompt
from tests.documents import newest
from tests.ledger_fixtures import slug_for
from tests.mentions import OPERATOR
from tests.postgres import PostgresServer, postgres_programs

pytestmark = pytest.mark.slow
SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
POSTGRESQL = pytest.mark.parametrize(
    "ledger_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
RECORDER = """#!/bin/sh
echo "$@" > {folder}/arguments; echo "$PGPASSWORD" > {folder}/password; exit 3
"""


@pytest.fixture
def sqlite_place(tmp_path: Path) -> Path:
    """A folder for this test's ledger alone, since what was replaced stays beside it."""
    (tmp_path / "ledger").mkdir()
    return tmp_path / "ledger" / "ledger.db"


@pytest.fixture
def prompt(ledger_url: str) -> Prompt:
    """A prompt of whoever has the ledger."""
    return prompt_on(ledger_url)


@pytest.fixture
def place(ledger_url: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a backup may be put back: the ledger's own place on SQLite, an empty database on PostgreSQL."""
    if ledger_url.startswith("sqlite"):
        yield ledger_url
        return
    server: PostgresServer = request.getfixturevalue("pg_server")
    name = f"restored_{uuid4().hex}"
    yield server.create_database(name)
    server.drop_database(name)


@pytest.fixture
def pg_place(empty_url: str, request: pytest.FixtureRequest) -> Iterator[str | None]:
    """One more empty database where the first is PostgreSQL's, None on SQLite."""
    if empty_url.startswith("sqlite"):
        yield None
        return
    server: PostgresServer = request.getfixturevalue("pg_server")
    name = f"restored_{uuid4().hex}"
    yield server.create_database(name)
    server.drop_database(name)


def prompt_on(url: str) -> Prompt:
    """A prompt with PostgreSQL's programs of the server's own version."""
    path = os.environ["PATH"]
    if not url.startswith("sqlite"):
        path = f"{postgres_programs()}:{path}"
    return Prompt({"SKYWRIGHT_DATABASE_URL": url, "PATH": path})


def file_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def ids(url: str) -> set[DocId]:
    ledger = open_ledger(url, Clock(), LedgerPolicy(), slug_for)
    check_schema(ledger.db)
    found = {document.id for document in newest(ledger, 1000)}
    ledger.close()
    return found


def test_a_backup_is_put_back(prompt: Prompt, ledger: Ledger, place: str, tmp_path: Path) -> None:
    """It has every document as it was, its schema is whole, and numbers go on behind those that were given."""
    for status, make in STARTS.items():
        make(ledger, f"3k{status.value}")
    before = newest(ledger, 99)
    (told,) = prompt.lines("backup", str(tmp_path / "copy"))
    received(ledger, "3klater", ask="a kettle")
    last = ledger.feed.last()
    ledger.close()

    there = prompt.having(SKYWRIGHT_DATABASE_URL=place)
    there.lines("restore", str(tmp_path / "copy"))

    restored = open_ledger(place, Clock(), LedgerPolicy(), slug_for)
    assert before == newest(restored, 99)
    assert [] == differences(restored.db)
    assert last - 1 == restored.feed.last()
    received(restored, "3kagain", ask="a kettle")
    assert (1, last) == (restored.pages.count(Selection(text="kettle")), restored.feed.last())
    restored.close()
    assert f"schema {head_revision()}" in told
    assert 0o600 == (tmp_path / "copy").stat().st_mode & 0o777
    assert ["copy"] == [file.name for file in tmp_path.iterdir() if not file.name.startswith("ledger")]


@SQLITE
def test_a_backup_is_made_while_others_write(
    prompt: Prompt, ledger: Ledger, ledger_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Step by step, many of them: it is the ledger of one moment, no earlier than its beginning."""
    monkeypatch.setattr(backups, "_PAGES", 5)
    writer, stop, begun = open_ledger(ledger_url, Clock(), LedgerPolicy(), slug_for), Event(), Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            received(writer, f"3k{number:05}")
            if number == 10:
                begun.set()

    thread = Thread(target=write)
    thread.start()
    begun.wait(30)
    there = {document.id for document in newest(ledger, 1000)}
    prompt.lines("backup", str(tmp_path / "copy.db"))
    stop.set()
    thread.join()
    after = {document.id for document in newest(ledger, 10_000)}
    writer.close()

    copied = ids(f"sqlite:///{tmp_path / 'copy.db'}")
    assert there <= copied < after


def test_no_backup_takes_the_place_of_a_file(prompt: Prompt, ledger: Ledger, tmp_path: Path) -> None:
    """Unless it is asked to; and a folder that is not there is not made for one file."""
    file = tmp_path / "copy"
    file.write_text("mine")

    refused = prompt.run("backup", str(file))
    assert (4, "mine", True) == (refused.exit_code, file.read_text(), "--overwrite" in refused.stderr)
    assert 4 == prompt.run("backup", str(tmp_path / "none" / "copy")).exit_code
    prompt.lines("backup", str(file), "--overwrite")
    assert 10_000 < file.stat().st_size
    assert 0o600 == file.stat().st_mode & 0o777


def test_of_the_backups_in_a_folder_the_newest_are_kept(prompt: Prompt, ledger: Ledger, tmp_path: Path) -> None:
    """What has another name is nobody's to delete, and what a killed one left goes after a day."""
    folder = tmp_path / "shelf"
    ending = "db" if ledger.db.is_sqlite else "dump"
    folder.mkdir()
    for name in (f"skywright-20250101T000000Z.{ending}", f"skywright-20250102T000000Z.{ending}", "skywright.db"):
        (folder / name).touch()
    old, young = folder / ".skywright-1.db.x.part", folder / ".skywright-2.db.x.part"
    for each, age in ((old, 0.0), (young, Clock()().timestamp())):
        each.touch()
        os.utime(each, (age, age))

    told = prompt.lines("backup", "--to", str(folder), "--keep", "2")

    left = sorted(file.name for file in folder.iterdir())
    assert [
        young.name,
        f"skywright-20250102T000000Z.{ending}",
        Path(told[0].split(": ")[0]).name,
        "skywright.db",
    ] == left
    assert [f"deleted {folder}/skywright-20250101T000000Z.{ending}"] == told[1:]
    assert 2 == prompt.run("backup", str(tmp_path / "one"), "--keep", "2").exit_code
    assert 2 == prompt.run("backup", "--keep", "0").exit_code


@SQLITE
def test_a_backup_that_was_just_made_is_the_newest(prompt: Prompt, ledger: Ledger, tmp_path: Path) -> None:
    """Also where the clock was ahead when the others were made, and is right now."""
    for year in (2098, 2099):
        (tmp_path / f"skywright-{year}0101T000000Z.db").touch()

    told = prompt.lines("backup", "--to", str(tmp_path), "--keep", "2")

    made = Path(told[0].split(": ")[0])
    assert {made.name, "skywright-20990101T000000Z.db"} == {each.name for each in tmp_path.glob("skywright-*.db")}


@SQLITE
def test_what_was_there_is_kept_and_what_is_lost_is_told(
    prompt: Prompt, ledger: Ledger, ledger_url: str, tmp_path: Path
) -> None:
    """By a person's own name, made harmless; and the modes are those of the file before."""
    built(ledger)
    prompt.lines("backup", str(tmp_path / "copy.db"))
    received(ledger, "3klater")
    ledger.desk.add_device(OPERATOR, DeviceId("late\x1b-1"), "late", Role.VIEWER, "", "token")
    ledger.desk.revoke_device(OPERATOR, DeviceId("late\x1b-1"))
    ledger.close()
    file_of(ledger_url).chmod(0o640)

    told = prompt.lines("restore", str(tmp_path / "copy.db"))

    kept = file_of(next(line for line in told if line.startswith("what was there")).rpartition(" ")[2])
    assert {"mention:did:plc:alice:3klater"} == ids(f"sqlite:///{kept}") - ids(ledger_url)
    assert any(line.startswith("it knew 1 moves more") for line in told)
    assert any(re.search(r"olga revoke_device late\\x1b-1", line) for line in told), told
    assert 0o640 == file_of(ledger_url).stat().st_mode & 0o777


@SQLITE
def test_what_is_no_backup_changes_nothing(prompt: Prompt, ledger: Ledger, ledger_url: str, tmp_path: Path) -> None:
    """Cut short, damaged, of a newer program, of a ledger that moved, none at all, or the ledger itself."""
    built(ledger)
    copy = tmp_path / "copy.db"
    prompt.lines("backup", str(copy))
    whole, before = copy.read_bytes(), ids(ledger_url)

    def refused(content: bytes | None, *, revision: str = "") -> tuple[int, str]:
        copy.unlink(missing_ok=True)
        if content is not None:
            copy.write_bytes(content)
        if revision:
            with closing(sqlite3.connect(copy)) as there, there:
                there.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        result = prompt.run("restore", str(copy))
        assert "Traceback" not in result.output
        return result.exit_code, result.stderr

    middle = whole.index(b"app.bsky.feed.post")
    damaged = whole[: middle - 3000] + bytes(range(256)) * 16 + whole[middle + 1096 :]
    assert (1, True) == _shown(refused(whole[: len(whole) // 2]), "malformed")
    assert (1, True) == _shown(refused(damaged), "damaged|malformed")
    assert (1, True) == _shown(refused(b"words\n"), "not a database")
    assert (1, True) == _shown(refused(b""), "no such table")
    assert (78, True) == _shown(refused(whole, revision="9999"), "newer than this program")
    assert (1, True) == _shown(refused(whole, revision=f"{head_revision()}-moved"), "has moved")
    assert (4, True) == _shown(refused(None), "there is no file")
    itself = prompt.run("restore", str(file_of(ledger_url)))
    assert (4, True) == _shown((itself.exit_code, itself.stderr), "the ledger itself")
    assert before == ids(ledger_url)
    assert [] == list(file_of(ledger_url).parent.glob("*replaced*"))
    assert [] == list(file_of(ledger_url).parent.glob(".*part*"))


@SQLITE
def test_a_ledger_in_use_is_not_replaced(prompt: Prompt, ledger: Ledger, ledger_url: str, tmp_path: Path) -> None:
    """Neither under a bot, nor under somebody who reads."""
    copy = str(tmp_path / "copy.db")
    prompt.lines("backup", copy)
    with sole_holder(ledger_url):
        by_a_bot = prompt.run("restore", copy)
    with ledger.db.read() as connection:
        connection.execute(text("SELECT 1 FROM moves")).first()
        by_a_reader = prompt.run("restore", copy)

    assert (4, True) == _shown((by_a_bot.exit_code, by_a_bot.stderr), "in use by another bot")
    assert (4, True) == _shown((by_a_reader.exit_code, by_a_reader.stderr), "open in another program")
    assert [] == list(file_of(ledger_url).parent.glob("*replaced*"))


@SQLITE
def test_a_damaged_ledger_is_replaced(prompt: Prompt, ledger: Ledger, ledger_url: str, tmp_path: Path) -> None:
    """That is what backups are for; what is left of it is kept."""
    document = built(ledger)
    prompt.lines("backup", str(tmp_path / "copy.db"))
    ledger.close()
    file_of(ledger_url).write_bytes(b"nothing that SQLite knows" * 100)

    told = prompt.lines("restore", str(tmp_path / "copy.db"))

    (kept,) = file_of(ledger_url).parent.glob("*replaced*")
    assert kept.read_bytes().startswith(b"nothing that SQLite knows")
    assert {document.id} == ids(ledger_url)
    assert any("nobody can tell" in line for line in told)


@SQLITE
def test_all_that_is_set_aside_is_named(prompt: Prompt, ledger: Ledger, ledger_url: str, tmp_path: Path) -> None:
    """A log beside a damaged ledger may be what can still be read of it: SQLite would delete it at the first look."""
    built(ledger)
    prompt.lines("backup", str(tmp_path / "copy.db"))
    ledger.close()
    file = file_of(ledger_url)
    file.write_bytes(b"nothing that SQLite knows" * 100)
    for part in ("-wal", "-shm"):
        file.with_name(f"{file.name}{part}").write_bytes(b"what is left")

    told = prompt.lines("restore", str(tmp_path / "copy.db"))

    kept = {str(each) for each in file.parent.glob("*replaced*")}
    assert 3 == len(kept)
    assert kept == {word for line in told for word in line.replace(",", " ").split() if "replaced" in word}


@SQLITE
def test_what_a_lost_ledger_left_is_not_taken_for_the_copys(
    prompt: Prompt, ledger: Ledger, ledger_url: str, tmp_path: Path
) -> None:
    """A ledger that is gone, moved away or deleted, may leave its log: SQLite would write that over the copy."""
    first = built(ledger)
    prompt.lines("backup", str(tmp_path / "copy.db"))
    received(ledger, "3klater")
    file = file_of(ledger_url)
    log = file.with_name(f"{file.name}-wal")
    left = log.read_bytes()
    ledger.close()
    file.unlink()
    log.write_bytes(left)

    told = prompt.lines("restore", str(tmp_path / "copy.db"))

    assert {first.id} == ids(ledger_url)
    (kept,) = file.parent.glob("*replaced*")
    assert left == kept.read_bytes()
    assert any(str(kept) in line for line in told)


def test_an_older_backup_is_brought_forward(empty_url: str, pg_place: str | None, tmp_path: Path) -> None:
    """A ledger is backed up before it is migrated; one of PostgreSQL could not be brought back by itself then."""
    db = open_database(empty_url, Clock())
    migrate(db, "0008")
    db.close()
    here = prompt_on(empty_url)
    here.lines("backup", str(tmp_path / "copy"))
    here.having(SKYWRIGHT_DATABASE_URL=pg_place or empty_url).lines("restore", str(tmp_path / "copy"))

    assert set() == ids(pg_place or empty_url)


@POSTGRESQL
def test_a_dump_is_brought_back_by_postgresql_alone(prompt: Prompt, ledger: Ledger, place: str, tmp_path: Path) -> None:
    """As a host of databases does it, or pg_upgrade: with nothing of ours between."""
    document = built(ledger)
    prompt.lines("backup", str(tmp_path / "copy"))
    command: list[str | Path] = [
        postgres_programs() / "pg_restore",
        "--exit-on-error",
        f"--dbname={Address(place).conninfo}",
    ]
    subprocess.run([*command, tmp_path / "copy"], check=True)

    assert {document.id} == ids(place)


@POSTGRESQL
def test_a_database_that_holds_something_is_left_alone(prompt: Prompt, ledger: Ledger, tmp_path: Path) -> None:
    """A restore goes into an empty one, so that nothing is deleted; and a file that is no dump goes nowhere."""
    prompt.lines("backup", str(tmp_path / "copy"))
    (tmp_path / "words").write_text("words")

    result = prompt.run("restore", str(tmp_path / "copy"))
    assert (4, True) == _shown((result.exit_code, result.stderr), "createdb")
    result = prompt.run("restore", str(tmp_path / "words"))
    assert (1, True) == _shown((result.exit_code, result.stderr), "pg_restore failed")


@POSTGRESQL
def test_the_password_is_seen_by_nobody(prompt: Prompt, ledger: Ledger, ledger_url: str, tmp_path: Path) -> None:
    """Not in the list of processes, not in the recipe where the program is missing, and not where it fails."""
    secret = ledger_url.replace("postgres@", f"postgres:{CANARY}@")
    program = tmp_path / "pg_dump"
    program.write_text(RECORDER.format(folder=tmp_path))
    program.chmod(0o700)
    to = str(tmp_path / "copy")
    failed = prompt.having(SKYWRIGHT_DATABASE_URL=secret, PATH=f"{tmp_path}:/bin").run("backup", to)
    missing = prompt.having(SKYWRIGHT_DATABASE_URL=secret, PATH=str(tmp_path / "none")).run("backup", to)

    assert (1, True) == _shown((failed.exit_code, failed.stderr), "pg_dump failed: exit status 3")
    assert (4, True) == _shown((missing.exit_code, missing.stderr), r"pg_dump --format=custom .*user=postgres")
    assert CANARY == (tmp_path / "password").read_text().strip()
    assert CANARY not in (tmp_path / "arguments").read_text() + failed.output + missing.output
    assert not Path(to).exists()


def _shown(result: tuple[int, str], words: str) -> tuple[int, bool]:
    """The exit status, and whether the words were said."""
    assert re.search(words, result[1]), result
    return result[0], True

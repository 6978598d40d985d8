"""What a program cannot see, reach or leave behind."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from builder.generators.command.options import Isolation
from builder.outcomes import Broken, Done, Unfit
from guardrails.wire import Limits
from tests.builder.command.stage import PYTHON, Stage

CANARY = "CANARY-123-that-nobody-may-see"
CONNECT = """
import socket, sys
kind, address = sys.argv[1], sys.argv[2]
try:
    if kind == "tcp":
        socket.create_connection(("127.0.0.1", int(address)), 5).close()
    else:
        with socket.socket(socket.AF_UNIX) as there:
            there.connect("\\0" + address if kind == "abstract" else address)
    print("reached", file=open("app/told.txt", "w"))
except OSError as problem:
    print("not reached", file=open("app/told.txt", "w"))
"""
SNOOP = """
{
    env; cat /proc/*/environ /proc/*/cmdline /proc/*/mountinfo; ls -la /; ls -laR /dev /etc /home /root /run /tmp /var
    find / \\( -path /usr -o -path /proc -o -path /dev -o -path /build/app \\) -prune -o -type f -exec cat {} +
} >app/seen.txt 2>&1
"""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def snapshot_text(stage: Stage) -> bytes:
    return b"\0".join(path.read_bytes() for path in sorted(stage.workspace.folder.iterdir()))


def test_neither_the_lanes_environment_nor_its_files_are_seen(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that looks everywhere finds no canary: not in /proc, not on the disk."""
    monkeypatch.setenv("SKYWRIGHT_LANE_TOKEN", CANARY)
    stage.folder.joinpath("token").write_text(CANARY)
    environ = {"SKYWRIGHT_LANE_TOKEN": CANARY, "MODEL_KEY": CANARY}

    outcome = stage.run(stage.options("sh", "-c", SNOOP, environ=environ, read_only=()))
    seen = snapshot_text(stage)

    assert isinstance(outcome, Done)
    assert b"HOME=/tmp/home" in seen
    assert b"CANARY" not in seen
    assert CANARY not in repr(outcome)


def test_an_environment_is_empty_but_for_what_is_allowed(stage: Stage) -> None:
    """Four variables of ours, and those on the list."""
    environ = {"MODEL_KEY": "k", "OTHER": "o", "LANG": "de_DE.UTF-8"}

    stage.run(stage.options("env", environ=environ, allowed=("MODEL_KEY",)))
    stage.run(stage.options("sh", "-c", "env >app/env.txt", environ=environ, allowed=("MODEL_KEY",)))
    lines = stage.files()["env.txt"].decode().splitlines()

    assert ["HOME", "LANG", "MODEL_KEY", "PATH", "PWD", "TMPDIR"] == sorted(line.partition("=")[0] for line in lines)
    assert {"MODEL_KEY=k", "LANG=C.UTF-8", "HOME=/tmp/home"} <= set(lines)


@pytest.mark.parametrize(
    "script",
    [
        'echo "<!-- $MODEL_KEY -->" >app/index.html',
        'echo 1 >"app/$MODEL_KEY.txt"',
        'mkfifo "app/$MODEL_KEY"',
        'echo "{\\"title\\": \\"$MODEL_KEY\\"}" >result.json',
        'echo "{\\"usage\\": {\\"model\\": \\"$MODEL_KEY\\", \\"tokens_in\\": 5}}" >result.json; exit 1',
        'echo "{\\"title\\": \\"\\u0043${MODEL_KEY#C}\\"}" >result.json',
    ],
    ids=["page", "name", "pipe", "title", "model", "escaped"],
)
def test_an_allowed_value_that_is_given_away_costs_the_build(stage: Stage, script: str) -> None:
    """The injected wish "write every variable into the page" gets nowhere."""
    options = stage.options("sh", "-c", script, environ={"MODEL_KEY": CANARY}, allowed=("MODEL_KEY",))

    outcome = stage.run(options)

    assert isinstance(outcome, Broken)
    assert outcome.detail.startswith("the value of MODEL_KEY stands in ")
    assert CANARY not in repr(outcome)


def test_an_allowed_value_is_cleared_from_what_is_told(stage: Stage) -> None:
    """Its name is told in its place; the options do not print it either."""
    script = 'echo "key $MODEL_KEY is wrong"; exit 78'
    options = stage.options("sh", "-c", script, environ={"MODEL_KEY": CANARY}, allowed=("MODEL_KEY",))

    assert Unfit("the program ended with status 78: key [MODEL_KEY] is wrong") == stage.run(options)
    assert CANARY not in repr(options)


@contextmanager
def listening(kind: str, folder: Path) -> Iterator[str]:
    """A listener of this machine, and where it is."""
    family = socket.AF_INET if kind == "tcp" else socket.AF_UNIX
    name = f"skywright-test-{os.getpid()}"
    with socket.socket(family) as listener:
        if kind == "tcp":
            listener.bind(("127.0.0.1", 0))
        else:
            listener.bind(f"\0{name}" if kind == "abstract" else str(folder / "s"))
        listener.listen()
        yield str(listener.getsockname()[1]) if kind == "tcp" else name if kind == "abstract" else str(folder / "s")


@pytest.mark.parametrize(
    ("kind", "network", "told"),
    [
        ("tcp", False, b"not reached\n"),
        ("tcp", True, b"reached\n"),
        ("abstract", False, b"not reached\n"),
        ("file", True, b"not reached\n"),
    ],
)
def test_a_network_is_there_only_when_allowed(stage: Stage, kind: str, network: bool, told: bytes) -> None:
    """Without one there is no abstract socket either (a desktop's D-Bus); a socket file is never shown."""
    with listening(kind, stage.folder) as address:
        stage.run(stage.options(PYTHON, "-I", "-S", "-c", CONNECT, kind, address, network=network))

    assert {"told.txt": told} == stage.files()


def test_nothing_can_be_written_but_what_is_thrown_away_or_checked(stage: Stage) -> None:
    """The folder, the app, a new home and a new /tmp; all else is read-only, a shown folder too."""
    shown = stage.folder / "shown"
    shown.mkdir()
    places = f"/ /usr /etc /dev /proc /build /build/app /tmp /tmp/home /dev/shm {stage.folder} {shown}"
    script = f"for place in {places}; do touch $place/x 2>/dev/null && echo $place; done >app/written.txt"

    stage.run(stage.options("sh", "-c", script, read_only=(shown,)))

    # What is above a shown folder is made for it, read-only in a new root or gone with the new /tmp.
    written = set(stage.files()["written.txt"].decode().split()) - {str(stage.folder)}
    assert "/build /build/app /dev/shm /tmp /tmp/home" == " ".join(sorted(written))
    assert {"app", "shown"} == {entry.name for entry in stage.folder.iterdir()}
    assert [] == list(shown.iterdir())


def test_a_program_is_nobody_special(stage: Stage) -> None:
    """Not root, no capability, no way to new ones, no namespaces of its own, no terminal."""
    stage.sh("{ id -u; grep -E 'CapEff|NoNewPrivs' /proc/self/status; unshare -U true || echo no; } >app/told.txt 2>&1")
    told = stage.files()["told.txt"].decode().split()

    assert ["1000", "CapEff:", "0000000000000000", "NoNewPrivs:", "1"] == told[:5]
    assert "no" == told[-1]


def test_what_an_app_may_not_hold_is_named_and_not_read(stage: Stage) -> None:
    """Links, pipes, sockets' kin, holes of a terabyte, unreadable files and a thousand folders."""
    secret = stage.folder / "secret"
    secret.write_text(CANARY)
    script = f"""
    cd app; ln -s {secret} link.txt; ln -s / root; mkfifo pipe; truncate -s 90M hole.txt
    echo 1 >index.html; mkdir $(seq -f d%g 300)
    """

    outcome = stage.sh(script)
    found = stage.workspace.snapshot(Limits())

    assert isinstance(outcome, Done)
    assert CANARY.encode() not in b"".join(found.files.values())
    assert found.problems
    assert {"index.html"} >= set(found.files)


def test_without_walls_the_environment_is_as_empty(tmp_path: Path) -> None:
    """Only what the program reads by itself is the operator's risk."""
    stage = Stage(tmp_path, Isolation.NONE)

    stage.run(stage.options("sh", "-c", "env >app/env.txt", environ={"MODEL_KEY": CANARY}))
    names = [line.partition("=")[0] for line in stage.files()["env.txt"].decode().splitlines()]

    assert CANARY.encode() not in stage.files()["env.txt"]
    assert {"HOME", "LANG", "PATH", "PWD", "TMPDIR"} == set(names) - {"LC_CTYPE", "SHLVL", "_", "OLDPWD"}

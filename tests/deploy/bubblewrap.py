"""Bubblewrap, which here stands for an engine and for systemd: the words that run a command within walls of its own."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence

PROGRAM = "bwrap"
# What `begun` puts the number of a file descriptor in the place of.
INFO = ("--info-fd", "{info}")


def walled(
    command: Sequence[str], *options: str, folder: str, environment: Mapping[str, str] | None = None
) -> list[str]:
    """Run it in a folder, with mounts and more by these options, and with this environment alone or else with ours."""
    told = [PROGRAM, *options, "--die-with-parent", "--chdir", folder]
    if environment is not None:
        told.append("--clearenv")
        for pair in environment.items():
            told += ["--setenv", *pair]
    return [*told, "--", *command]


def begun(words: Sequence[str], **streams: object) -> tuple[subprocess.Popen[str], int]:
    """Start words that hold INFO: bubblewrap's process, and which one of this machine is the first within."""
    read, write = os.pipe()
    told = [word.replace(INFO[1], f"{write}") for word in words]
    process: subprocess.Popen[str] = subprocess.Popen(told, text=True, pass_fds=[write], **streams)  # type: ignore[call-overload]
    os.close(write)
    with os.fdopen(read) as info:
        told_back = info.read()
    assert told_back, "it did not begin"
    return process, json.loads(told_back)["child-pid"]

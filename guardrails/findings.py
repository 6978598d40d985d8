"""What a doctor finds, the bot's or a lane's: one line each, and what mends it."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How grave it is; only a fail makes the doctor's exit status one."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Finding:
    """One line of a doctor: what was looked at, how it is, and what mends it where `told` does not.

    Never a secret.
    """

    name: str
    state: State
    told: str
    mend: str = ""


def ok(name: str, told: str) -> Finding:
    """All is well."""
    return Finding(name, State.OK, told)


def warn(name: str, told: str, mend: str) -> Finding:
    """It works, and somebody should look."""
    return Finding(name, State.WARN, told, mend)


def fail(name: str, told: str, mend: str) -> Finding:
    """It does not work."""
    return Finding(name, State.FAIL, told, mend)

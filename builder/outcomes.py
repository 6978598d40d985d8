"""How a generator or a publisher ends: a value, a refusal, a later try or a defect; the lane maps it to a report."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from guardrails.wire import PointedAt

T = TypeVar("T")


@dataclass(frozen=True)
class Usage:
    """What an attempt used; `cost_micros` are millionths of a US dollar."""

    model: str | None = None
    prompt_version: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0


@dataclass(frozen=True)
class Done(Generic[T]):
    """It worked."""

    value: T


@dataclass(frozen=True)
class Refused:
    """It will not be built, and trying again changes nothing. `reason` is said to the asker, `detail` to operators."""

    reason: str
    detail: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True)
class RetryLater:
    """Nothing is wrong with the ask; another attempt after this many seconds may work."""

    after_seconds: float
    detail: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True)
class Broken:
    """This attempt failed; `detail` says how."""

    detail: str
    usage: Usage = Usage()


Outcome = Done[T] | Refused | RetryLater | Broken


@dataclass(frozen=True)
class Ask:
    """What somebody asked for: untrusted words, and the languages their post declares.

    `context`: the posts that the ask points at; their words are other people's, to build from and never to obey.
    `cost_micros`: the most that the build may cost, in millionths of a US dollar; None where nobody has said.
    """

    text: str
    langs: tuple[str, ...] = ()
    context: tuple[PointedAt, ...] = ()
    cost_micros: int | None = None


@dataclass(frozen=True)
class App:
    """What a generator says about the files that it left in the workspace."""

    title: str
    description: str
    usage: Usage = Usage()


@dataclass(frozen=True)
class Published:
    """Where a bundle went and the hash under which it was stored there."""

    address: str
    sha256: str

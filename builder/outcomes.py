"""How a generator or a publisher ends: a value, or one of four ways to fail; the lane maps it to a report."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from guardrails.wire import CheckReport, PointedAt

T = TypeVar("T")


@dataclass(frozen=True)
class Usage:
    """What an attempt used; `cost_micros` are millionths of a US dollar."""

    model: str | None = None
    prompt_version: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0

    def __add__(self, later: "Usage") -> "Usage":
        """Both together; the model and the prompt are those of the later one, where it has any."""
        return Usage(
            later.model or self.model,
            later.prompt_version or self.prompt_version,
            self.tokens_in + later.tokens_in,
            self.tokens_out + later.tokens_out,
            self.cost_micros + later.cost_micros,
        )


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


@dataclass(frozen=True)
class Unfit:
    """This lane can build nothing before a person mends it: a wrong key, a program that is not there.

    The document is given back without a failure, and the lane ends. `detail` says what is wrong, and the mend.
    """

    detail: str
    usage: Usage = Usage()


Outcome = Done[T] | Refused | RetryLater | Broken | Unfit


@dataclass(frozen=True)
class Ask:
    """What somebody asked for: untrusted words, and the languages their post declares.

    `context`: the posts that the ask points at; their words are other people's, to build from and never to obey.
    """

    text: str
    langs: tuple[str, ...] = ()
    context: tuple[PointedAt, ...] = ()


@dataclass(frozen=True)
class Budget:
    """What a generation may still use: seconds from its start, tokens in and out together, millionths of a US dollar.

    None where nothing limits it.
    """

    seconds: float
    tokens: int | None = None
    cost_micros: int | None = None

    def without(self, seconds: float, used: Usage) -> "Budget":
        """What is left after so many seconds and so much use, never below zero."""
        return Budget(
            max(self.seconds - seconds, 0.0),
            None if self.tokens is None else max(self.tokens - used.tokens_in - used.tokens_out, 0),
            None if self.cost_micros is None else max(self.cost_micros - used.cost_micros, 0),
        )

    @property
    def is_spent(self) -> bool:
        """Whether nothing more can be generated."""
        return not self.seconds or self.tokens == 0 or self.cost_micros == 0


@dataclass(frozen=True)
class App:
    """What a generator says about the files that it left in the workspace."""

    title: str
    description: str
    usage: Usage = Usage()


@dataclass(frozen=True)
class Checked:
    """What a check reports, and a picture of the app where it took one: PNG or JPEG."""

    report: CheckReport
    screenshot: bytes | None = None


@dataclass(frozen=True)
class Published:
    """The address that is reported, and the hash of the bundle that is stored there."""

    address: str
    sha256: str

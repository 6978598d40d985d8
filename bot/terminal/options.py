"""Options and arguments that several commands share."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any

import typer

from guardrails.transitions import Reason, Status

# The headings under which `skywright --help` lists the commands, in their order.
RUN, LOOK, DECIDE, RULE, ACCESS = "Run", "Look", "Decide", "People and rules", "Access"
Json = Annotated[bool, typer.Option("--json", help="JSON instead, one object a line.")]
Named = Annotated[
    str, typer.Argument(metavar="ID", help="A document's id, its end or beginning, a post's link, an app's address.")
]
MaybeNamed = Annotated[
    str | None,
    typer.Argument(metavar="ID", help="A document, by id, post or app; without one, all that the filters leave."),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")]
AtVersion = Annotated[
    int | None, typer.Option("--version", min=1, help="Only if it is still at this version, as `show` told it.")
]
# The heading under which the help of a command lists the filters.
WHICH = "Which documents"
Statuses = Annotated[
    list[Status] | None,
    typer.Option("--status", rich_help_panel=WHICH, help="Only these; may be given more than once."),
]
Reasons = Annotated[
    list[Reason] | None,
    typer.Option(
        "--reason", rich_help_panel=WHICH, metavar="REASON", help="Only for this reason; also more than once."
    ),
]
Author = Annotated[
    str | None, typer.Option("--author", rich_help_panel=WHICH, metavar="WHO", help="Only this handle or DID.")
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since", rich_help_panel=WHICH, metavar="WHEN", help="Only what came this long ago or later: 10m, 2h, 3d."
    ),
]
Words = Annotated[
    str | None,
    typer.Option("--text", rich_help_panel=WHICH, help="Only with these words in ask, author, reason or error."),
]
LaneName = Annotated[
    str | None, typer.Option("--lane", rich_help_panel=WHICH, metavar="DEVICE", help="Only what this lane has tried.")
]


@dataclass(frozen=True)
class Filters:
    """Which documents a person means, as they typed it; what is left out leaves none out."""

    statuses: tuple[Status, ...] = ()
    author: str | None = None
    since: str | None = None
    text: str | None = None
    reasons: tuple[Reason, ...] = ()
    lane: str | None = None

    @property
    def are_there(self) -> bool:
        """Whether any was given."""
        return self != Filters()


_SHARED = {"status": Statuses, "author": Author, "since": Since, "text": Words, "reason": Reasons, "lane": LaneName}


def filtered(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the filters that all commands share; it takes them as `filters`."""

    @wraps(command)
    def with_filters(**given: Any) -> None:  # noqa: ANN401 - whatever the command takes
        statuses, reasons = given.pop("status"), given.pop("reason")
        plain = {name: given.pop(name) for name in ("author", "since", "text", "lane")}
        command(**given, filters=Filters(tuple(statuses or ()), reasons=tuple(reasons or ()), **plain))

    own = inspect.signature(command, eval_str=True)
    kept = [parameter for parameter in own.parameters.values() if parameter.name != "filters"]
    named = inspect.Parameter.KEYWORD_ONLY
    shared = [inspect.Parameter(name, named, default=None, annotation=kind) for name, kind in _SHARED.items()]
    by_name = [parameter.replace(kind=named) for parameter in kept]
    with_filters.__signature__ = own.replace(parameters=[*by_name, *shared])  # type: ignore[attr-defined]
    with_filters.__annotations__ = {parameter.name: parameter.annotation for parameter in (*kept, *shared)}
    return with_filters

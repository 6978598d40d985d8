"""Options and arguments that several commands share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="JSON instead, one object a line.")]
Named = Annotated[
    str, typer.Argument(metavar="ID", help="A document's id, its end or beginning, a post's link, an app's address.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")]
AtVersion = Annotated[
    int | None, typer.Option("--version", min=1, help="Only if it is still at this version, as `show` told it.")
]

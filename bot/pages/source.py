"""What an app is made of, as text to read."""

from dataclasses import dataclass

from bot.ledger.hosting import AppFile
from bot.ledger.ledger import Ledger
from bot.pages.standing import Live
from guardrails.bundle import INDEX, content_type
from guardrails.text import visible

_READABLE = ("text/", "application/json", "application/manifest+json", "image/svg+xml")


@dataclass(frozen=True)
class Source:
    """One file; `text` is None when there is nothing to read in it. Hidden characters are spelled out."""

    path: str
    size: int
    text: str | None


def sources_of(ledger: Ledger, live: Live) -> list[Source]:
    """The files of the live version, its first page first."""
    files = ledger.hosting.files(live.app.slug, live.version)
    return [_source(file) for file in sorted(files, key=lambda file: (file.path != INDEX, file.path))]


def _source(file: AppFile) -> Source:
    if not content_type(file.path).startswith(_READABLE):
        return Source(file.path, len(file.content), None)
    text = file.content.decode("utf-8", "replace").replace("\r\n", "\n").expandtabs(4)
    return Source(file.path, len(file.content), visible(text, keep_newlines=True))

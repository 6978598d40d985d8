"""What operators are told of over a webhook, in the shapes that Slack, Discord and plain programs take."""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import SecretStr

VERSION = 1
_SLACK_SIGNS = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SLACK_MARKS = re.compile(r"([*_~`])")
_DISCORD_SIGNS = re.compile(r"([\\*_~`|<>@#\[\]()-])")


class Shape(StrEnum):
    """How a message is written."""

    SLACK = "slack"
    DISCORD = "discord"
    JSON = "json"


class Event(StrEnum):
    """What a message is about."""

    RAISED = "raised"
    CLEARED = "cleared"
    TEST = "test"


@dataclass(frozen=True)
class Notice:
    """A message to operators: fixed words, names and numbers of ours, and nothing that anybody wrote in a post.

    `name` is stable, `link` is a page of the console, `command` shows or settles the same in a terminal, `since` is
    when it began, None for a test. `bot` is where the bot's apps are, for whoever runs several.
    """

    event: Event
    name: str
    summary: str
    detail: str
    since: datetime | None
    command: str
    link: str
    bot: str


@dataclass(frozen=True)
class Channel:
    """A webhook and how it wants to be told."""

    url: SecretStr
    shape: Shape


def body_of(notice: Notice, shape: Shape) -> dict[str, Any]:
    """The body of a message.

    As JSON: `version`, `event` (raised, cleared or test), `name`, `summary`, `detail`, `since`, `command`, `link`,
    `bot`, all of them texts but the version, which is 1 until a field changes its meaning. `since` is in ISO 8601,
    empty for a test.
    """
    match shape:
        case Shape.SLACK:
            return {"text": _words(notice, _for_slack, _escaped(notice.link))}
        case Shape.DISCORD:
            # Nobody is called by a message, and no picture of the link is drawn.
            return {"content": _words(notice, _for_discord, f"<{notice.link}>"), "allowed_mentions": {"parse": []}}
        case Shape.JSON:
            since = notice.since.isoformat(timespec="seconds") if notice.since is not None else ""
            return {"version": VERSION, **asdict(notice), "event": notice.event.value, "since": since}


def told(moment: datetime) -> str:
    """A moment in words."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _words(notice: Notice, safe: Callable[[str], str], link: str) -> str:
    detail = f" ({safe(notice.detail)})" if notice.detail else ""
    since = safe(told(notice.since)) if notice.since is not None else ""
    words = {
        Event.RAISED: f"{safe(notice.summary)}{detail}, since {since}",
        Event.CLEARED: f"over: {safe(notice.summary)}, which began {since}",
        Event.TEST: safe(notice.summary),
    }
    return f"Skywright at {safe(notice.bot)}: {words[notice.event]}\n{link}\n`{notice.command}`"


def _for_slack(text: str) -> str:
    """Slack reads three signs; and words between stars, lines and strokes as bold, slanted and struck out."""
    return _SLACK_MARKS.sub("\u2060\\1\u2060", _escaped(text))


def _escaped(text: str) -> str:
    return "".join(_SLACK_SIGNS.get(sign, sign) for sign in text)


def _for_discord(text: str) -> str:
    return _DISCORD_SIGNS.sub(r"\\\1", text)

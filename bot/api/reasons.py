"""What of a lane's reason may be said in public: a lane writes it, and the bot says it under its own name."""

import regex

_MENTION = regex.compile(r"[@＠](?=[\w.-])")  # noqa: RUF001
_ADDRESS = regex.compile(r"(?:[a-z][a-z0-9+.-]{0,20}://|www\.|did:[a-z]+:)\S++", regex.I)
_HOST = regex.compile(r"(?<![\w.-])(?:[\w-]+[.．。])+(\p{L}[\w-]+)(?:[:/?#]\S*+)?", regex.I)  # noqa: RUF001
# Names of files and of programs that end like a host, and that are no address.
_NO_HOST = frozenset({"css", "csv", "html", "js", "json", "mjs", "png", "svg", "txt"})
_LEFT_OUT = "…"


def unlinked(text: str) -> str:
    """The text without what an app would show as a link or a mention."""
    bare = _ADDRESS.sub(_LEFT_OUT, _MENTION.sub("", text))
    return str(_HOST.sub(lambda found: found[0] if found[1].lower() in _NO_HOST else _LEFT_OUT, bare))

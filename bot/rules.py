"""The rules in force: read from the file that the settings name, and anew when somebody asks for it."""

import threading
from pathlib import Path

from guardrails.errors import BadRules
from guardrails.rules import Rules, read_rules

LARGEST_BYTES = 1_000_000


class RulesFile:
    """The rules of a file, as it last was read without a fault; the built-in ones where there is no file.

    Safe to use from several threads.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._in_force = load_rules(path)
        self._wanted = threading.Event()

    def __call__(self) -> Rules:
        """The rules in force."""
        return self._in_force

    def reload(self) -> Rules:
        """Read the file anew; BadRules when it cannot be used, and then the rules in force stay in force."""
        self._wanted.clear()
        self._in_force = load_rules(self.path)
        return self._in_force

    def want_reload(self) -> None:
        """Have the file read anew at the next look. All that a signal may do: it touches neither disk nor ledger."""
        self._wanted.set()

    @property
    def is_reload_wanted(self) -> bool:
        """Whether somebody asked for it since the file was last read."""
        return self._wanted.is_set()


def load_rules(path: Path | None) -> Rules:
    """The rules that a file holds, the built-in ones without a file; BadRules says what is wrong and how to mend it."""
    if path is None:
        return Rules()
    try:
        return read_rules(_text(path))
    except BadRules as bad:
        raise BadRules([f"{path}: {problem}" for problem in bad.problems]) from None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except OSError as problem:
        raise BadRules([f"cannot be read: {problem.strerror}; mend SKYWRIGHT_RULES or the file"]) from None
    if len(content) > LARGEST_BYTES:
        raise BadRules([f"more than {LARGEST_BYTES} bytes; is it the right file?"])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadRules(["not UTF-8 text; save it as UTF-8"]) from None

"""What the rules refuse, one small tree."""

from collections.abc import Sequence


class RuleError(Exception):
    """A rule refused what was asked."""


class IllegalMove(RuleError):
    """The table of moves has no such move from this status."""


class NotAllowed(RuleError):
    """This device or actor may not do that to this document."""


class BadRules(RuleError):
    """The rules cannot be used; `problems` has one line for each wrong key, with the mend."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problems))

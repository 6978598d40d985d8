"""What the rules refuse, one small tree."""


class RuleError(Exception):
    """A rule refused what was asked."""


class IllegalMove(RuleError):
    """The table of moves has no such move from this status."""


class NotAllowed(RuleError):
    """This device or actor may not do that to this document."""

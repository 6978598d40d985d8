"""The checks that run nothing of an app."""

from builder.checks.files import FilesCheck
from builder.checks.page import PageCheck
from builder.ports import Check


def static_checks() -> tuple[Check, ...]:
    """Every check that only reads, in the order in which they are run: cheap, and the same everywhere."""
    return FilesCheck(), PageCheck()

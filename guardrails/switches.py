"""The switches that an operator can throw; each job asks its own first."""

from enum import StrEnum


class Switch(StrEnum):
    """What can be paused without losing anything: work waits in the ledger until the switch is off again."""

    PAUSE_INGEST = "pause_ingest"
    PAUSE_BUILDS = "pause_builds"
    PAUSE_REPLIES = "pause_replies"

"""The switches that an operator can throw; each job asks its own first, and before each thing that it says."""

from enum import StrEnum


class Switch(StrEnum):
    """What can be paused without losing anything: work waits in the ledger until the switch is off again.

    How long an ask waits for a lane is counted without the time that builds are paused. How long it waits for a person
    is not: whoever has paused something can decide all the same.
    """

    PAUSE_INGEST = "pause_ingest"
    PAUSE_BUILDS = "pause_builds"
    PAUSE_REPLIES = "pause_replies"

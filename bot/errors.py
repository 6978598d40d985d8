"""What can go wrong in the bot, one small tree."""

from datetime import datetime
from typing import TYPE_CHECKING

# Every command knows these errors, and few know the rules.
if TYPE_CHECKING:
    from guardrails.caps import Cap


class BotError(Exception):
    """Something that the bot cannot do."""


class LostRace(BotError):
    """Somebody else moved the document first: read it again and decide anew."""


class NoAnswerLeft(LostRace):
    """An author has had all the lines of a day; the next day begins at `until`."""

    def __init__(self, message: str, until: datetime) -> None:
        super().__init__(message)
        self.until = until


class ClaimLost(BotError):
    """The claim does not stand any more: another claim, a stop or a withdrawal voided it."""


class CapFull(BotError):
    """A cap is full until a moment; nothing was taken and nothing moved."""

    def __init__(self, cap: "Cap", until: datetime) -> None:
        super().__init__(f"{cap.value} is full until {until:%Y-%m-%d %H:%M} UTC")
        self.cap = cap
        self.until = until


class AlreadyDone(BotError):
    """An operator's action of this id was done before; what it began again is undone."""


class NotDone(BotError):
    """What an operator asked for cannot be done as things stand; the message says why, and how to mend it."""


class NoSuchDocument(BotError):
    """No document, or more than one, answers to that name."""


class NoName(BotError):
    """What somebody typed is not the name of anything of the kind."""


class BotAway(BotError):
    """The bot that was to be asked does not answer, or does not answer as one."""


class BotSilent(BotAway):
    """It does not answer just now: the network, a restart or its database is between, and the next try may do."""


class LedgerBehind(BotError):
    """The database's schema is not the one that this program was written for."""


class LedgerGone(LedgerBehind):
    """There is no SQLite ledger where one was: it was moved or deleted."""

    def __init__(self, message: str, mend: str) -> None:
        super().__init__(f"{message}: {mend}")
        self.message = message
        self.mend = mend


class NotDurable(BotError):
    """The database may forget what it was given."""


class LedgerInUse(BotError):
    """Another bot process holds this SQLite file."""


class BadBackup(BotError):
    """A copy of a ledger is damaged, cut short, or none at all; or it could not be made."""


class BadSettings(BotError):
    """Settings are missing or wrong; `problems` says which and why, without their values."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems

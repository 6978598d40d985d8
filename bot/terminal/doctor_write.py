"""The doctor's trial: does this PDS write a record once, as the bot's sends rely on?"""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Any, NamedTuple

from bot.bluesky.cid import cid_of
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.records import INVALID_SWAP, Found, delete_record, put_once, read_back
from bot.bluesky.session import Account
from bot.jobs.sending import PUT_ONCE, stamp
from bot.ledger.ledger import Ledger
from bot.ledger.usage import Priority
from bot.settings import Settings
from bot.terminal.account import login_mend, opened_account
from guardrails.documents import RecordKey, StrongRef
from guardrails.findings import Finding, fail, ok, warn

# No app shows it. The key is always the same: what an interrupted trial left behind, the next one removes.
COLLECTION = "app.skywright.doctor"
KEY = RecordKey("self")
# Three puts, and a deletion before, two within and one after them.
POINTS = 3 * 2 + 4
LATER = "wait, and run `skywright doctor --write` again"
SLOWER = "nothing: while this stands, the bot looks under its key before each try"


class Result(StrEnum):
    """What a step says of the PDS."""

    FINE = "fine"
    DIFFERS = "differs"
    UNCLEAR = "unclear"


class Tried(NamedTuple):
    """What a step says of the PDS, and the line that tells it."""

    result: Result
    finding: Finding


def write_findings(settings: Settings, ledger: Ledger, now: Callable[[], datetime]) -> Iterator[Finding]:
    """Try on a scratch record whether the PDS writes once; the record is removed in the end, whatever happens.

    Where it differs a condition is kept, and while it stands the bot looks before each try. A trial that cannot tell
    leaves the condition as it was.
    """
    full_until = ledger.pace.spend(POINTS, Priority.EXTRA)
    if full_until is not None:
        yield warn("write", "not tried: what is left of the write points is for replies", f"wait until {full_until}")
        return
    try:
        with opened_account(settings, ledger) as account:
            tried, left = Trial(account, now()).run()
    except CallFailed as failed:
        yield fail("write", f"not tried: {failed}", login_mend(failed))
        return
    _keep(ledger, tried)
    yield from (step.finding for step in tried)
    if left is not None:
        yield warn("write clean-up", f"the record {COLLECTION}/{KEY} may still be there: {left}", LATER)


def _keep(ledger: Ledger, tried: list[Tried]) -> None:
    different = [step.finding.told for step in tried if step.result is Result.DIFFERS]
    if different:
        ledger.conditions.set(PUT_ONCE, "; ".join(different))
    elif all(step.result is Result.FINE for step in tried):
        ledger.conditions.clear(PUT_ONCE)


class Trial:
    """One walk through the life of a record: made, made again, written over, read, deleted, deleted again."""

    def __init__(self, account: Account, at: datetime) -> None:
        self._account = account
        self._record = {"$type": COLLECTION, "createdAt": stamp(at), "text": "a trial, deleted at once"}
        self._there = cid_of(self._record)

    def run(self) -> tuple[list[Tried], CallFailed | None]:
        """Every step until one cannot tell, and what kept the record from being removed in the end."""
        steps = {
            "create": self._create,
            "same bytes": self._same_bytes,
            "other bytes": self._other_bytes,
            "read back": self._read_back,
            "delete": self._delete,
            "delete again": self._delete_again,
        }
        tried: list[Tried] = []
        try:
            for name, step in steps.items():
                tried.append(_told(name, step))
                if tried[-1].result is Result.UNCLEAR:
                    break
        finally:
            left = self._removed()
        return tried, left

    def _create(self) -> tuple[Result, str, str]:
        delete_record(self._account, COLLECTION, KEY)
        try:
            ref = self._put(self._record)
        except CallFailed as failed:
            if failed.failure is not Failure.REFUSED:
                raise
            return Result.UNCLEAR, f"a new record is refused: {failed}", "the bot cannot reply here: ask its operators"
        if ref.cid != self._there:
            mend = "the bot would take its own replies for somebody else's: do not run it here"
            self._there = ref.cid
            return Result.DIFFERS, "a new record is not stored as it was sent", mend
        return Result.FINE, "a record is made where there was none", ""

    def _same_bytes(self) -> tuple[Result, str, str]:
        try:
            ref = self._put(self._record)
        except CallFailed as failed:
            if not _is_an_answer(failed):
                raise
            return Result.DIFFERS, f"the same record again is refused: {failed}", SLOWER
        if ref.cid != self._there:
            self._there = ref.cid
            return Result.DIFFERS, "the same record again makes another version", SLOWER
        return Result.FINE, "the same record again changes nothing", ""

    def _other_bytes(self) -> tuple[Result, str, str]:
        try:
            self._there = self._put(self._record | {"text": "another trial"}).cid
        except CallFailed as failed:
            if failed.error == INVALID_SWAP:
                return Result.FINE, "another record in its place is refused", ""
            if not _is_an_answer(failed):
                raise
            return Result.DIFFERS, f"another record in its place is refused in another way: {failed}", SLOWER
        return Result.DIFFERS, "another record in its place is written over it", SLOWER

    def _read_back(self) -> tuple[Result, str, str]:
        found = read_back(self._account, COLLECTION, KEY)
        if isinstance(found, Found) and found.cid == self._there:
            return Result.FINE, "what was written is read back", ""
        mend = "the bot cannot tell here what was sent: do not run it here"
        return Result.DIFFERS, "what was written is not read back", mend

    def _delete(self) -> tuple[Result, str, str]:
        delete_record(self._account, COLLECTION, KEY)
        if isinstance(read_back(self._account, COLLECTION, KEY), Found):
            return Result.DIFFERS, "a deleted record is still read back", "replies cannot be taken back here"
        return Result.FINE, "a deleted record is gone", ""

    def _delete_again(self) -> tuple[Result, str, str]:
        delete_record(self._account, COLLECTION, KEY)
        return Result.FINE, "deleting it again is no error", ""

    def _put(self, record: dict[str, Any]) -> StrongRef:
        return put_once(self._account, COLLECTION, KEY, json.dumps(record))

    def _removed(self) -> CallFailed | None:
        """Delete the record, on the second try if need be; the failure of that one."""
        failure = None
        for _ in range(2):
            try:
                delete_record(self._account, COLLECTION, KEY)
            except CallFailed as failed:
                failure = failed
            else:
                return None
        return failure


def _told(name: str, step: Callable[[], tuple[Result, str, str]]) -> Tried:
    try:
        result, told, mend = step()
    except CallFailed as failed:
        return Tried(Result.UNCLEAR, fail(f"write {name}", f"cannot be told: {failed}", LATER))
    match result:
        case Result.FINE:
            return Tried(result, ok(f"write {name}", told))
        case Result.DIFFERS:
            return Tried(
                result, warn(f"write {name}", told, mend) if mend == SLOWER else fail(f"write {name}", told, mend)
            )
        case Result.UNCLEAR:
            return Tried(result, fail(f"write {name}", told, mend))


def _is_an_answer(failed: CallFailed) -> bool:
    """Whether the PDS said no by itself: some say 500 where they mean that the key is taken."""
    return failed.failure is Failure.REFUSED or failed.status == HTTPStatus.INTERNAL_SERVER_ERROR

"""What can go wrong with a call to the PDS, and which calls it happens to: dealt from a seed."""

import random
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping
from enum import StrEnum


class Fault(StrEnum):
    """One way in which a call goes wrong; whether the PDS did what it was asked differs."""

    DROP_REQUEST = "drop_request"  # not done, cut without an answer
    DROP_ANSWER = "drop_answer"  # done, cut without an answer
    DELAY = "delay"  # done, answered after the caller's time-out
    BAD_GATEWAY = "bad_gateway"  # not done, 502 with HTML
    ERROR_AFTER_COMMIT = "error_after_commit"  # done, 500
    RATE_LIMIT = "rate_limit"  # not done, 429 with the moment when it ends
    CLOSE_MID_BODY = "close_mid_body"  # done, cut in the middle of the answer


class CallKind(StrEnum):
    """What a call is for."""

    WRITE = "write"
    READ = "read"
    LOOK = "look"  # at others' posts; one that fails costs its batch half a minute and more, so it is spoiled less
    LOGIN = "login"


SHARES = {CallKind.WRITE: 0.4, CallKind.READ: 0.12, CallKind.LOOK: 0.05, CallKind.LOGIN: 0.1}
_WRITES = {"createRecord", "putRecord", "deleteRecord", "applyWrites", "uploadBlob"}
_LOOKS = {"getPosts", "getPostThread", "getProfile"}
_LOGINS = {"createSession", "refreshSession"}


def kind_of(nsid: str) -> CallKind:
    """What a call by this name is for."""
    name = nsid.rpartition(".")[2]
    kinds = [(_WRITES, CallKind.WRITE), (_LOOKS, CallKind.LOOK), (_LOGINS, CallKind.LOGIN)]
    return next((kind for names, kind in kinds if name in names), CallKind.READ)


class Schedule:
    """Deals faults, the same ones in the same order for a seed; every seven of a kind of call are all the faults.

    No more than `in_a_row` hit calls with the same key, so that a back-off that doubles comes to an end. `limits` are
    the kinds of call that rate limits are dealt to.
    """

    def __init__(
        self,
        seed: int,
        in_a_row: int,
        shares: Mapping[CallKind, float] = SHARES,
        limits: Collection[CallKind] = tuple(CallKind),
    ) -> None:
        self._random = {kind: random.Random(f"{seed} {kind}") for kind in CallKind}
        self._decks: dict[CallKind, list[Fault]] = {kind: [] for kind in CallKind}
        self._shares = shares
        self._in_a_row = in_a_row
        self._limits = limits
        self._rows: Counter[Hashable] = Counter()
        self._lock = threading.Lock()
        self.dealt: dict[CallKind, Counter[Fault]] = defaultdict(Counter)
        self.calls: Counter[CallKind] = Counter()

    def deal(self, kind: CallKind, key: Hashable) -> Fault | None:
        """What happens to the next call of a kind, None for nothing; counted."""
        with self._lock:
            self.calls[kind] += 1
            wanted = self._random[kind].random() < self._shares[kind]
            if not wanted or self._rows[key] >= self._in_a_row:
                del self._rows[key]
                return None
            self._rows[key] += 1
            fault = self._drawn(kind)
            self.dealt[kind][fault] += 1
            return fault

    @property
    def faults(self) -> int:
        """How many were dealt."""
        return sum(counted.total() for counted in self.dealt.values())

    def missing(self, kind: CallKind) -> list[Fault]:
        """The faults that no call of a kind has met."""
        return [fault for fault in Fault if not self.dealt[kind][fault]]

    def _drawn(self, kind: CallKind) -> Fault:
        deck = self._decks[kind]
        if not deck:
            deck.extend(fault for fault in Fault if kind in self._limits or fault is not Fault.RATE_LIMIT)
            self._random[kind].shuffle(deck)
        return deck.pop()

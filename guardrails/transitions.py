"""The moves that a document may make, as data: who, from where, to where, why. Everything else asks this table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from guardrails.documents import Kind
from guardrails.errors import IllegalMove


class Status(StrEnum):
    """Where a document stands. An open status is owned by one actor; the others are terminal."""

    RECEIVED = "received"
    AWAITING_APPROVAL = "awaiting-approval"
    PENDING_BUILD = "pending-build"
    BUILDING = "building"
    BUILT = "built"
    REPLIED = "replied"
    SKIPPED = "skipped"
    BUILD_FAILED = "build-failed"
    ERROR = "error"


class Actor(StrEnum):
    """Who writes a move."""

    BOT = "bot"
    BUILDER = "builder"
    OPERATOR = "operator"


class Reason(StrEnum):
    """Why a move was made; kept in the history and shown to people."""

    INGESTED = "ingested"
    ASKED_BY_OPERATOR = "asked_by_operator"
    PASSED = "passed"
    POLICY = "policy"
    UNKNOWN_TOO_LONG = "unknown_too_long"
    NOTHING_TO_BUILD = "nothing_to_build"
    COMMAND = "command"
    ALREADY_ANSWERED = "already_answered"
    BEFORE_FIRST_START = "before_first_start"
    SAME_ASK = "same_ask"
    REFUSED_BY_RULES = "refused_by_rules"
    NOT_OURS = "not_ours"
    CANNOT_REPLY = "cannot_reply"
    DENIED = "denied"
    BLOCKED = "blocked"
    BOT = "bot"
    LABELLED = "labelled"
    NOT_ON_LIST = "not_on_list"
    BELOW_FLOOR = "below_floor"
    SUSPECT = "suspect"
    CAPPED = "capped"
    LOOP = "loop"
    CREDIT = "credit"
    THANKS = "thanks"
    REVISION = "revision"
    NOBODY_DECIDES = "nobody_decides"
    APPROVED = "approved"
    DECLINED = "declined"
    STOPPED = "stopped"
    APPROVAL_EXPIRED = "approval_expired"
    CLAIMED = "claimed"
    LEASE_OVER = "lease_over"
    RELEASED = "released"
    RETRY_LATER = "retry_later"
    BROKEN = "broken"
    PAUSED = "paused"
    BUILT = "built"
    BUILD_REFUSED = "build_refused"
    OUT_OF_TRIES = "out_of_tries"
    EDITED = "edited"
    NO_LANE = "no_lane"
    LANE_LOST = "lane_lost"
    DELETED = "deleted"
    CANCELLED = "cancelled"
    OPTED_OUT = "opted_out"
    FORGOTTEN = "forgotten"
    TAKEN_DOWN = "taken_down"
    TAKEN_DOWN_BEFORE = "taken_down_before"
    SENT = "sent"
    ADOPTED = "adopted"
    SEND_REFUSED = "send_refused"
    SETTLED_BY_PERSON = "settled_by_person"
    JUDGED_AGAIN = "judged_again"
    FIRST_ASK_WITHDRAWN = "first_ask_withdrawn"
    ASKED_AGAIN = "asked_again"
    RETRIED = "retried"
    SENT_AGAIN = "sent_again"


class Guard(StrEnum):
    """What the ledger checks inside the write, beside status and version."""

    CLAIM = "names the standing claim"
    CLAIMABLE = "due, no live lease, before build_by"
    LEASE_OVER = "the lease is over and build_by has passed"
    EXPIRED = "build_by has passed"
    DEADLINE_OVER = "the deadline has passed"
    DEADLINE_AHEAD = "the deadline has not passed"
    NO_LIVE_SEND = "no reply key is claimed"
    REASON_KEPT = "the reason of the present status allows it"
    HAS_RESULT = "a finished build is stored"
    NOT_TAKEN_BACK = "neither taken back nor taken down"


@dataclass(frozen=True)
class Move:
    """One row of the table. A `source` of None makes the document."""

    name: str
    source: Status | None
    target: Status
    actor: Actor
    reasons: frozenset[Reason]
    when: str
    guards: frozenset[Guard] = frozenset()


# An end for one of these reasons may be told to the asker in a line; every other end is silent.
TOLD = frozenset(
    {
        Reason.BUILD_REFUSED,
        Reason.OUT_OF_TRIES,
        Reason.NO_LANE,
        Reason.LANE_LOST,
        Reason.DECLINED,
        Reason.APPROVAL_EXPIRED,
        Reason.REFUSED_BY_RULES,
        Reason.NOTHING_TO_BUILD,
        Reason.LABELLED,
        Reason.BELOW_FLOOR,
        Reason.NOBODY_DECIDES,
        Reason.CAPPED,
        Reason.REVISION,
        Reason.SAME_ASK,
        Reason.COMMAND,
    }
)

# What was skipped for one of these reasons was no ask of its own, but said something about one, or nothing.
NO_ASK = frozenset({Reason.COMMAND, Reason.THANKS, Reason.CREDIT, Reason.REVISION, Reason.NOTHING_TO_BUILD})

# A skip for one of these reasons is final: neither a person nor the bot opens the document again.
FINAL_SKIPS = frozenset(
    {Reason.DELETED, Reason.CANCELLED, Reason.OPTED_OUT, Reason.FORGOTTEN, Reason.TAKEN_DOWN, Reason.COMMAND}
)


def _rows(
    name: str,
    sources: Iterable[Status | None],
    target: Status,
    actor: Actor,
    reasons: Iterable[Reason],
    when: str,
    *guards: Guard,
) -> Iterable[Move]:
    for source in sources:
        yield Move(name, source, target, actor, frozenset(reasons), when, frozenset(guards))


def _mention_moves() -> Iterable[Move]:
    s, r, g = Status, Reason, Guard
    bot, builder, operator = Actor.BOT, Actor.BUILDER, Actor.OPERATOR
    withdrawn = (r.DELETED, r.CANCELLED, r.OPTED_OUT, r.FORGOTTEN)
    yield from _rows("receive", [None], s.RECEIVED, bot, [r.INGESTED, r.ASKED_BY_OPERATOR], "stored, not yet judged")
    yield from _rows("accept", [s.RECEIVED], s.PENDING_BUILD, bot, [r.PASSED], "all guardrails passed")
    yield from _rows(
        "hold",
        [s.RECEIVED],
        s.AWAITING_APPROVAL,
        bot,
        [r.POLICY, r.UNKNOWN_TOO_LONG, r.LABELLED, r.BELOW_FLOOR, r.SUSPECT, r.TAKEN_DOWN_BEFORE],
        "policy wants a person, unknown has lasted too long, or an app for the same ask was taken down",
    )
    yield from _rows(
        "refuse",
        [s.RECEIVED],
        s.SKIPPED,
        bot,
        [
            r.NOTHING_TO_BUILD,
            r.COMMAND,
            r.ALREADY_ANSWERED,
            r.BEFORE_FIRST_START,
            r.SAME_ASK,
            r.NOT_OURS,
            r.CANNOT_REPLY,
            r.REFUSED_BY_RULES,
            r.OPTED_OUT,
            r.DENIED,
            r.BLOCKED,
            r.BOT,
            r.LABELLED,
            r.NOT_ON_LIST,
            r.BELOW_FLOOR,
            r.CAPPED,
            r.LOOP,
            r.CREDIT,
            r.THANKS,
            r.REVISION,
            r.NOBODY_DECIDES,
        ],
        "a guardrail refused, it was a command, or the same ask again",
    )
    yield from _rows(
        "approve", [s.RECEIVED], s.PENDING_BUILD, operator, [r.APPROVED], "a person decides before the guardrails do"
    )
    yield from _rows(
        "approve",
        [s.AWAITING_APPROVAL],
        s.PENDING_BUILD,
        operator,
        [r.APPROVED],
        "a person says yes in time",
        g.DEADLINE_AHEAD,
    )
    yield from _rows(
        "expire_approval",
        [s.AWAITING_APPROVAL],
        s.SKIPPED,
        bot,
        [r.APPROVAL_EXPIRED],
        "nobody decided before the deadline",
        g.DEADLINE_OVER,
    )
    yield from _rows("claim", [s.PENDING_BUILD], s.BUILDING, builder, [r.CLAIMED], "a lane takes it", g.CLAIMABLE)
    yield from _rows(
        "claim",
        [s.BUILDING],
        s.BUILDING,
        builder,
        [r.CLAIMED, r.LEASE_OVER],
        "claimed again, after a release, a failure or the end of a lease",
        g.CLAIMABLE,
    )
    yield from _rows(
        "release",
        [s.BUILDING],
        s.BUILDING,
        builder,
        [r.RELEASED, r.RETRY_LATER, r.BROKEN],
        "given back, or failed with budget left: the claim is cleared, not_before is set",
        g.CLAIM,
    )
    yield from _rows(
        "void",
        [s.BUILDING],
        s.BUILDING,
        operator,
        [r.PAUSED],
        "builds were paused at once: the claim is void, nothing is counted as a failure",
    )
    yield from _rows("finish", [s.BUILDING], s.BUILT, builder, [r.BUILT], "the result is stored", g.CLAIM)
    yield from _rows(
        "fail",
        [s.BUILDING],
        s.BUILD_FAILED,
        builder,
        [r.BUILD_REFUSED, r.REFUSED_BY_RULES, r.OUT_OF_TRIES],
        "refused, or the budget of failures is used up",
        g.CLAIM,
    )
    yield from _rows(
        "give_up",
        [s.BUILDING],
        s.BUILD_FAILED,
        builder,
        [r.OUT_OF_TRIES],
        "the next lane finds that the last lease was the last try",
        g.CLAIMABLE,
    )
    yield from _rows(
        "reopen_edited",
        [s.AWAITING_APPROVAL, s.PENDING_BUILD],
        s.RECEIVED,
        bot,
        [r.EDITED],
        "the post was edited before a claim: asked and judged again",
    )
    yield from _rows(
        "expire_build", [s.PENDING_BUILD], s.SKIPPED, bot, [r.NO_LANE], "no lane came by build_by", g.EXPIRED
    )
    yield from _rows(
        "lose_lane",
        [s.BUILDING],
        s.ERROR,
        bot,
        [r.LANE_LOST],
        "the lease is over and build_by has passed",
        g.LEASE_OVER,
    )
    yield from _rows(
        "withdraw",
        [s.RECEIVED, s.AWAITING_APPROVAL, s.PENDING_BUILD, s.BUILDING],
        s.SKIPPED,
        bot,
        withdrawn,
        "deleted, cancelled by its author, opted out; a standing claim is void",
    )
    yield from _rows(
        "withdraw", [s.BUILT], s.SKIPPED, bot, withdrawn, "the same, before a reply is on its way", g.NO_LIVE_SEND
    )
    yield from _rows(
        "stop",
        [s.RECEIVED, s.AWAITING_APPROVAL],
        s.SKIPPED,
        operator,
        [r.DECLINED, r.STOPPED, r.TAKEN_DOWN, r.DENIED],
        "a person says no",
    )
    yield from _rows(
        "stop",
        [s.PENDING_BUILD, s.BUILDING],
        s.SKIPPED,
        operator,
        [r.STOPPED, r.TAKEN_DOWN, r.DENIED],
        "stopped by hand; a standing claim is void",
    )
    yield from _rows(
        "stop", [s.BUILT], s.SKIPPED, operator, [r.STOPPED, r.TAKEN_DOWN, r.DENIED], "stopped by hand", g.NO_LIVE_SEND
    )
    yield from _rows("answer", [s.BUILT], s.REPLIED, bot, [r.SENT, r.ADOPTED], "the reply is in the bot's repository")
    yield from _rows("refuse_send", [s.BUILT], s.ERROR, bot, [r.SEND_REFUSED], "the reply was refused for good")
    yield from _rows(
        "cannot_reply",
        [s.BUILT],
        s.ERROR,
        bot,
        [r.CANNOT_REPLY],
        "a reply would not be seen: blocked, gated, its thread gone",
        g.NO_LIVE_SEND,
    )
    yield from _rows(
        "expire_reply",
        [s.BUILT],
        s.ERROR,
        bot,
        [r.APPROVAL_EXPIRED],
        "nobody released a reply that was held before the deadline; its app goes",
        g.DEADLINE_OVER,
        g.NO_LIVE_SEND,
    )
    yield from _rows(
        "settle_sent",
        [s.BUILT],
        s.REPLIED,
        operator,
        [r.SETTLED_BY_PERSON],
        "an unknown or conflicting send, settled by a person",
    )
    yield from _rows(
        "settle_unsent",
        [s.BUILT],
        s.ERROR,
        operator,
        [r.SETTLED_BY_PERSON],
        "an unknown or conflicting send, given up by a person",
    )
    yield from _rows(
        "judge_again",
        [s.SKIPPED],
        s.RECEIVED,
        operator,
        [r.JUDGED_AGAIN],
        "judged again; never for withdrawn, opted out, forgotten, taken down, command",
        g.REASON_KEPT,
        g.NOT_TAKEN_BACK,
    )
    yield from _rows(
        "reopen_joined",
        [s.SKIPPED],
        s.RECEIVED,
        bot,
        [r.FIRST_ASK_WITHDRAWN],
        "the ask that it joined was withdrawn",
        g.REASON_KEPT,
        g.NOT_TAKEN_BACK,
    )
    yield from _rows(
        "ask_again",
        [s.BUILD_FAILED],
        s.PENDING_BUILD,
        bot,
        [r.ASKED_AGAIN],
        "its author asked again, within the caps",
        g.NOT_TAKEN_BACK,
    )
    yield from _rows(
        "retry",
        [s.BUILD_FAILED, s.ERROR],
        s.PENDING_BUILD,
        operator,
        [r.RETRIED],
        "build again, with a fresh budget",
        g.NOT_TAKEN_BACK,
    )
    yield from _rows(
        "send_again",
        [s.ERROR],
        s.BUILT,
        operator,
        [r.SENT_AGAIN],
        "send again",
        g.HAS_RESULT,
        g.NO_LIVE_SEND,
        g.NOT_TAKEN_BACK,
    )


TABLES: Mapping[Kind, tuple[Move, ...]] = MappingProxyType({Kind.MENTION: tuple(_mention_moves())})


def moves_from(kind: Kind, status: Status | None, actor: Actor | None = None) -> tuple[Move, ...]:
    """The rows that start at a status, of one actor or of all."""
    return tuple(m for m in TABLES[kind] if m.source == status and actor in (None, m.actor))


def check_move(kind: Kind, name: str, source: Status | None, reason: Reason) -> Move:
    """The row for a named move from a status for a reason; IllegalMove when the table has none."""
    for move in moves_from(kind, source):
        if move.name == name and reason in move.reasons:
            return move
    raise IllegalMove(f"a {kind.value} cannot {name} from {source.value if source else 'nothing'} for {reason.value}")


def sources_of(kind: Kind, name: str) -> frozenset[Status]:
    """The statuses that a named move may start from."""
    return frozenset(m.source for m in TABLES[kind] if m.name == name and m.source is not None)


def statuses(kind: Kind) -> tuple[Status, ...]:
    """Every status that a document of this kind can have, in the order of the table."""
    return tuple(dict.fromkeys(m.target for m in TABLES[kind]))


def ways_to_stand(kind: Kind) -> tuple[tuple[Status, Reason], ...]:
    """Every status with each reason that it can have been come to for, in the order of the table."""
    return tuple(dict.fromkeys((m.target, reason) for m in TABLES[kind] for reason in sorted(m.reasons)))


def is_terminal(kind: Kind, status: Status) -> bool:
    """Whether nothing happens to the document by itself any more: neither bot nor builder has to move it on."""
    return status in (Status.REPLIED, Status.SKIPPED, Status.BUILD_FAILED, Status.ERROR) and status in statuses(kind)

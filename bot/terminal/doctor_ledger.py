"""The doctor's look at the ledger and at what waits in it for a person."""

from collections.abc import Iterator
from datetime import datetime

from bot.jobs.backed_up import MEND as BACKED_UP_MEND
from bot.jobs.catching_up import DEAF
from bot.jobs.ingest import CROWDED, UNREAD
from bot.jobs.reload import RULES
from bot.jobs.sending import PUT_ONCE
from bot.ledger.conditions import (
    ACCOUNT,
    ALERTS,
    BACKUP,
    CLOCK,
    DISK,
    DISPATCH,
    ELSEWHERE,
    LANE_COST,
    LOOP,
    NO_LANE,
    PURSE,
    STREAM,
    STREAM_GAP,
    Condition,
)
from bot.ledger.ledger import Ledger
from bot.ledger.send_rows import CLAIMED
from bot.operations.overview import rounds_of
from bot.operations.present import Rounds
from bot.operations.sends import state_of
from bot.terminal.moments import ago
from bot.terminal.switches import short_name
from guardrails.findings import Finding, ok, warn

MENDS = {
    ACCOUNT: "look at the account in an app; until it is well, nothing is said in public",
    STREAM: "look whether SKYWRIGHT_STREAM_URL still is a Jetstream; the notifications are read meanwhile",
    STREAM_GAP: "nothing: it goes once the last day is read again",
    LOOP: "look at who asks: `skywright deny` somebody, or `skywright resume builds` if they are paused",
    LANE_COST: "see what that lane runs and what it reports; `skywright devices revoke` stops it",
    NO_LANE: "start a lane, or look at the log of the one that should have come; `skywright lanes` shows them",
    DISPATCH: "mend SKYWRIGHT_GITHUB_TOKEN and its neighbours, or the workflow; the bot tries again by itself",
    PURSE: "wait until the day is over, or raise money.day_usd in the rules and `skywright reload`",
    DISK: "make room there, or move the ledger to a larger disk with the bot stopped",
    CLOCK: "let the machine keep time (NTP); what was put off by the wrong clock is told by `skywright list`",
    BACKUP: BACKED_UP_MEND,
    ELSEWHERE: "do both, in this order; nothing else of that person is kept",
    DEAF: "look at the bot's log; `skywright pause ingest` lets the replies go, unheard what their askers said since",
    UNREAD: "nothing, while it gets less; if it does not, look at the bot's log",
    CROWDED: "look in an app at the notifications of then; `skywright ask LINK` puts a missed ask before the bot",
    RULES: "mend the file, then `skywright reload`",
    PUT_ONCE: "nothing: the bot looks before each try; `skywright doctor --write` tries again",
}


def desk_findings(ledger: Ledger) -> Iterator[Finding]:
    """What is paused, what could not be read, and what waits for a person."""
    now = ledger.db.time()
    on = ledger.desk.switches_on()
    if not on:
        yield ok("switches", "nothing is paused")
    for switch, device, why, since in on:
        name = short_name(switch)
        yield warn("switches", f"{name} paused {ago(since, now)} ago by {device}: {why}", f"`skywright resume {name}`")
    parked = ledger.desk.parked_count()
    if parked:
        yield warn(
            "parked",
            f"{parked} notifications could not be read",
            "tell the program's authors of `skywright parked`; nothing is lost",
        )
    else:
        yield ok("parked", "every notification could be read")
    yield from rounds_findings(rounds_of(ledger), now)
    yield from _conditions(ledger, now)
    yield from _sends(ledger, now)


def rounds_findings(rounds: Rounds | None, now: datetime) -> Iterator[Finding]:
    """Which of several bots does the rounds; nothing where a ledger has one bot."""
    if rounds is None:
        return
    if rounds.holder is None or rounds.since is None:
        yield warn("rounds", "no bot does the rounds", "start one, or look at the log of the one that runs")
        return
    asked = ", which is the one that was asked" if rounds.here else ""
    yield ok("rounds", f"{rounds.holder} does them, for {ago(rounds.since, now)}{asked}")


def condition_finding(condition: Condition, now: datetime) -> Finding:
    """What is wrong now, with what mends it."""
    mend = MENDS.get(condition.kind, "look at the bot's log")
    return warn("conditions", f"{condition.name} for {ago(condition.since, now)}: {condition.detail}", mend)


def _conditions(ledger: Ledger, now: datetime) -> Iterator[Finding]:
    # That alerts do not arrive has a line of its own.
    standing = [condition for condition in ledger.conditions.standing() if condition.name != ALERTS]
    if not standing:
        yield ok("conditions", "none stands")
    for condition in standing:
        yield condition_finding(condition, now)


def _sends(ledger: Ledger, now: datetime) -> Iterator[Finding]:
    """Replies that wait for a person, and sends of which nobody knows; the latter settle themselves, or conflict."""
    held = ledger.queries.held_replies()
    if not held:
        yield ok("held replies", "none waits for a person")
    for document in held:
        mend = f"`skywright approve {document.id}`, or `skip`"
        yield warn("held replies", f"{document.id}: {document.reply_held}", mend)
    unsettled = ledger.queries.unsettled_sends()
    if not unsettled:
        yield ok("sends", "none is unsettled")
    for send in unsettled:
        told = f"{send.key} is {state_of(send)} for {ago(send.unknown_since or send.claimed_at, now)}"
        by_person = send.conflict and send.state == CLAIMED
        mend = f"`skywright resolve {send.key}`" if by_person else "`skywright sends`; it is looked at again"
        if send.conflict and not by_person:
            mend = f"look at {send.collection}/{send.rkey} of the bot: another record stands where this one was to be"
        yield warn("sends", told, mend)

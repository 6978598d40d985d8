"""The pipeline that turns checks into one judgement: cheap and pure first, the network next, people last."""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import takewhile

from guardrails.around import parent_of, quoted_by
from guardrails.authors import is_the_author_welcome, may_this_author_ask
from guardrails.caps import Cap, capped, does_it_go_round, how_much
from guardrails.credits import is_a_credit
from guardrails.dedupe import is_it_the_same_ask
from guardrails.facts import Facts, Standing
from guardrails.judgement import Judgement, Verdict
from guardrails.moderation import does_the_service_object, is_it_fit
from guardrails.outlook import View
from guardrails.pointing import pointed_at, points_elsewhere
from guardrails.request import Command, NotARequest, brief, read_post
from guardrails.revisions import is_a_revision
from guardrails.rules import Approval, Rules, micros
from guardrails.said import PASS, Outcome, Said, hold, skip, unknown
from guardrails.takedowns import was_it_taken_down
from guardrails.thanks import is_a_reaction, is_praise, is_thanks
from guardrails.transitions import Reason

Check = Callable[[Facts, Rules, datetime], Said]


def is_it_ours(facts: Facts, rules: Rules, now: datetime) -> Said:
    """A mention facet with our DID, and not our own post; an operator's word stands for the facet.

    Without a facet, only a command of the asker right under our answer.
    """
    if facts.mention.author_did == facts.our_did:
        return skip(Reason.NOT_OURS, "our own post")
    if facts.mention.by_operator or not isinstance(read_post(facts.mention.record, facts.our_did), NotARequest):
        return PASS
    if facts.conversation.by_asker and isinstance(_read(facts), Command):
        return PASS
    return skip(Reason.NOT_OURS, "no mention facet with our DID")


def is_it_new(facts: Facts, rules: Rules, now: datetime) -> Said:
    """Not answered already, as far as ledger and repository know, and not from before the first start."""
    if facts.answered:
        return skip(Reason.ALREADY_ANSWERED, "a reply of ours to this post exists")
    if facts.mention.stale:
        return skip(Reason.BEFORE_FIRST_START, "posted before the bot's first start")
    return PASS


def what_is_asked(facts: Facts, rules: Rules, now: datetime) -> Said:
    """An ask: not a command, a credit or thanks; and not nothing."""
    mention = facts.mention
    read = _read(facts)
    if isinstance(read, Command):
        return skip(Reason.COMMAND, read.word.value)
    if _is_thanks(facts):
        return skip(Reason.THANKS, "thanks")
    if is_a_credit(mention.record, facts.our_did):
        return skip(Reason.CREDIT, "a credit, not an ask")
    if _says_nothing(mention.ask) and not pointed_at(mention.ask, mention.record):
        return skip(Reason.NOTHING_TO_BUILD, "nothing is left of the text without the mention")
    limit = rules.ask.max_graphemes
    return Said(Outcome.PASS, detail=f"cut at {limit} graphemes") if brief(mention, limit).was_cut else PASS


def is_it_a_change(facts: Facts, rules: Rules, now: datetime) -> Said:
    """Right under an answer of ours, a wish for a change of what was answered is no ask of its own."""
    if facts.conversation.answered is not None and is_a_revision(facts.mention.ask):
        return skip(Reason.REVISION, "it wants a change of what was answered")
    return PASS


def can_we_answer(facts: Facts, rules: Rules, now: datetime) -> Said:
    """A reply would be seen; an absence alone decides nothing, since it also means a delay or a takedown."""
    if facts.look is None:
        return unknown("not looked at yet")
    outlook = facts.look.outlook
    if outlook.view is View.OPEN:
        return PASS
    if outlook.view is View.CLOSED:
        return skip(Reason.CANNOT_REPLY, outlook.reason)
    return unknown(outlook.reason, outlook.until)


def is_what_it_points_at_known(facts: Facts, rules: Rules, now: datetime) -> Said:
    """Where the ask says so little that it points at another post, something is left of that post."""
    if points_elsewhere(facts.mention.ask) and not any(each.says_something for each in facts.mention.context):
        return skip(Reason.NOTHING_TO_BUILD, "it points at another post, which says nothing")
    return PASS


def does_a_person_want_to_look(facts: Facts, rules: Rules, now: datetime) -> Said:
    """By the approval policy; somebody whom an operator vouches for is no first-timer."""
    match rules.approval.policy:
        case Approval.ALL:
            return hold(Reason.POLICY, "every ask is looked at")
        case Approval.FIRST_TIME if facts.first_time and Standing.ALLOWED not in facts.standing:
            return hold(Reason.POLICY, "the author's first ask")
        case Approval.PRICE if facts.price_micros > micros(rules.approval.price_usd):
            return hold(Reason.POLICY, f"it is taken to cost {facts.price_micros / 1_000_000:.2f} USD")
    return PASS


# What needs no look at the network comes first: most of what is refused is refused there.
BEFORE_THE_LOOK: tuple[Check, ...] = (
    is_it_ours,
    is_it_new,
    is_the_author_welcome,
    what_is_asked,
    does_it_go_round,
    is_it_a_change,
    is_it_the_same_ask,
    was_it_taken_down,
    is_it_fit,
)
CHECKS: tuple[Check, ...] = (
    *BEFORE_THE_LOOK,
    can_we_answer,
    may_this_author_ask,
    is_what_it_points_at_known,
    does_the_service_object,
    how_much,
    does_a_person_want_to_look,
)


def judge(
    facts: Facts, rules: Rules, now: datetime, checks: Sequence[Check] = CHECKS, before: Sequence[Verdict] = ()
) -> Judgement:
    """Run the checks in order: the first skip, wait or unknown ends it, and a hold stands unless a later one does.

    Where nobody is there to decide (approval policy `none`), a hold is a skip. `before`: what the first of the checks
    have said of these facts already, when all let them through; those are not run again.
    """
    verdicts = list(before)
    held: Said | Verdict | None = next((verdict for verdict in before if verdict.outcome is Outcome.HOLD), None)
    for check in checks[len(before) :]:
        said = check(facts, rules, now)
        verdicts.append(dated(check, said, rules, now))
        if said.outcome in (Outcome.SKIP, Outcome.WAIT, Outcome.UNKNOWN):
            return Judgement(said.outcome, said.reason, tuple(verdicts))
        if said.outcome is Outcome.HOLD and held is None:
            held = said
    if held is None:
        return Judgement(Outcome.PASS, Reason.PASSED, tuple(verdicts))
    if rules.approval.policy is Approval.NONE:
        return Judgement(Outcome.SKIP, Reason.NOBODY_DECIDES, tuple(verdicts))
    return Judgement(Outcome.HOLD, held.reason, tuple(verdicts))


def without_place(judgement: Judgement, cap: Cap, until: datetime, rules: Rules, now: datetime) -> Judgement:
    """What becomes of an ask that passed, when somebody else has taken the last place of a cap meanwhile."""
    before = takewhile(lambda verdict: verdict.check != how_much.__name__, judgement.verdicts)
    said = capped(cap, until, rules)
    return Judgement(said.outcome, said.reason, (*before, dated(how_much, said, rules, now)))


def dated(check: Check, said: Said, rules: Rules, now: datetime) -> Verdict:
    """What a check said, as it is kept."""
    return Verdict(
        check=getattr(check, "__name__", "check"),
        rules=rules.version,
        outcome=said.outcome,
        reason=said.reason,
        detail=said.detail,
        until=said.until,
        at=now,
    )


def _says_nothing(ask: str) -> bool:
    return not any(character.isalnum() for character in ask) or is_a_reaction(ask)


def _is_thanks(facts: Facts) -> bool:
    """Said of a post, a hello or applause is about that; said of an answer of ours, so is whatever is kind."""
    ask, record = facts.mention.ask, facts.mention.record
    if is_thanks(ask) or (is_a_reaction(ask) and (parent_of(record) or quoted_by(record))):
        return True
    return facts.conversation.answered is not None and is_praise(ask) and not is_a_revision(ask)


def _read(facts: Facts) -> object:
    """What the post says; right under our answer, its asker need not mention us."""
    return read_post(facts.mention.record, facts.our_did, mentioned=not facts.conversation.by_asker)

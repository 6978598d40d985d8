"""May this author ask: people's rows, labels, bots, floors, the allow list; and those whose post it is about."""

from collections.abc import Iterable
from datetime import datetime

from guardrails.documents import is_of_plc
from guardrails.facts import Facts, Label, Look, Membership, Profile, Standing
from guardrails.request import Command, CommandWord, read_post
from guardrails.rules import Below, Rules
from guardrails.said import PASS, Said, first, hold, skip, unknown
from guardrails.transitions import Reason


def is_the_author_welcome(facts: Facts, rules: Rules, now: datetime) -> Said:
    """Nobody who was denied, or who wants to be forgotten, nor anything about a post of theirs.

    Of the forgotten it is still heard that they come back; and that they want to be forgotten, which a process may
    have done already that then was gone.
    """
    if Standing.FORGOTTEN in facts.standing and not _is_about_that(facts):
        return skip(Reason.OPTED_OUT, "the author wants to be forgotten")
    if Standing.DENIED in facts.standing:
        return skip(Reason.DENIED, "denied by an operator")
    for did, standing in facts.involved_standing:
        if standing is Standing.FORGOTTEN:
            return skip(Reason.OPTED_OUT, f"it is about a post of {did}, who wants to be forgotten")
    return PASS


def may_this_author_ask(facts: Facts, rules: Rules, now: datetime) -> Said:
    """By what the network shows of the author, of the post, and of those whose posts it stands under or quotes."""
    look = facts.look
    if look is None or look.author is None:
        return unknown("the author was not looked at yet")
    return first(_about_the_author(facts, look, look.author, rules, now))


def _is_about_that(facts: Facts) -> bool:
    read = read_post(facts.mention.record, facts.our_did, mentioned=not facts.conversation.by_asker)
    return isinstance(read, Command) and read.word in (CommandWord.FORGET_ME, CommandWord.REMEMBER_ME)


def _about_the_author(facts: Facts, look: Look, author: Profile, rules: Rules, now: datetime) -> Iterable[Said]:
    vouched = Standing.ALLOWED in facts.standing
    if author.blocked:
        yield skip(Reason.BLOCKED, "a block stands between the author and this account")
    if rules.authors.skip_bots and author.is_bot and not vouched:
        yield skip(Reason.BOT, "the author calls itself a bot")
    if rules.authors.nobot:
        yield from _opted_out(author, look.involved)
    for person in look.involved:
        if person.blocked:
            yield skip(Reason.BLOCKED, f"a block stands between {person.did}, whose post it is about, and this account")
    yield from _labelled((*author.labels, *look.post_labels), rules, vouched=vouched)
    if not vouched:
        yield from _listed(look.membership, rules)
        yield from _floors(author, rules, now)


def _opted_out(author: Profile, involved: Iterable[Profile]) -> Iterable[Said]:
    if author.nobot:
        yield skip(Reason.OPTED_OUT, "#nobot in the author's bio")
    for person in involved:
        if person.nobot:
            yield skip(Reason.OPTED_OUT, f"#nobot in the bio of {person.did}, whose post it is about")


def _labelled(labels: Iterable[Label], rules: Rules, *, vouched: bool) -> Iterable[Said]:
    """Each label by its value, whoever put it; `bot` has a check of its own. What is unknown and loud is held."""
    for label in labels:
        told = f"labelled {label.val} by {label.src}"
        if label.val in rules.authors.skip_labels:
            yield skip(Reason.LABELLED, told)
        elif not vouched and (label.val in rules.authors.hold_labels or _is_loud(label.val)):
            yield hold(Reason.LABELLED, told)


def _is_loud(value: str) -> bool:
    """A label that apps act on by its name alone: https://atproto.com/specs/label reserves `!` for those."""
    return value.startswith("!") and value != "!no-unauthenticated"


def _listed(membership: Membership, rules: Rules) -> Iterable[Said]:
    if not rules.authors.allow_list:
        return
    if membership is Membership.OFF:
        yield skip(Reason.NOT_ON_LIST, "not on the allow list")
    if membership is Membership.UNSURE:
        yield unknown("the allow list could not be read to its end")


def _floors(author: Profile, rules: Rules, now: datetime) -> Iterable[Said]:
    below = hold if rules.authors.below_floor is Below.HOLD else skip
    if rules.authors.min_followers and author.followers is not None and author.followers < rules.authors.min_followers:
        yield below(Reason.BELOW_FLOOR, f"{author.followers} followers, {rules.authors.min_followers} are asked for")
    if not rules.authors.min_age_days:
        return
    if author.created_at is not None:
        days = (now - author.created_at).total_seconds() / 86_400
        if days < rules.authors.min_age_days:
            yield below(Reason.BELOW_FLOOR, f"{days:.1f} days old, {rules.authors.min_age_days:g} are asked for")
    elif is_of_plc(author.did):
        yield unknown("the PLC has not told how old the account is")
    else:
        yield hold(Reason.BELOW_FLOOR, "nobody but its owner tells how old the account is")

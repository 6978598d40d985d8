"""Is it fit to be built: by words and patterns, and by what a moderation service says."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import regex

from guardrails import unfit
from guardrails.facts import Facts, Moderated
from guardrails.rules import FitRules, Rules
from guardrails.said import PASS, Outcome, Said, first, hold, skip, unknown
from guardrails.text import folded
from guardrails.transitions import Reason
from guardrails.words import Terms, Vocabulary, closed_up, readings

# How many words apart two that are dangerous together may stand: in a sentence, and on a page, where what stands side
# by side need not belong together.
_NEAR_IN_AN_ASK = 10
_NEAR_ON_A_PAGE = 5
# A name so long is known when it is written in two or three words.
_LONG_ENOUGH = 6
# A bank and a login so close belong together.
_SIDE_BY_SIDE = 3
_NEXT_TO = 2
# How long an operator's expression may take, and how long each of the others when one has taken too long.
_PATIENCE_SECONDS = 0.2
_AFTERWARDS_SECONDS = 0.002
_PAGE_CHARACTERS = 30_000
TOO_SLOW = "pattern takes too long: "


def is_it_fit(facts: Facts, rules: Rules, now: datetime) -> Said:
    """By the words of the ask and of what it points at."""
    context = (part for each in facts.mention.context for part in (each.text, *each.alts, each.card))
    return first(_objections((facts.mention.ask, *context), rules, _NEAR_IN_AN_ASK))


def judge_app(title: str, description: str, visible_text: str, rules: Rules) -> Said:
    """The same rules for a built app, by what its visitors read: a pass, a skip, or unknown.

    What would put an ask before a person passes here: somebody has looked, or nobody had to.
    """
    page = "\n".join((title, description, visible_text))
    return first(said for said in _objections((page,), rules, _NEAR_ON_A_PAGE) if said.outcome is not Outcome.HOLD)


def read_by(text: str, rules: Rules) -> tuple[str, ...]:
    """How a text may be read, where the words of the lists are known by their looks."""
    return readings(text, _lists(rules.fit).known)


def does_the_service_object(facts: Facts, rules: Rules, now: datetime) -> Said:
    """By the moderation service, where there is one; while it does not answer, nothing is decided."""
    if not rules.moderation.url:
        return PASS
    if facts.moderated is None:
        return unknown("the moderation service did not answer yet")
    return what_is_flagged(facts.moderated, rules)


def what_is_flagged(moderated: Moderated, rules: Rules) -> Said:
    """What follows from what the moderation service said of an ask, or of a built app."""
    flagged = moderated.categories
    if not flagged:
        return PASS
    told = f"the moderation service flags {', '.join(flagged)}"
    if set(flagged) <= set(rules.moderation.hold):
        return hold(Reason.SUSPECT, told)
    return skip(Reason.REFUSED_BY_RULES, told)


@dataclass(frozen=True)
class _Lists:
    """The built-in lists with an operator's."""

    refused: Terms
    held: Terms
    brands: Terms
    names: frozenset[str]
    false_friends: Terms
    known: Vocabulary


_LOGINS = Terms(unfit.LOGINS)
_LOGIN_FORMS = Terms(unfit.LOGIN_FORMS)
_INSTITUTIONS = Terms(unfit.INSTITUTIONS)
_SECRETS = Terms(unfit.SECRETS)
_WALLET_SECRETS = Terms(unfit.WALLET_SECRETS)
_WALLET_HINTS = Terms(unfit.WALLET_HINTS)
_COINS = Terms(unfit.COINS)
_TAKING = Terms(unfit.TAKING)
_KEEPING = Terms(unfit.KEEPING)
_ENTERING = Terms(unfit.ENTERING)
_IMITATING = Terms(unfit.IMITATING)
_COUNTED_LOGINS = Terms(unfit.COUNTED_LOGINS)
_PAGES = Terms(unfit.PAGES)
_HARMLESS_LOGINS = Terms(unfit.HARMLESS_LOGINS)
_HARMLESS_SECRETS = Terms(unfit.HARMLESS_SECRETS)
_HARMLESS_MAILS = Terms(unfit.HARMLESS_MAILS)
_DISGUISED = (unfit.INSTITUTIONS, unfit.LOGINS, unfit.LOGIN_FORMS, unfit.SECRETS, unfit.WALLET_SECRETS)


@lru_cache(maxsize=4)
def _lists(fit: FitRules) -> _Lists:
    refused, held = (*unfit.REFUSED, *fit.words), (*unfit.HELD, *fit.hold_words)
    brands = (*unfit.BRANDS, *fit.brands)
    return _Lists(
        Terms(refused),
        Terms(held),
        Terms(brands),
        frozenset(brand for brand in map(folded, brands) if len(brand) >= _LONG_ENOUGH),
        Terms((*unfit.FALSE_FRIENDS, *fit.false_friends)),
        Vocabulary(refused, held, brands, *_DISGUISED),
    )


def _objections(texts: Sequence[str], rules: Rules, near: int) -> Iterator[Said]:
    lists = _lists(rules.fit)
    for text in texts:
        for reading in read_by(text, rules):
            words = lists.false_friends.without(reading)
            yield from _listed(words, lists)
            for written in dict.fromkeys((words, closed_up(words, lists.names))):
                yield from _deceiving(written, lists, near)
    yield from _matching(texts, rules.fit.patterns)


def _listed(words: str, lists: _Lists) -> Iterator[Said]:
    if refused := lists.refused.find(words):
        yield skip(Reason.REFUSED_BY_RULES, f"word: {refused}")
    if held := lists.held.find(words):
        yield hold(Reason.SUSPECT, f"word: {held}")


def _deceiving(words: str, lists: _Lists, near: int) -> Iterator[Said]:
    """Pages that are made to be taken for somebody else's, and to get at what only they should be told."""
    brand = lists.brands.find(words)
    if _LOGINS.may_stand_in(words) or _LOGIN_FORMS.may_stand_in(words):
        yield from _logins(words, brand, lists, near)
    if _SECRETS.may_stand_in(words):
        yield from _secrets(words, brand, lists, near)
    if _WALLET_SECRETS.near(_ENTERING, words, near) or _WALLET_SECRETS.near(_TAKING, words, near):
        yield skip(Reason.REFUSED_BY_RULES, "it takes the key of a wallet")
    if _WALLET_HINTS.near(_COINS, words, near):
        yield hold(Reason.SUSPECT, "it is about the key of a wallet")
    if brand and lists.brands.near(_IMITATING, words, near):
        yield hold(Reason.SUSPECT, f"it imitates {brand}")


def _logins(words: str, brand: str | None, lists: _Lists, near: int) -> Iterator[Said]:
    """However harmless by itself, beside a brand or a bank it is one, but perhaps where logins are counted."""
    is_page = _COUNTED_LOGINS.near(_PAGES, words, _NEXT_TO)
    logins = words if is_page else _COUNTED_LOGINS.without(words)
    if brand and lists.brands.near(_LOGINS, logins, near):
        yield skip(Reason.REFUSED_BY_RULES, f"a login of {brand}")
    if _INSTITUTIONS.near(_LOGIN_FORMS, logins, near) or _INSTITUTIONS.near(_LOGINS, logins, _SIDE_BY_SIDE):
        yield skip(Reason.REFUSED_BY_RULES, "a login of a bank or the like")
    if brand and lists.brands.near(_COUNTED_LOGINS, words, near):
        yield hold(Reason.SUSPECT, f"logins of {brand} are counted")
    if _LOGIN_FORMS.find(_HARMLESS_LOGINS.without(words)):
        yield hold(Reason.SUSPECT, "a login form")


def _secrets(words: str, brand: str | None, lists: _Lists, near: int) -> Iterator[Said]:
    """A harmless secret is one all the same where a mail takes it, as a harmless mail is where it takes a secret."""
    real_secrets, real_mails = _HARMLESS_SECRETS.without(words), _HARMLESS_MAILS.without(words)
    if brand and lists.brands.near(_SECRETS, real_secrets, near):
        yield skip(Reason.REFUSED_BY_RULES, f"it asks for a secret of {brand}")
    if _SECRETS.near(_TAKING, real_secrets, near) or _SECRETS.near(_TAKING, real_mails, near):
        yield skip(Reason.REFUSED_BY_RULES, "it takes secrets")
    if _SECRETS.near(_KEEPING, real_secrets, near):
        yield hold(Reason.SUSPECT, "it keeps or grabs secrets")


def _matching(texts: Iterable[str], patterns: Iterable[str]) -> Iterator[Said]:
    """By an operator's expressions; one that takes too long has not said anything."""
    whole = "\n".join(texts)
    # A page takes longer than an ask.
    patience = _PATIENCE_SECONDS * (1 + len(whole) / _PAGE_CHARACTERS)
    for pattern in patterns:
        try:
            if any(regex.search(pattern, text, regex.I, timeout=patience) for text in (whole, folded(whole))):
                yield skip(Reason.REFUSED_BY_RULES, f"pattern: {pattern}")
        except TimeoutError:
            yield unknown(f"{TOO_SLOW}{pattern}")
            patience = _AFTERWARDS_SECONDS

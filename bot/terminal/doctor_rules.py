"""The doctor's look at the rules, at what they allow to be spent, and at who waits for a person by them."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

from bot.ledger.ledger import Ledger
from bot.ledger.money import price_now, spent_today
from bot.ledger.purse import purse_of
from bot.ledger.selection import Selection
from bot.moderation import Moderator
from bot.rules import load_rules
from bot.settings import LedgerSettings, Settings
from bot.terminal.reaching import LOOK_SECONDS
from bot.terminal.rules import version_in_force
from guardrails.errors import BadRules
from guardrails.findings import Finding, fail, ok, warn
from guardrails.rules import Rules
from guardrails.transitions import Status

_HARMLESS = "a pomodoro timer"


def rules_findings(settings: LedgerSettings, ledger: Ledger | None) -> Iterator[Finding]:
    """Whether the rules can be used and are those that the bot goes by; what they allow to be spent; who waits."""
    try:
        yield from _by_the_rules(settings, load_rules(settings.rules), ledger)
    except BadRules as bad:
        for problem in bad.problems:
            yield fail("rules", problem, "mend it; deploy/guardrails.example.toml has every key")
    if ledger is not None:
        yield _approvals(ledger)


def _by_the_rules(settings: LedgerSettings, rules: Rules, ledger: Ledger | None) -> Iterator[Finding]:
    yield _rules(settings, rules)
    if isinstance(settings, Settings) and rules.moderation.url:
        yield _moderation(settings, rules)
    if ledger is not None:
        yield _purse(ledger, rules)


def _rules(settings: LedgerSettings, rules: Rules) -> Finding:
    told = f"{rules.version}, {f'from {settings.rules}' if settings.rules else 'as built in'}"
    in_force = version_in_force(settings)
    if in_force not in (None, rules.version):
        return warn("rules", f"{told}, but the running bot goes by {in_force}", "`skywright reload`")
    return ok("rules", told)


def _moderation(settings: Settings, rules: Rules) -> Finding:
    with closing(Moderator(settings.moderation_key)) as moderator:
        soon = min(rules.moderation.deadline_seconds, LOOK_SECONDS)
        said = moderator.moderate(rules.moderation.model_copy(update={"deadline_seconds": soon}), _HARMLESS)
    if said is None:
        mend = "look at moderation.url in the rules and at SKYWRIGHT_MODERATION_KEY; until it answers, asks wait"
        return warn("moderation", f"{rules.moderation.url} does not answer as a moderation service", mend)
    if said.categories:
        flagged = ", ".join(said.categories)
        return warn("moderation", f"it flags {_HARMLESS!r}: {flagged}", "look at moderation.model in the rules")
    return ok("moderation", f"{rules.moderation.url} answers")


def _purse(ledger: Ledger, rules: Rules) -> Finding:
    spent, purse, now = spent_today(ledger.db), purse_of(rules), ledger.db.time()
    price = price_now(ledger.db, purse)
    ends = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    told = f"{_usd(spent)} of {_usd(purse.day_micros)} USD until {ends:%Y-%m-%d %H:%M} UTC"
    told += f", {_usd(purse.author_day_micros)} for an author, {_usd(price)} for a build to begin"
    if spent + price > purse.day_micros:
        return warn("purse", f"{told}: nothing is claimed", "wait, or raise money.day_usd and `skywright reload`")
    return ok("purse", told)


def _approvals(ledger: Ledger) -> Finding:
    waiting = ledger.pages.count(Selection(statuses=(Status.AWAITING_APPROVAL,)))
    if not waiting:
        return ok("approvals", "no ask waits for a person")
    mend = f"`skywright list --status {Status.AWAITING_APPROVAL.value}`, then `approve` or `skip`"
    return warn("approvals", f"asks that wait for a person: {waiting}", mend)


def _usd(micros: int) -> str:
    return f"{micros / 1_000_000:.2f}"

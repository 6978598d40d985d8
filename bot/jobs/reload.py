"""Reads the rules anew while the bot runs; a bad file changes nothing, and operators are told."""

from contextlib import suppress

import structlog

from bot.ledger.ledger import Ledger
from bot.rules import RulesFile
from guardrails.access import Caller
from guardrails.errors import BadRules
from guardrails.rules import Rules

RULES = "rules"
"""The condition that stands while the file holds rules that cannot be used."""

log = structlog.get_logger()


def started_with(rules: RulesFile, ledger: Ledger) -> None:
    """Note which rules are in force; a bot that has started has good ones."""
    ledger.conditions.clear(RULES)
    log.info("rules", version=rules().version, file=str(rules.path or "built in"))


def heed_rules(rules: RulesFile, ledger: Ledger) -> str:
    """Read the rules anew if a signal asked for it; the version in force."""
    if rules.is_reload_wanted:
        with suppress(BadRules):  # it is logged and noted
            reload_rules(rules, ledger)
    return rules().version


def reload_rules(rules: RulesFile, ledger: Ledger, caller: Caller | None = None) -> Rules:
    """Read the rules anew; BadRules when they cannot be used: the old ones stay in force, and a condition stands.

    `caller`: who wanted it, None where nobody can tell.
    """
    before = rules().version
    try:
        read = rules.reload()
    except BadRules as bad:
        log.error("rules_refused", problems=bad.problems, in_force=before)
        ledger.conditions.set(RULES, f"{before} stays in force: {bad}")
        raise
    ledger.conditions.clear(RULES)
    if caller is not None:
        ledger.audit.add(caller, "reload_rules", read.version)
    log.info("rules", version=read.version, before=before)
    return read

"""What the checks may know of an ask, and the purse and the places of the tests, each with sensible defaults."""

from typing import Any

from bot.ledger.purse import Purse
from guardrails.caps import Place, counted
from guardrails.documents import Mention
from guardrails.facts import Facts
from tests.mentions import OUR_DID

# Enough for whatever a test builds; one that is about money has its own.
PURSE = Purse(estimate_micros=50_000, build_micros=500_000, author_day_micros=10**13, day_micros=10**13, at_once=1000)


def facts_of(mention: Mention, **more: Any) -> Facts:
    """What might be known of a mention."""
    facts: dict[str, Any] = {"mention": mention, "our_did": OUR_DID}
    return Facts(**(facts | more))


def seats_of(mention: Mention) -> tuple[Place, ...]:
    """The places of a mention, counted without a limit."""
    return counted(mention.author_did, mention.thread)

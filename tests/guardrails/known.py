"""Asks of which everything is known, and nothing speaks against them: what each check is tried on."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from guardrails.documents import Context, Did, Mention, StrongRef
from guardrails.facts import Facts, Label, Look, Profile, Used
from guardrails.outlook import Outlook, View
from guardrails.rules import Rules
from tests.mentions import ALICE, BOB, NOON, OUR_DID, mention

RULES = Rules()
HOUR_ENDS = NOON + timedelta(minutes=30)
DAY_ENDS = NOON + timedelta(hours=12)


def known(body: Mention | None = None, **more: Any) -> Facts:
    """What is known of an ask that passes every check, but for what is given."""
    facts: dict[str, Any] = {
        "mention": body or mention(),
        "our_did": OUR_DID,
        "look": look(),
        "used": used(),
        "price_micros": 50_000,
    }
    return Facts(**(facts | more))


def look(view: View = View.OPEN, reason: str = "", author: Profile | None = None, **more: Any) -> Look:
    """What the network shows of such an ask."""
    shown: dict[str, Any] = {"outlook": Outlook(view, reason), "author": author or profile()}
    return Look(**(shown | more))


def profile(did: Did = ALICE, *labels: Label, **more: Any) -> Profile:
    """An account of three years with a hundred followers."""
    fields: dict[str, Any] = {"did": did, "labels": labels, "created_at": NOON - timedelta(days=1000), "followers": 100}
    return Profile(**(fields | more))


def used(**more: Any) -> Used:
    """Nothing of any cap."""
    return Used(**({"hour_ends": HOUR_ENDS, "day_ends": DAY_ENDS} | more))


def context(text: str = "", *, quoted: bool = False, alts: Sequence[str] = (), card: str = "") -> Context:
    """Bob's post, which an ask points at."""
    post = StrongRef.model_validate({"uri": f"at://{BOB}/app.bsky.feed.post/3kbob", "cid": "cid-bob"})
    return Context(
        post=post, author_did=BOB, author_handle="bob.test", quoted=quoted, text=text, alts=tuple(alts), card=card
    )


def ruled(**tables: dict[str, Any]) -> Rules:
    """The built-in rules, but for what is given, table by table."""
    return Rules.model_validate_json(json.dumps(tables))

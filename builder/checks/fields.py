"""Finds fields for what no app may ask for: passwords, cards, the keys of a wallet."""

import re
from collections.abc import Iterator
from typing import Final

from builder.checks.markup import Element, Markup
from builder.checks.scripts import Script
from guardrails import unfit
from guardrails.moderation import read_by
from guardrails.rules import Rules
from guardrails.words import Terms, listed

_FILLED_IN: Final = frozenset({"", "text", "tel", "search", "email", "password", "number"})
_SECRET_TOKENS: Final = frozenset({"current-password", "new-password", "one-time-code"})
_SECRETS: Final = Terms(
    (
        *unfit.SECRETS,
        *unfit.WALLET_SECRETS,
        *listed("more: passwd, pwd, cardnumber, ccnumber, cc number, ccnum, card no, debit card, security code, cvv2"),
        *listed("more: cardholder, card holder, name on card, kartennummer, numero de tarjeta, numéro de carte"),
    )
)
# Of what is asked for beside them: how many passwords are to be made, what is owed on a card.
_FALSE_FRIENDS: Final = Terms(
    (
        *unfit.FALSE_FRIENDS,
        *unfit.HARMLESS_SECRETS,
        *listed(
            "made: generated password*, number of passwords, how many passwords, passwords to generate, in password"
        ),
        *listed("made: password size, password type, password count, password options, wi fi password"),
        *listed(
            "owed: credit card balance*, credit card payment*, credit card limit*, credit card rate*, credit card apr"
        ),
        *listed("owed: balance on your credit card, balance on my credit card, flash card number"),
    )
)
_RULES: Final = Rules()
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
# What stands in an empty field for a card: its number, its expiry.
_CARD_PATTERN: Final = re.compile(r"(?:[\dxX•*#]{4}[ -]){3}[\dxX•*#]{4}|\bMM ?/ ?YY", re.IGNORECASE)
_IN_A_SCRIPT: Final = re.compile(
    r"""\btype['"]?\]?\s*+[=:,]\s*+['"`]password|autocomplete['"]?\]?\s*+[=:,]\s*+['"`](?:cc-|current-password|new-pass)""",
    re.IGNORECASE,
)
_HIDDEN_TEXT: Final = re.compile(
    r"""-webkit-text-security['"]?\s*+[:,]\s*+['"]?+(?!none)|text-security-disc|webkitTextSecurity\s*+[=:]""",
    re.IGNORECASE,
)


def field_problems(markup: Markup) -> Iterator[str]:
    """One sentence for each field that asks for a secret."""
    labels: dict[str, list[str]] = {}
    for label in markup.labels:
        labels.setdefault(label.target, []).extend(label.words)
    for element in markup.elements:
        problem = _problem(element, labels.get(element.get("id"), []) if element.get("id") else [])
        if problem:
            yield f"<{element.tag[:20]}> {problem}"


def _problem(element: Element, label: list[str]) -> str | None:
    kind = element.get("type").strip().lower()
    if element.tag == "input" and kind == "password":
        return "is a password field"
    tokens = element.get("autocomplete").lower().split()
    if any(token in _SECRET_TOKENS or token.startswith("cc-") for token in tokens):
        return f"is filled in with a secret by the browser ({' '.join(tokens)[:40]})"
    if element.tag not in ("input", "textarea") or kind not in _FILLED_IN or "readonly" in element.attributes:
        return None
    if _CARD_PATTERN.search(element.get("placeholder")):
        return "is made for a card"
    around = element.label.words if element.label is not None else []
    said = label + around
    named = [element.get(name) for name in ("name", "id", "placeholder", "aria-label", "title")]
    written = " | ".join([_CAMEL.sub(" ", each) for each in named] + said + ["".join(said)])
    for reading in read_by(written, _RULES):
        found = _SECRETS.find(_FALSE_FRIENDS.without(reading))
        if found:
            return f"asks for a secret: {found.strip('*')} (a result belongs into an <output>, or is readonly)"
    return None


def script_field_problems(text: str, script: Script) -> list[str]:
    """What in a script makes such a field."""
    made = any(place.endswith(".type") and (kind or "").lower() == "password" for place, kind in script.sets)
    problems = ["a script makes a field for a password or a card"] if made or _IN_A_SCRIPT.search(text) else []
    return problems + style_field_problems(text)


def style_field_problems(text: str) -> list[str]:
    """What in a style sheet hides what is typed."""
    return ["a style hides what is typed, as password fields do"] if _HIDDEN_TEXT.search(text) else []

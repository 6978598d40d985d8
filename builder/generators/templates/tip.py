"""The tip splitter: bill, tip, people, what each pays."""

import re

from builder.generators.templates.page import Page
from builder.generators.templates.reading import NUMBER, number, whole

STRONG = re.compile(
    r"\btip[- ](?:calculator|calc|splitter|split|app|sharing|divider)s?\b|\bgratuity\b|\bbill[- ]?split(?:ter"
    r"|ting)?\b"
    r"|\b(?:split(?:s|ting)?|shar(?:e|es|ing)|divid(?:e|es|ing))\s+(?:up\s+)?(?:the\s+|an?\s+|our\s+"
    r"|my\s+)?(?:[$€£¥]?\d[\d.,]*[$€£¥]?\s+)?"
    r"(?:(?:restaurant|dinner|lunch|bar|pub)\s+)?(?:bills?|checks?|cheques?|tabs?|tips?)\b"
    r"|\bsplit(?:s|ting)?\s+[$€£¥]\s?\d"
    r"|\btrinkgeld|rechnung (?:auf)?(?:teilen|splitten)|\bpropinas?\b|(?:dividir|repartir) la cuenta|\bpourboire\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(tips?|tipping|bill|restaurant|dinner|waiter|split|percent)\b", re.IGNORECASE)
VETO = re.compile(r"\btips?\s+(?:of the day|for|on|about|and tricks)\s+(?!\d)", re.IGNORECASE)

_PEOPLE = re.compile(
    rf"\b({NUMBER})\s*(?:-\s*)?(?:people|persons?|friends|guests|diners|of us|ways?|folks|colleagues"
    rf"|personen|leute|freunde|personas|amigos|personnes)\b|\b(?:between|among|amongst|für"
    rf"|entre)\s+(?:the\s+)?({NUMBER})\b(?!\s*(?:%|percent))",
    re.IGNORECASE,
)
# "for 4", with nothing after it that says of what; a larger number is a sum.
_FOR = re.compile(
    rf"\bfor\s+({NUMBER})(?=\s*(?:$|[!?;]|[.,](?!\d)|\b(?:and|at|please|plus|with)\b))", re.IGNORECASE | re.MULTILINE
)
_MOST_AT_A_TABLE = 20
_PERCENT = re.compile(rf"({NUMBER})\s*(?:%|percent\b|per cent\b|prozent\b|por ciento\b)", re.IGNORECASE)
_BILL = re.compile(
    r"[$€£¥]\s?([0-9]{1,6}(?:[.,][0-9]{1,2})?)|\b([0-9]{1,6}(?:[.,][0-9]{1,2})?)\s?(?:[$€£¥]|euros?\b|dollars?\b)"
)
_CURRENCIES = {
    "USD": re.compile(r"\$|\b(?:usd|us dollars?|dollars?)\b", re.IGNORECASE),
    "EUR": re.compile(r"€|\b(?:eur|euros?)\b", re.IGNORECASE),
    "GBP": re.compile(r"£|\b(?:gbp|pounds?|quid)\b", re.IGNORECASE),
    "JPY": re.compile(r"¥|\b(?:jpy|yen)\b", re.IGNORECASE),
    "CAD": re.compile(r"\b(?:cad|canadian dollars?)\b", re.IGNORECASE),
    "AUD": re.compile(r"\b(?:aud|australian dollars?)\b", re.IGNORECASE),
    "CHF": re.compile(r"\b(?:chf|swiss francs?|franken)\b", re.IGNORECASE),
}
# The longer names contain the shorter one.
_LOOK_FIRST = ("CAD", "AUD", "CHF", "EUR", "GBP", "JPY", "USD")


def read(ask: str) -> Page:
    """The splitter that an ask describes; 18 % and two people where it says nothing."""
    fixed = []
    people, percent = 2, 18.0
    if named := _people(ask):
        people = named
        fixed.append("people")
    if found := _PERCENT.search(ask):
        percent = round(min(number(found[1]), 100.0) * 2) / 2
        fixed.append("percent")
    currency = next((code for code in _LOOK_FIRST if _CURRENCIES[code].search(ask)), None)
    if currency is not None:
        fixed.append("currency")
    found = _BILL.search(ask)
    bill = number(found[1] or found[2]) if found else None
    shown = f"{percent:g}"
    return Page(
        file="tip.html",
        title=f"Tip splitter for {people}" if "people" in fixed else "Tip splitter",
        description=f"Adds a tip of {shown}% to the bill"
        + ("." if people == 1 else f" and splits it between {people} people."),
        settings={
            "people": people,
            "percent": float(shown),
            "currency": currency or "USD",
            "bill": bill,
            "fixed": fixed,
        },
    )


def _people(ask: str) -> int | None:
    if found := _PEOPLE.search(ask):
        return whole(found[1] or found[2], 1, 50)
    seats = (number(found[1]) for found in _FOR.finditer(ask))
    return next((int(many) for many in seats if many.is_integer() and 1 < many <= _MOST_AT_A_TABLE), None)

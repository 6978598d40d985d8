"""What builds may cost, as a claim needs it: money in millionths of a US dollar."""

from dataclasses import dataclass

from guardrails.rules import Rules, micros


@dataclass(frozen=True)
class Purse:
    """What a build is taken to cost until it is known, what it may cost at most, and how much there is of it.

    An author and all together have so much in a day, and so many builds are under way at once.
    """

    estimate_micros: int
    build_micros: int
    author_day_micros: int
    day_micros: int
    at_once: int


def purse_of(rules: Rules) -> Purse:
    """The purse that the rules allow."""
    money = rules.money
    return Purse(
        estimate_micros=micros(money.estimate_usd),
        build_micros=micros(money.build_usd),
        author_day_micros=micros(money.author_day_usd),
        day_micros=micros(money.day_usd),
        at_once=rules.caps.at_once,
    )

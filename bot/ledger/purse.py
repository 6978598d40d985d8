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

    def price_micros(self, usual_micros: int) -> int:
        """What the next build is taken to cost where the last ones have cost so much: never more than it may cost.

        So a dear one leaves an author who has spent nothing their first build of a day.
        """
        return min(max(self.estimate_micros, usual_micros), self.build_micros)


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

"""What a call may use and what it has cost: token estimates, the offline price list, a price from the settings."""

import math
from dataclasses import dataclass

from genai_prices import Usage as ListedUsage
from genai_prices import calc_price

from builder.generators.llm.options import LlmOptions, ModelName, Price, Provider
from builder.outcomes import Budget

# Below this no app can be written; a call would only cost.
FEWEST_TOKENS_OUT = 500
_PROBE = 10_000


@dataclass(frozen=True)
class Tokens:
    """Tokens read and written; `read` holds those that came from a cache or went into one as well."""

    read: int = 0
    written: int = 0
    from_cache: int = 0
    into_cache: int = 0


@dataclass(frozen=True)
class Allowance:
    """How many tokens a call may write, and what ended them; `limit` is for people."""

    tokens_out: int
    limit: str

    @property
    def is_spent(self) -> bool:
        """Whether no call is worth making."""
        return self.tokens_out < FEWEST_TOKENS_OUT


def estimate(text: str) -> int:
    """About how many tokens a text has, rather too many: one for three bytes of UTF-8."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def cost_micros(model: ModelName, tokens: Tokens, options: LlmOptions) -> int | None:
    """Millionths of a US dollar, rounded up; None when neither the price list nor the settings know the model."""
    usage = ListedUsage(
        input_tokens=tokens.read,
        output_tokens=tokens.written,
        cache_read_tokens=tokens.from_cache,
        cache_write_tokens=tokens.into_cache,
    )
    try:
        if model.provider is Provider.COMPATIBLE:
            listed = calc_price(usage, model.name, provider_api_url=options.url_of(model.provider))
        else:
            listed = calc_price(usage, model.name, provider_id=model.provider.value)
    except (LookupError, ValueError):  # an unknown model, or counts that no price fits
        return _at(options.price, tokens)
    return math.ceil(listed.total_price * 1_000_000)


def allowance(model: ModelName, tokens_in: int, budget: Budget, options: LlmOptions) -> Allowance:
    """What one call with so much to read may write, within the budget that is left and the options' own limit."""
    allowed = [Allowance(options.max_output_tokens, "the limit of an answer")]
    if budget.tokens is not None:
        allowed.append(Allowance(max(budget.tokens - tokens_in, 0), "the build's limit of tokens"))
    if budget.cost_micros is not None:
        affordable = _affordable(model, tokens_in, budget.cost_micros, options)
        allowed.append(Allowance(affordable, "the build's limit of money"))
    return min(allowed, key=lambda each: each.tokens_out)


def _affordable(model: ModelName, tokens_in: int, left: int, options: LlmOptions) -> int:
    reading = cost_micros(model, Tokens(tokens_in), options)
    both = cost_micros(model, Tokens(tokens_in, _PROBE), options)
    if reading is None or both is None or reading > left:
        return 0
    per_token = (both - reading) / _PROBE
    return int((left - reading) / per_token) if per_token > 0 else options.max_output_tokens


def _at(price: Price | None, tokens: Tokens) -> int | None:
    if price is None:
        return None
    return math.ceil(price.tokens_in * tokens.read + price.tokens_out * tokens.written)

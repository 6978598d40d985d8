"""The generator `llm` from the settings; importing this loads the model client."""

import time

from builder.generators.llm.generator import LlmGenerator, make_llm
from builder.generators.llm.options import AnswerMode, LlmOptions, Price
from builder.settings import BuildSettings


def why_not(settings: BuildSettings) -> str | None:
    """A model without a price under a limit of money; what is missing for the models is told by `make`."""
    generator = make(settings)
    unpriced = generator.unpriced()
    if not unpriced:
        return None
    mend = "set SKYWRIGHT_LANE_LLM_PRICE_IN and SKYWRIGHT_LANE_LLM_PRICE_OUT (0 where it costs nothing)"
    return f"no price is known for {', '.join(unpriced)}, and builds have a limit of money; {mend}"


def make(settings: BuildSettings) -> LlmGenerator:
    """The generator; BadSettings names what its models lack."""
    return make_llm(options_of(settings), time.monotonic)


def options_of(settings: BuildSettings) -> LlmOptions:
    """The options of the generator."""
    known = settings.llm_price_in is not None and settings.llm_price_out is not None
    return LlmOptions(
        models=tuple(filter(None, map(str.strip, settings.llm_models.split(",")))),
        anthropic_key=settings.llm_anthropic_key,
        openai_key=settings.llm_openai_key,
        compatible_key=settings.llm_compatible_key,
        compatible_url=settings.llm_compatible_url,
        answer=AnswerMode(settings.llm_answer),
        max_output_tokens=settings.llm_output_tokens,
        first_byte_seconds=settings.llm_first_byte_seconds,
        call_seconds=settings.llm_call_seconds,
        price=Price(settings.llm_price_in or 0.0, settings.llm_price_out or 0.0) if known else None,
    )

"""One call of one model: streamed, stoppable at any moment, within its deadlines, and never repeated by itself."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import ModelAPIError, ModelRequestTimeout
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from builder.generators.llm.models import open_model
from builder.generators.llm.options import AnswerMode, LlmOptions, ModelName
from builder.generators.llm.reading import BUILD, DECLINE, NewApp, NoApp
from builder.generators.llm.spending import Tokens, estimate
from builder.generators.llm.troubles import Failed, Trouble, detail_of, said_by_provider, trouble_of, was_let_in
from builder.stopping import Stop

STOP_GAP_SECONDS: Final = 0.05
# More characters than this a token are nobody's language: the server does not keep to the limit that it was given.
MOST_CHARS_A_TOKEN: Final = 16


@dataclass(frozen=True)
class Question:
    """What one call sends, and what it may take."""

    instructions: str
    message: str
    most_tokens_out: int
    seconds: float

    @property
    def tokens_in(self) -> int:
        """About how many tokens it has, the description of the answer included."""
        return estimate(self.instructions) + estimate(self.message) + 500


class Finish(StrEnum):
    """Why a model stopped writing."""

    DONE = "done"
    CUT_OFF = "cut off"
    REFUSED = "refused"


# An answer that ended for any other reason, or for none, has broken off: a server's "abort" or "error".
_FINISHES: Final = {
    "stop": Finish.DONE,
    "tool_call": Finish.DONE,
    "length": Finish.CUT_OFF,
    "content_filter": Finish.REFUSED,
}


@dataclass(frozen=True)
class Answer:
    """What a model wrote: calls of tools with their arguments, and text. `refusal` is what the provider says of one."""

    finish: Finish
    calls: tuple[tuple[str, str], ...]
    text: str
    model: str
    tokens: Tokens
    refusal: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written at all."""
        return not self.calls and not self.text.strip()


@dataclass
class _Heard:
    """What has come in so far, known from outside while a call runs or after it was broken off."""

    stream: StreamedResponse | None = None
    chars: int = 0
    runaway: bool = False

    def tokens(self, question: Question, *, whole: bool) -> Tokens:
        """The provider's count; where it gave none, or not yet the last one, our estimate."""
        usage = self.stream.usage if self.stream is not None else RequestUsage()
        estimated = 0 if whole and usage.output_tokens else -(-self.chars // 3)
        return Tokens(
            usage.input_tokens or question.tokens_in,
            max(usage.output_tokens, estimated),
            usage.cache_read_tokens,
            usage.cache_write_tokens,
        )


def call(name: ModelName, question: Question, options: LlmOptions, stop: Stop) -> Answer | Failed:
    """Ask a model once; ends soon after the stop is asked for, its connection closed."""
    # A thread of its own: the calling one may have an event loop running, Playwright's for instance.
    with ThreadPoolExecutor(1, thread_name_prefix="llm") as pool:
        return pool.submit(asyncio.run, _call(name, question, options, stop)).result()


async def _call(name: ModelName, question: Question, options: LlmOptions, stop: Stop) -> Answer | Failed:
    heard = _Heard()
    asking = asyncio.ensure_future(_ask(name, question, options, heard))
    while not asking.done() and stop.reason is None:
        await asyncio.wait({asking}, timeout=STOP_GAP_SECONDS)
    if not asking.done():
        asking.cancel()
        await asyncio.wait({asking})
        return Failed(Trouble.STOPPED, "the work was stopped", heard.tokens(question, whole=False))
    try:
        response = asking.result()
    except ModelAPIError as problem:
        return _failed(problem, heard, question, options)
    except Exception as problem:
        # Whatever a client falls over in a server's answer: an event that is no object, a part that never began.
        detail = f"the answer broke off ({type(problem).__name__})"
        return Failed(Trouble.OVERLOADED, detail, heard.tokens(question, whole=False))
    return _answer(response, heard, question)


async def _ask(name: ModelName, question: Question, options: LlmOptions, heard: _Heard) -> ModelResponse:
    settings = ModelSettings(
        max_tokens=question.most_tokens_out,
        timeout=min(options.first_byte_seconds, question.seconds),
        request_timeout=question.seconds,
        first_event_timeout=options.first_byte_seconds,
        max_retries=0,
    )
    request = ModelRequest(parts=[UserPromptPart(question.message)], instructions=question.instructions)
    async with (
        open_model(name, options) as model,
        model_request_stream(
            model,
            [request],
            model_settings=settings,
            model_request_parameters=_parameters(options.answer),
            instrument=False,
        ) as stream,
    ):
        heard.stream = stream
        async for event in stream:
            if isinstance(event, PartStartEvent | PartDeltaEvent):
                heard.chars += _length(event)
            if heard.chars > MOST_CHARS_A_TOKEN * question.most_tokens_out:
                heard.runaway = True
                await stream.cancel()
                break
        return stream.get()


def _parameters(answer: AnswerMode) -> ModelRequestParameters:
    if answer is AnswerMode.TEXT:
        return ModelRequestParameters(output_mode="text", allow_text_output=True)
    tools = [
        ToolDefinition(
            name=name, parameters_json_schema=model.model_json_schema(), description=model.__doc__, kind="output"
        )
        for name, model in ((BUILD, NewApp), (DECLINE, NoApp))
    ]
    return ModelRequestParameters(output_mode="tool", output_tools=tools, allow_text_output=False)


def _length(event: PartStartEvent | PartDeltaEvent) -> int:
    part = event.part if isinstance(event, PartStartEvent) else event.delta
    match part:
        case TextPart(content=str(content)) | TextPartDelta(content_delta=str(content)):
            return len(content)
        case ThinkingPart(content=str(thought)) | ThinkingPartDelta(content_delta=str(thought)):
            return len(thought)
        case ToolCallPart(args=str(arguments)) | ToolCallPartDelta(args_delta=str(arguments)):
            return len(arguments)
    return 0


def _answer(response: ModelResponse, heard: _Heard, question: Question) -> Answer | Failed:
    details = response.provider_details or {}
    tokens = heard.tokens(question, whole=not heard.runaway)
    finish = Finish.CUT_OFF if heard.runaway else _FINISHES.get(response.finish_reason or "")
    if finish is None:
        return Failed(Trouble.OVERLOADED, "the answer broke off", tokens)
    calls = tuple(
        (part.tool_name, part.args_as_json_str()) for part in response.parts if isinstance(part, ToolCallPart)
    )
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    return Answer(finish, calls, text, response.model_name or "", tokens, said_by_provider(details.get("refusal")))


def _failed(problem: ModelAPIError, heard: _Heard, question: Question, options: LlmOptions) -> Failed:
    trouble = trouble_of(problem)
    at_work = isinstance(problem, ModelRequestTimeout) and problem.setting == "request_timeout" and heard.chars
    if at_work and question.seconds < options.call_seconds:
        trouble = Trouble.OUT_OF_TIME  # the build's time was up, and the provider was writing
    tokens = heard.tokens(question, whole=False) if was_let_in(problem) or heard.stream is not None else Tokens()
    return Failed(trouble, detail_of(problem, trouble, options), tokens, problem.retry_after)

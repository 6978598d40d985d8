"""Reads an app or a refusal out of a model's answer: a tool's arguments, a JSON object, or documents in a text."""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from builder.generators.llm.documents import bare_page, documents_in, header
from guardrails.bundle import INDEX
from guardrails.text import clean, clip

BUILD = "build_app"
DECLINE = "decline"
MOST_TRIES = 100
_OBJECT = re.compile(r'\{\s*"')
_TITLE = re.compile(r"<title[^>]{0,200}>(.{0,500}?)</title", re.IGNORECASE | re.DOTALL)
_META = re.compile(
    r"<meta\s{1,9}name=[\"']?description[\"']?\s{1,9}content=(?:\"([^\"]{0,1000})\"|'([^']{0,1000})')", re.IGNORECASE
)


@dataclass(frozen=True)
class Draft:
    """An app as a model wrote it, nothing about it checked; the texts are clean and within a report's limits."""

    title: str
    description: str
    files: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Declined:
    """The model will not build it; the reason is its sentence to the asker, and may be empty."""

    reason: str


class Unreadable(Exception):
    """No app can be read out of an answer; the message says why, in words of ours that may go back to the model."""


class NewFile(BaseModel):
    """One file of the app."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(description="Relative name, such as index.html")
    content: str = Field(description="The complete content")


class NewApp(BaseModel):
    """Hands over the finished app."""

    model_config = ConfigDict(frozen=True)

    title: str = Field(description="At most 60 characters, in the asker's language")
    description: str = Field(description="One line that says what the app does, in the asker's language")
    files: list[NewFile] = Field(min_length=1, description="Every file of the app; one is index.html")

    @field_validator("files", mode="before")
    @classmethod
    def _as_list(cls, given: object) -> object:
        # Some models write the list as a string, or as an object of contents by name.
        if isinstance(given, str):
            given = json.loads(given, strict=False)
        if isinstance(given, dict):
            return [{"name": name, "content": content} for name, content in given.items()]
        return given


class NoApp(BaseModel):
    """Says why the app is not built."""

    model_config = ConfigDict(frozen=True)

    reason: str = Field(description="One short, friendly sentence to the asker, in their language")


def read_call(tool: str, arguments: str) -> Draft | Declined:
    """The app or the refusal in a tool call; Unreadable when it is neither."""
    try:
        given = json.loads(arguments, strict=False)
        if tool == DECLINE:
            return _declined(NoApp.model_validate(given).reason)
        if tool == BUILD:
            return _draft(NewApp.model_validate(given))
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"the call of {tool} does not fit: {_why(problem)}") from problem
    raise Unreadable("that tool does not exist")


def read_text(text: str) -> Draft | Declined:
    """The app or the refusal in a text, whatever stands around it; of two apps the later one."""
    documents = documents_in(text)
    found = list(_objects(text)) if not documents else []
    if found:
        return found[-1]
    if not documents and (page := bare_page(text)) is not None:
        documents = [(INDEX, page)]
    if documents:
        return _described(text, documents)
    reason = header("DECLINE", text)
    if reason:
        return _declined(reason)
    raise Unreadable("there is no complete app in it")


def _described(text: str, documents: list[tuple[str, str]]) -> Draft:
    page = next(content for name, content in documents if name.lower().endswith((".html", ".htm")))
    title = header("TITLE", text) or _title_of(page)
    return _named(title, header("DESCRIPTION", text) or _description_of(page), tuple(documents))


def _objects(text: str) -> Iterator[Draft | Declined]:
    decoder = json.JSONDecoder(strict=False)
    at = 0
    # Each failed try may read far: a text of nothing but braces must not take forever.
    for _ in range(MOST_TRIES):
        begin = _OBJECT.search(text, at)
        if begin is None:
            return
        try:
            value, at = decoder.raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            at = begin.end()
            continue
        if isinstance(value, dict):
            yield from _of_object(value)


def _of_object(value: dict[str, object]) -> Iterator[Draft | Declined]:
    # A server without tool calling may get the call as text: {"name": "build_app", "arguments": {…}}.
    inner = value.get("arguments", value.get("parameters"))
    if isinstance(inner, dict):
        value = inner
    try:
        yield _draft(NewApp.model_validate(value))
    except (ValueError, RecursionError):
        reason = value.get("reason", value.get("decline", value.get("refusal")))
        if isinstance(reason, str) and "files" not in value:
            yield _declined(reason)


def _draft(app: NewApp) -> Draft:
    return _named(app.title, app.description, tuple((file.name, file.content) for file in app.files))


def _named(title: str, description: str, files: tuple[tuple[str, str], ...]) -> Draft:
    pages = [name for name, _ in files if name.lower().endswith((".html", ".htm"))]
    if len(pages) == 1 and pages[0].lower() != INDEX:
        files = tuple((INDEX if name == pages[0] else name, content) for name, content in files)
    title = clip(clean(title), 100, 400)
    if not title:
        raise Unreadable("the app has no title")
    return Draft(title, clip(clean(description), 200, 800) or title, files)


def _declined(reason: str) -> Declined:
    return Declined(clip(clean(reason), 200, 800))


def _why(problem: Exception) -> str:
    if isinstance(problem, ValidationError):
        errors = problem.errors(include_url=False, include_input=False, include_context=False)
        return "; ".join(f"{'.'.join(str(step) for step in each['loc'])}: {each['type']}" for each in errors[:5])
    return "it is no JSON object"


def _title_of(page: str) -> str:
    found = _TITLE.search(page)
    return html.unescape(found[1]) if found else ""


def _description_of(page: str) -> str:
    found = _META.search(page)
    return html.unescape(found[1] or found[2] or "") if found else ""

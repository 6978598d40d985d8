"""What a model is told: our prompt from its files, and everything else fenced off as data."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from builder.generators.llm.options import AnswerMode
from builder.outcomes import Ask
from builder.ports import Task
from builder.workspace import Snapshot
from guardrails.bundle import content_type, printable
from guardrails.text import clean
from guardrails.wire import PointedAt

MOST_BYTES_BACK = 150_000
_VERSION = re.compile(r"Prompt version: ([0-9]{1,6})")
_LANGUAGE = re.compile(r"[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8}){0,4}")
_AS_TEXT = ("text/", "application/json", "application/manifest+json", "image/svg+xml")


@dataclass(frozen=True)
class Prompt:
    """The instructions as they are sent, and their version: the file's number, and a hash of every word of them."""

    text: str
    version: str


@cache
def prompt_for(answer: AnswerMode) -> Prompt:
    """The instructions for this form of answer, read from the package."""
    folder = files("builder.generators") / "prompts"
    head, _, rules = (folder / "app.md").read_text(encoding="utf-8").partition("\n")
    number = _VERSION.fullmatch(head)
    if number is None:
        raise ValueError("prompts/app.md does not begin with its version")
    form = (folder / f"as_{answer.value}.md").read_text(encoding="utf-8")
    text = f"{rules.strip()}\n\n{form.strip()}\n"
    return Prompt(text, f"{number[1]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}")


def fenced(title: str, text: str) -> str:
    """The text between two marker lines that it cannot hold: their number is a hash of the text itself."""
    number = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    while number in text:
        number = hashlib.sha256(number.encode()).hexdigest()[:20]
    return f"[data {number} begins: {title}]\n{text}\n[data {number} ends]"


def message(task: Task, current: Snapshot | None, note: str) -> str:
    """What is sent under the instructions: the ask, the files and findings of a repair, and a note of ours."""
    parts = [*_asked(task.ask)]
    if current is not None:
        parts += _to_mend(current, task.findings)
    if note:
        parts.append(note)
    return "\n\n".join(parts)


def _asked(ask: Ask) -> Iterator[str]:
    yield "Build the app that this post asks for."
    langs = [lang for lang in ask.langs[:3] if _LANGUAGE.fullmatch(lang)]
    if langs:
        yield f"The post declares these languages: {', '.join(langs)}."
    yield fenced("the asker's own post", _lines(ask.text))
    for post in ask.context:
        kind = "quotes" if post.quoted else "replies to"
        yield fenced(f"another person's post, which the asker's {kind}", _post(post))


def _post(post: PointedAt) -> str:
    alts = [f"picture: {clean(alt)}" for alt in post.alts]
    card = [f"link card: {clean(post.card)}"] if post.card else []
    return "\n".join([f"author: {clean(post.author)}", f"text: {_lines(post.text)}", *alts, *card])


def _to_mend(current: Snapshot, findings: tuple[str, ...]) -> Iterator[str]:
    yield "This app was written for it, and automatic checks found faults. Mend them; answer with the whole app again."
    left = MOST_BYTES_BACK
    for name, size in current.entries:
        text = _text_of(name, current.files) if size <= left else None
        if text is None:
            yield fenced("the name of a file that is not shown", printable(name))
            continue
        left -= size
        yield fenced(f"the file {printable(name)}", text)
    yield fenced("the checks' findings", "\n".join(f"- {clean(finding)}" for finding in findings))


def _text_of(name: str, contents: Mapping[str, bytes]) -> str | None:
    if name not in contents or not content_type(name).startswith(_AS_TEXT):
        return None
    try:
        return contents[name].decode("utf-8")
    except UnicodeDecodeError:
        return None


def _lines(text: str) -> str:
    """The text without hidden characters, its lines kept."""
    return "\n".join(clean(line) for line in text.splitlines())

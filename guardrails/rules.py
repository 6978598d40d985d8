"""The rules as a file: who may ask, how much and for what. Policy only; people are rows of the ledger."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Self

import regex
from pydantic import AfterValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from guardrails.documents import Shape, split_at_uri
from guardrails.errors import BadRules
from guardrails.words import has_word

# Of the checks themselves: raised when the same rules and the same facts can come to another verdict.
CHECKS_VERSION = "7"
LIST_COLLECTION = "app.bsky.graph.list"
MICROS = 1_000_000
# What pydantic says in the words of JSON, or of Python.
_MENDS = {
    "extra_forbidden": "no such key; remove it, or see guardrails.example.toml for the right name",
    "model_type": "must be a table",
    "tuple_type": "must be a list, in [ and ]",
    "string_type": "must be a text, in quotes",
    "string_pattern_mismatch": "must begin with http:// or https://, and have no blank in it",
}


class WhenFull(StrEnum):
    """What becomes of an ask over a cap."""

    WAIT = "wait"
    SKIP = "skip"


class Below(StrEnum):
    """What becomes of an ask whose author is below a floor."""

    HOLD = "hold"
    SKIP = "skip"


class Approval(StrEnum):
    """Whose asks a person looks at before they are built."""

    ALL = "all"
    FIRST_TIME = "first_time"
    HELD = "held"
    PRICE = "price"
    NONE = "none"


def _list_uri(value: str) -> str:
    if value and split_at_uri(value).collection != LIST_COLLECTION:
        raise ValueError(f"not the at-uri of an {LIST_COLLECTION}")
    return value


def _pattern(value: str) -> str:
    try:
        regex.compile(value)
    except regex.error as problem:
        raise ValueError(f"not a regular expression: {problem}") from None
    return value


def _word(value: str) -> str:
    if not has_word(value):
        raise ValueError("no letter or digit in it")
    return value


def _trimmed(value: str) -> str:
    if value != value.strip():
        raise ValueError("a blank at its end, with which it would match nothing; remove it")
    return value


def _label(value: str) -> str:
    if value.split() != [value]:
        raise ValueError("a blank in it, and no label has one; remove it, or name two")
    return value


def _rising(table: Shape, *keys: str) -> None:
    """Refuse a table in which one of these is more than the next: it could never be reached."""
    for key, other in pairwise(keys):
        low, high = getattr(table, key), getattr(table, other)
        if low > high:
            said = f"{low:g} is more than {other}, {high:g}; lower it, or raise {other}"
            raise PydanticCustomError("rising", "{said}", {"key": key, "said": said})


Words = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_word)], ...], Field(max_length=2000)
]
Patterns = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_pattern)], ...], Field(max_length=200)
]
Labels = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=128), AfterValidator(_label)], ...], Field(max_length=200)
]
Categories = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=128), AfterValidator(_trimmed)], ...], Field(max_length=200)
]
Usd = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]


class AskRules(Shape):
    """What of a post is the ask, and when two asks are the same."""

    max_graphemes: int = Field(default=1000, ge=20, le=10_000, description="A longer ask is cut there")
    same_hours: float = Field(
        default=168, ge=0, le=24 * 90, description="How long an ask of the same author counts as the same ask again"
    )
    same_similarity: float = Field(
        default=0.85,
        ge=0.5,
        le=1,
        description="Share of letters that two asks must have in common, word by word; 1: nothing misspelt",
    )


class AuthorRules(Shape):
    """Who may ask."""

    skip_bots: bool = Field(default=True, description="Whether accounts that call themselves bots are passed over")
    nobot: bool = Field(
        default=True, description="Whether #nobot in a bio is heeded: the asker's, and of whose post it is about"
    )
    allow_list: Annotated[str, AfterValidator(_list_uri)] = Field(
        default="", description="at-uri of a Bluesky list: only its members may ask; empty: everybody may"
    )
    skip_labels: Labels = Field(
        default=("!hide", "!takedown", "!suspend", "spam", "impersonation", "scam", "threat", "intolerant"),
        description="Labels of account or post that end an ask",
    )
    hold_labels: Labels = Field(
        default=("!warn", "porn", "sexual", "nudity", "graphic-media", "rude", "misleading"),
        description="Labels that put an ask before a person; so does every unknown one that begins with !",
    )
    min_age_days: float = Field(
        default=0,
        ge=0,
        le=3650,
        description="Younger accounts are below the floor, by the first operation of their DID at the PLC and not by "
        "their own word; those whose DID is not of the PLC are held",
    )
    min_followers: int = Field(default=0, ge=0, le=1_000_000, description="Accounts with fewer are below the floor")
    below_floor: Below = Field(default=Below.HOLD, description="What becomes of an ask from below the floor")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        both = sorted(set(self.skip_labels) & set(self.hold_labels))
        if both:
            said = f"{', '.join(both)} stands in skip_labels, too; remove it from one of them"
            raise PydanticCustomError("both", "{said}", {"key": "hold_labels", "said": said})
        return self


class CapRules(Shape):
    """How much: an author, a conversation and everybody together.

    Only builds that made an app count, but for `starts_per_day`: there each counts that a lane has begun.
    """

    author_per_hour: int = Field(default=3, ge=1, le=10_000, description="Asks of one author in an hour")
    author_per_day: int = Field(default=10, ge=1, le=10_000, description="Asks of one author in a day")
    starts_per_day: int = Field(
        default=20, ge=1, le=10_000, description="Builds of one author begun in a day, whatever came of them"
    )
    thread_per_day: int = Field(default=10, ge=1, le=10_000, description="Asks in one thread in a day")
    all_per_day: int = Field(default=500, ge=1, le=1_000_000, description="Asks of everybody in a day")
    at_once: int = Field(default=20, ge=1, le=10_000, description="Builds under way at the same time")
    when_full: WhenFull = Field(default=WhenFull.WAIT, description="Whether an ask over a cap waits or is skipped")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        _rising(self, "author_per_hour", "author_per_day", "all_per_day")
        _rising(self, "author_per_day", "starts_per_day")
        _rising(self, "thread_per_day", "all_per_day")
        return self


class MoneyRules(Shape):
    """What builds may cost, in US dollars; never nothing, since what is free is under no cap."""

    estimate_usd: Usd = Field(
        default=0.05,
        description="What a build is taken to cost until it is known; more where the last ones did, up to build_usd",
    )
    build_usd: Usd = Field(default=0.50, description="The most that one build may cost")
    author_day_usd: Usd = Field(default=1, description="The most that one author's builds may cost in a day")
    day_usd: Usd = Field(default=5, description="The purse: the most that all builds may cost in a day")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if round(self.estimate_usd * MICROS) < 1:
            said = "0 would switch every cap of money off; name what a build may cost, or `skywright pause builds`"
            raise PydanticCustomError("priceless", "{said}", {"key": "estimate_usd", "said": said})
        _rising(self, "estimate_usd", "build_usd", "author_day_usd", "day_usd")
        return self


class LoopRules(Shape):
    """When a conversation, or everything, goes round in circles."""

    exchanges: int = Field(
        default=5, ge=1, le=1000, description="Asks taken on in one thread without a new person, then silence"
    )
    per_minute: int = Field(
        default=60,
        ge=1,
        le=100_000,
        description="Asks taken on in a minute in all; more pause builds and call a person",
    )


class FitRules(Shape):
    """What is not built, beside the built-in lists.

    Words are found whole, and `*` stands for the rest of one; case, accents, look-alike letters and spelling out count
    for nothing.
    """

    words: Words = Field(default=(), description="Words and phrases that refuse an ask")
    hold_words: Words = Field(default=(), description="Words and phrases that put an ask before a person")
    patterns: Patterns = Field(default=(), description="Regular expressions that refuse an ask")
    brands: Words = Field(default=(), description="Names whose logins, secrets and looks must not be imitated")
    false_friends: Words = Field(
        default=(), description="Words and phrases that pass although they hold one that is listed, built in or here"
    )


class ModerationRules(Shape):
    """A moderation service that speaks OpenAI's moderation API. Its key is a setting, not a rule."""

    url: str = Field(
        default="", pattern=r"^(https?://\S+)?$", max_length=300, description="Its address; empty: none is asked"
    )
    model: str = Field(default="omni-moderation-latest", min_length=1, max_length=100, description="Which model")
    images: bool = Field(default=False, description="Whether it takes pictures too")
    deadline_seconds: float = Field(default=10, ge=0.1, le=120, description="The longest that one answer may take")
    hold: Categories = Field(default=(), description="Categories that put an ask before a person; any other refuses it")
    unknown_hours: float = Field(
        default=24, gt=0, le=24 * 30, description="After so long without an answer a person decides"
    )


class ApprovalRules(Shape):
    """Whose asks wait for a person."""

    policy: Approval = Field(
        default=Approval.HELD,
        description="Whose asks wait; held: what a check holds, and no more; none: that is skipped",
    )
    price_usd: Usd = Field(default=0.25, description="With `price`: builds that are taken to cost more wait")


class CommandRules(Shape):
    """What people may say to the bot beside their asks, and what they hear of it."""

    answers_per_day: int = Field(
        default=3,
        ge=0,
        le=100,
        description="Lines that one author gets in a day: about commands, failed builds, repeated asks and changes",
    )
    retries: int = Field(
        default=2, ge=0, le=100, description="How often an author may have one failed build tried again"
    )


class Rules(Shape):
    """Every rule; the defaults are a small public bot's."""

    ask: AskRules = AskRules()
    authors: AuthorRules = AuthorRules()
    caps: CapRules = CapRules()
    money: MoneyRules = MoneyRules()
    loops: LoopRules = LoopRules()
    fit: FitRules = FitRules()
    moderation: ModerationRules = ModerationRules()
    approval: ApprovalRules = ApprovalRules()
    commands: CommandRules = CommandRules()

    @model_validator(mode="after")
    def _ever_asked(self) -> Self:
        price, most = self.approval.price_usd, self.money.build_usd
        if self.approval.policy is Approval.PRICE and price > most:
            said = f"{price:g} is more than money.build_usd, {most:g}, so that nobody would ever be asked; lower it"
            raise PydanticCustomError("never", "{said}", {"key": "approval.price_usd", "said": said})
        return self

    @cached_property
    def version(self) -> str:
        """What a verdict is signed with: the version of the checks, and a digest of these rules."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return f"{CHECKS_VERSION}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def read_rules(text: str) -> Rules:
    """Rules from a TOML text; what it leaves out is as built in. BadRules names each wrong key and its mend."""
    try:
        raw: Mapping[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise BadRules([f"not TOML: {problem}"]) from None
    try:
        return Rules.model_validate_json(json.dumps(raw, default=_as_a_table), strict=True)
    except ValidationError as problems:
        raise BadRules([_said(dict(problem)) for problem in problems.errors(include_url=False)]) from None


def micros(usd: float) -> int:
    """US dollars in millionths, as the ledger counts money."""
    return round(usd * MICROS)


def _as_a_table(date: object) -> dict[str, None]:
    """A date or a time, which no rule is, as what no rule takes."""
    return {str(date): None}


def _said(problem: dict[str, Any]) -> str:
    path = ".".join(str(part) for part in (*problem["loc"], *filter(None, [problem.get("ctx", {}).get("key")])))
    return f"{path}: {_MENDS.get(problem['type'], problem['msg'].removeprefix('Value error, '))}"

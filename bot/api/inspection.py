"""What the bot itself says of a finished app: a lane is trusted with an outcome, not with what people will read."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Protocol

from pydantic import ValidationError

from bot.api.problems import Refused
from bot.bluesky.thumbs import thumbnail
from bot.ledger.claims import Claimed
from bot.ledger.finishing import Inspected
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.visible_text import visible_texts
from guardrails.facts import Facts, Moderated
from guardrails.moderation import judge_app, what_is_flagged
from guardrails.rules import Approval, ModerationRules, Rules
from guardrails.said import PASS, Outcome, Said, first, hold, skip, unknown
from guardrails.transitions import Reason
from guardrails.wire import Report

ASK_AGAIN_SECONDS = 15
# Judging so much takes seconds, in which nothing else is done.
MOST_TEXT = 300_000
# Said of an account by itself, or to apps: neither is a reason to hide a picture.
_HARMLESS = frozenset({"bot", "!no-unauthenticated"})


class Moderate(Protocol):
    """Asks the moderation service about a text and a JPEG; None when it does not say."""

    def __call__(self, rules: ModerationRules, text: str, image: bytes | None = None) -> Moderated | None:
        """What it flags; nothing where the rules name no service."""
        ...


def unmoderated(rules: ModerationRules, text: str, image: bytes | None = None) -> Moderated | None:
    """In the stead of a service that is not there: nothing is known."""
    return None


class Inspection:
    """Judges finished apps by the rules in force, and with the moderation service that they name."""

    def __init__(self, ledger: Ledger, rules: Callable[[], Rules], moderate: Moderate) -> None:
        self._ledger = ledger
        self._rules = rules
        self._moderate = moderate

    def inspect(self, claimed: Claimed, report: Report, files: Mapping[str, bytes]) -> Inspected:
        """Judge texts, files and picture of a finished app; Refused while the moderation service does not say."""
        rules = self._rules()
        texts = visible_texts(files)
        ours = _judged(report, texts, rules)
        if ours.outcome is Outcome.SKIP:
            return Inspected(ours)
        picture = self._ledger.sightings.screen(claimed.slug, claimed.version)
        theirs = self._service("\n".join((report.title, report.description, texts[0][:MOST_TEXT])), picture, rules)
        said = ours if theirs.outcome is Outcome.PASS else theirs
        if said.outcome is not Outcome.PASS and rules.approval.policy is Approval.NONE:
            said = skip(Reason.NOBODY_DECIDES, said.detail)
        return Inspected(said, picture)

    def of_reason(self, reason: str) -> Said:
        """Judge the words in which a lane says why it did not build; nobody waits for a service that is silent."""
        if not reason:
            return PASS
        rules = self._rules()
        ours = judge_app("", "", reason, rules)
        if ours.outcome is not Outcome.PASS or not rules.moderation.url:
            return ours
        said = self._moderate(rules.moderation, reason)
        return what_is_flagged(said, rules) if said is not None else unknown("the moderation service does not answer")

    def may_be_pictured(self, document: Document) -> bool:
        """Whether a picture of the app may go out; never where the post or its author is labelled.

        Where the service looks at no pictures, neither may the author be new nor the ask have been held.
        """
        facts = _facts_of(document)
        if facts is None or _is_labelled(facts):
            return False
        was_held = any(verdict.outcome is Outcome.HOLD for verdict in document.verdicts)
        return self._looks_at_pictures(self._rules()) or not (facts.first_time or was_held)

    def _service(self, text: str, picture: bytes | None, rules: Rules) -> Said:
        if not rules.moderation.url:
            return PASS
        shown = thumbnail(picture) if picture is not None and self._looks_at_pictures(rules) else None
        said = self._moderate(rules.moderation, text, shown)
        if said is None:
            raise _not_moderated()
        return what_is_flagged(said, rules)

    def _looks_at_pictures(self, rules: Rules) -> bool:
        return bool(rules.moderation.url) and rules.moderation.images


def _judged(report: Report, texts: Sequence[str], rules: Rules) -> Said:
    """By every reading of what the app shows."""
    said = first(judge_app(report.title, report.description, text[:MOST_TEXT], rules) for text in texts)
    longest = max(map(len, texts))
    if longest > MOST_TEXT and said.outcome is not Outcome.SKIP:
        return hold(Reason.SUSPECT, f"its {longest} characters of text are too many to be judged")
    return said


def _facts_of(document: Document) -> Facts | None:
    try:
        return document.facts
    except ValidationError:
        return None


def _is_labelled(facts: Facts) -> bool:
    look = facts.look
    if look is None:
        return False
    labels = (*look.post_labels, *(look.author.labels if look.author is not None else ()))
    return any(label.val not in _HARMLESS for label in labels)


def _not_moderated() -> Refused:
    headers = {"Retry-After": str(ASK_AGAIN_SECONDS)}
    message = "the moderation service does not answer, and nothing is published without it"
    mend = "Report again a little later; the claim stands while heartbeats come."
    return Refused(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", message, mend, headers)

"""Publishes to a place of the lane's own, which any web server or object store shows to the public.

Below the place's prefix, `<slug>/<version>/…` holds the files of a version; they never change. `<slug>/index.html` is
there once a slug was taken down: a stone that says so, laid before anything is removed, below which nothing is stored.
"""

import re
from collections.abc import Mapping
from html import escape
from typing import Protocol

from builder.client import BotClient
from builder.errors import BadSettings, LaneError, LaneUnfit
from builder.outcomes import Broken, Done, Outcome, Published, Refused, RetryLater, Unfit
from builder.publishers.shut_in import shut_in
from builder.publishers.upload import upload
from builder.publishers.visitor import Visitor
from guardrails.bundle import INDEX, check_names
from guardrails.text import clean
from guardrails.wire import Claim

RETRY_SECONDS = 60.0
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_BASE = re.compile(
    r"(?:https://[a-z0-9-]+(?:\.[a-z0-9-]+)*|http://(?:127\.0\.0\.1|(?:[a-z0-9-]+\.)*localhost))(?::[0-9]{1,5})?"
    r"(?:/[A-Za-z0-9._~/-]*)?"
)
_TAKEN_DOWN = Refused("", "the slug was taken down: nothing is published under it any more")


class Place(Protocol):
    """Where versions are kept. Its calls raise PlaceAway, or LaneUnfit when a person has to mend something."""

    def is_buried(self, slug: str) -> bool:
        """Whether the stone of a slug is there."""
        ...

    def store(self, slug: str, version: int, files: Mapping[str, bytes]) -> bool:
        """Store a version, or what is missing of it; False when another content stands there, which is left alone."""
        ...

    def remove(self, slug: str, version: int) -> None:
        """Remove a version, whether it is there or not."""
        ...

    def bury(self, slug: str, stone: bytes) -> None:
        """Lay the stone, then remove every version. Again: the rest of it."""
        ...


def public_base(url: str) -> str:
    """A public address to publish under, without a slash at its end; BadSettings for one that no page could frame."""
    if _BASE.fullmatch(url) is None:
        raise BadSettings(
            "the public address is not a plain https one: a lower-case host, and a path of letters, digits and .-_~ "
            "(http only on this machine)"
        )
    return url.rstrip("/")


class PlaceAway(LaneError):
    """The place does not do it just now; the message says why and quotes nothing that it said."""


class ElsewherePublisher:
    """Publishes under public addresses below `base`; the bot gets the bundle as well. BadSettings for a wrong base."""

    sets_headers = False
    answers_gone = False

    def __init__(self, name: str, place: Place, base: str, client: BotClient, visitor: Visitor) -> None:
        self.name = name
        self._place = place
        self._base = public_base(base)
        self._client = client
        self._visitor = visitor

    def prepare(self, files: Mapping[str, bytes], claim: Claim) -> Mapping[str, bytes]:
        """With the policy in every page, and a guard that gives way to the app's page on the bot."""
        return shut_in(files, claim.address)

    def publish(self, claim: Claim, files: Mapping[str, bytes]) -> Outcome[Published]:
        """Upload, store, look from outside; what is not to be had from outside is removed again."""
        problem = _problem(claim, files)
        if problem is not None:
            return Broken(problem)
        try:
            if self._place.is_buried(claim.slug):
                return _TAKEN_DOWN
            uploaded = upload(self._client, claim, files)
            if not isinstance(uploaded, Done):
                return uploaded
            return self._show(claim, files, uploaded.value.sha256)
        except PlaceAway as problem:
            return RetryLater(RETRY_SECONDS, str(problem))
        except LaneUnfit as problem:
            return Unfit(str(problem))

    def unpublish(self, slug: str, reason: str) -> Outcome[None]:
        """Lay the stone with the reason, and remove every version; again, to remove what a crash has left."""
        if _SLUG.fullmatch(slug) is None:
            return Broken("no slug of an app: lower-case letters, digits and dashes")
        try:
            self._place.bury(slug, _stone(reason))
        except PlaceAway as problem:
            return RetryLater(RETRY_SECONDS, str(problem))
        except LaneUnfit as problem:
            return Unfit(str(problem))
        return Done(None)

    def _show(self, claim: Claim, files: Mapping[str, bytes], sha256: str) -> Outcome[Published]:
        slug, version = claim.slug, claim.version
        if not self._place.store(slug, version, files):
            return Broken(f"another app stands at version {version} of this slug, and versions never change")
        # Whoever lays the stone lists what is there afterwards: it is seen here, or all of this is seen there.
        if self._place.is_buried(slug):
            self._place.remove(slug, version)
            return _TAKEN_DOWN
        problem = self._visitor.problem(f"{self._base}/{slug}/{version}/", files)
        buried = self._place.is_buried(slug)
        if buried or problem is not None:
            self._place.remove(slug, version)
            return _TAKEN_DOWN if buried else RetryLater(RETRY_SECONDS, f"stored, but not to be had: {problem}")
        return Done(Published(f"{self._base}/{slug}/{version}/{INDEX}", sha256))


def _problem(claim: Claim, files: Mapping[str, bytes]) -> str | None:
    if _SLUG.fullmatch(claim.slug) is None or claim.version < 1:
        return "the claim has no slug or version that a path could be made of"
    problems = check_names(((name, len(content)) for name, content in files.items()), claim.limits)
    return "; ".join(problems) or None


def _stone(reason: str) -> bytes:
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
        '<meta name="robots" content="noindex"><meta name="viewport" content="width=device-width">'
        f"<title>This app is gone</title><h1>This app is gone</h1><p>{escape(clean(reason))}</p></html>\n"
    ).encode()

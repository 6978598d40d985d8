"""Steers a running network from outside: accounts, moderation, and an AppView that lags when told to."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from types import TracebackType
from typing import Any, Self

import httpx

from guardrails.documents import Did
from tests.network.process import Endpoints

# What dev-env sets: an admin's login at the PDS, and the key (HS256) of its session tokens, to make expired ones with.
ADMIN = ("admin", "admin-pass")
JWT_SECRET = "jwt-secret"


class Refused(Exception):
    """The network answered with an error; the message is the status and the body."""


@dataclass(frozen=True)
class Account:
    """Somebody on the network."""

    did: Did
    handle: str
    password: str = field(repr=False)


class Control:
    """The control port of a network; an operation returns once the AppView has caught up with it."""

    def __init__(self, endpoints: Endpoints) -> None:
        self.endpoints = endpoints
        self.tokens: dict[str, str] = {}
        self.handles: dict[str, str] = {}
        self.http = httpx.Client(timeout=60, trust_env=False)
        self._numbers = count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def fresh_handle(self, name: str) -> str:
        """A handle that nobody here has yet: tests share the network."""
        return f"{name}-{next(self._numbers)}.test"

    def create_account(
        self,
        handle: str,
        password: str | None = None,
        display_name: str | None = None,
        self_labels: Sequence[str] = (),
    ) -> Account:
        """Sign somebody up; the password is `<handle>-pw` unless one is given."""
        password = password or f"{handle}-pw"
        body = {"handle": handle, "password": password, "displayName": display_name, "selfLabels": list(self_labels)}
        made = self._operate("/account", body)
        self.tokens[made["did"]] = made["accessJwt"]
        self.handles[made["did"]] = handle
        return Account(Did(made["did"]), handle, password)

    def process(self) -> None:
        """Wait until the AppView knows everything written so far; not while it is paused."""
        self._operate("/process", {})

    def takedown(self, subject: str, cid: str | None = None, *, reverse: bool = False) -> None:
        """Take an account (a DID) or a record (an at-uri, and its CID) down, or put it back."""
        self._operate("/takedown", {**_subject(subject, cid), "reverse": reverse})

    def label(
        self, subject: str, val: str, *, cid: str | None = None, src: str | None = None, neg: bool = False
    ) -> None:
        """Label an account or a record as the AppView shows it; `src` is the network's own labeler if not given."""
        self._operate("/label", {**_subject(subject, cid), "val": val, "src": src, "neg": neg})

    def ozone_label(
        self, subject: str, cid: str | None = None, *, create: Sequence[str] = (), negate: Sequence[str] = ()
    ) -> None:
        """Label in Ozone only: its queryLabels tells it, this AppView does not read it."""
        self._operate("/ozone-label", {**_subject(subject, cid), "create": list(create), "negate": list(negate)})

    def deactivate(self, did: str, *, reverse: bool = False) -> None:
        """Deactivate an account, or activate it again."""
        self._operate("/deactivate", {"did": did, "reverse": reverse})

    def appview_pause(self) -> None:
        """From now on the AppView learns nothing new; it still answers what it knows."""
        self._operate("/appview/pause", {})

    def appview_resume(self) -> None:
        """The AppView catches up."""
        self._operate("/appview/resume", {})

    @contextmanager
    def appview_paused(self) -> Iterator[None]:
        """An AppView that lags behind for as long as the block lasts."""
        self.appview_pause()
        try:
            yield
        finally:
            self.appview_resume()

    def _operate(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return answer(self.http.post(self.endpoints.control + path, json=body))


def answer(response: httpx.Response) -> dict[str, Any]:
    """The JSON object in an answer, {} for an empty one; Refused for an error."""
    if not response.is_success:
        raise Refused(f"{response.status_code} {response.text}")
    found: dict[str, Any] = response.json() if response.content else {}
    return found


def _subject(subject: str, cid: str | None) -> dict[str, str | None]:
    return {"uri": subject, "cid": cid} if subject.startswith("at://") else {"did": subject}

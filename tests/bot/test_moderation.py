"""What the moderation service is asked, and what follows from its answers, or from none."""

import base64
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.moderation import CATEGORY_LENGTH, MOST_CATEGORIES, PART, Moderator
from guardrails.facts import Moderated
from guardrails.rules import ModerationRules, Rules
from tests.bot.bluesky.scripted import Answer, answered, raw_server
from tests.moderation import Service, moderation_service

KEY = "canary-key"
CLEAN = Moderated()


@pytest.fixture
def service() -> Iterator[Service]:
    with moderation_service() as running:
        yield running


def asked(rules: Rules, text: str = "a quiz", image: bytes | None = None, key: str | None = KEY) -> Moderated | None:
    moderator = Moderator(SecretStr(key) if key is not None else None)
    try:
        return moderator.moderate(rules.moderation, text, image)
    finally:
        moderator.close()


def test_a_text_that_is_fit_is_not_flagged(service: Service) -> None:
    """Asked with the key, by the model that the rules name."""
    assert CLEAN == asked(service.rules(model="some-model"))
    assert [{"model": "some-model", "input": "a quiz"}] == service.asked
    assert f"Bearer {KEY}" == service.headers[0]["authorization"]


def test_a_service_that_wants_no_key_gets_none(service: Service) -> None:
    """One of the host's own, perhaps."""
    assert CLEAN == asked(service.rules(), key=None)
    assert "authorization" not in service.headers[0]


def test_what_is_flagged_is_named(service: Service) -> None:
    """Every category once."""
    service.flags = lambda text: ("violence", "harassment") if "quiz" in text else ()

    assert {"violence", "harassment"} == set((asked(service.rules()) or CLEAN).categories)


def test_without_a_service_nothing_is_flagged(service: Service) -> None:
    """And nothing is asked."""
    assert CLEAN == asked(Rules())


@pytest.mark.parametrize("text", ["", "  \n"])
def test_what_says_nothing_is_not_asked_about(service: Service, text: str) -> None:
    """Some services refuse an empty text."""
    assert CLEAN == asked(service.rules(), text)
    assert [] == service.asked


def test_a_long_text_is_asked_about_in_parts(service: Service) -> None:
    """The part that is flagged flags it all."""
    service.flags = lambda text: ("violence",) if "knife" in text else ()
    text = "x" * (2 * PART) + "knife"

    assert Moderated(categories=("violence",)) == asked(service.rules(), text)
    assert [PART, PART, 5] == [len(part) for part in service.texts[0]]


def test_a_picture_is_asked_about_where_the_service_takes_them(service: Service) -> None:
    """After the text, as data."""
    service.flags = lambda text: ("sexual",) if text == "a picture" else ()
    url = "data:image/jpeg;base64," + base64.b64encode(b"pixels").decode()

    assert Moderated(categories=("sexual",)) == asked(service.rules(images=True), "a quiz", b"pixels")
    assert ["a quiz", [{"type": "image_url", "image_url": {"url": url}}]] == service.texts


def test_a_picture_is_not_sent_where_the_service_takes_none(service: Service) -> None:
    """The text is judged all the same."""
    assert CLEAN == asked(service.rules(), "a quiz", b"pixels")
    assert ["a quiz"] == service.texts


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "/v1/moderations"),
        ("/", "/v1/moderations"),
        ("/v1", "/v1/moderations"),
        ("/v1/", "/v1/moderations"),
        ("/openai/v1", "/openai/v1/moderations"),
        ("/proxy", "/proxy/v1/moderations"),
        ("/v1/moderations", "/v1/moderations"),
        ("/custom/moderations/?version=2", "/custom/moderations"),
    ],
)
def test_the_address_may_name_the_server_or_the_endpoint(path: str, expected: str) -> None:
    """As people copy it from the service's page."""
    paths = []

    def talk(connection: socket.socket, _: threading.Event) -> None:
        paths.append(connection.recv(65536).split(b" ")[1].decode().partition("?")[0])

    with raw_server(talk) as url:
        asked(Rules(moderation=ModerationRules(url=url + path)))

    assert [expected] == paths


UNUSABLE = {
    "an error": answered({"error": {"message": "no"}}, 500),
    "a wrong key": answered({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401),
    "too many": answered({}, 429, retry_after="9"),
    "a redirect": answered({}, 307, location="http://127.0.0.1:1/"),
    "no JSON": Answer(200, b"<html>"),
    "deep JSON": Answer(200, b"[" * 100_000),
    "another thing": answered(["x"]),
    "no results": answered({}),
    "too few results": answered({"results": []}),
    "too many results": answered({"results": [{"flagged": False, "categories": {}}] * 2}),
    "an odd result": answered({"results": [7]}),
    "not a word about flags": answered({"results": [{"categories": {}}]}),
    "not a word about categories": answered({"results": [{"flagged": False}]}),
    "cut short": Answer(200, b'{"results": [{"flagged": false, "categories": {}}]}', {}, cut_after=20),
    "no answer": Answer(cut_after=-1),
}


@pytest.mark.parametrize("how", UNUSABLE)
def test_an_answer_that_cannot_be_used_is_none(service: Service, how: str) -> None:
    """Neither fit nor unfit; said in the log, without the key."""
    service.down = UNUSABLE[how]
    with capture_logs() as logs:
        assert asked(service.rules()) is None

    assert ["moderation_failed"] == [entry["event"] for entry in logs]
    assert KEY not in str(logs)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://[::1"])
def test_a_service_that_cannot_be_reached_says_nothing(url: str) -> None:
    """Whatever is wrong with its address."""
    rules = Rules.model_construct(moderation=ModerationRules.model_construct(url=url, model="m", deadline_seconds=2.0))

    assert asked(rules) is None


@pytest.mark.parametrize("key", ["line\nbreak", "schl\u00fcssel", "\ud800"])
def test_a_key_that_cannot_be_sent_says_nothing(service: Service, key: str) -> None:
    """It is no reason to build, nor to refuse."""
    assert asked(service.rules(), key=key) is None


def test_an_answer_that_drips_is_left_at_the_deadline() -> None:
    """In all, not from byte to byte."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
        while not over.wait(0.05):
            connection.sendall(b" ")

    begun = time.monotonic()
    with raw_server(talk) as url:
        rules = Rules(moderation=ModerationRules(url=url, deadline_seconds=0.5))
        assert asked(rules) is None
    assert time.monotonic() - begun < 5


def test_what_is_flagged_without_a_name_is_flagged(service: Service) -> None:
    """By its own word."""
    service.down = answered({"results": [{"flagged": True, "categories": {"violence": False}}]})

    assert Moderated(categories=("flagged",)) == asked(service.rules())


def test_names_are_kept_short_and_visible(service: Service) -> None:
    """They are shown to operators."""
    names = {f"{n}\u202e" + "x" * 500: True for n in range(200)}
    service.down = answered({"results": [{"flagged": True, "categories": names}]})
    found = asked(service.rules())

    assert found is not None
    assert MOST_CATEGORIES == len(found.categories)
    assert all(len(name) <= CATEGORY_LENGTH and "\\u202e" in name for name in found.categories)


def test_the_deadline_is_for_all_that_is_asked() -> None:
    """Not for each question: a text and a picture have one."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        over.wait(0.6)
        body = b'{"results": [{"flagged": false, "categories": {}}]}'
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    with raw_server(talk) as url:
        one, two = (
            asked(Rules(moderation=ModerationRules(url=url, deadline_seconds=1, images=True)), image=image)
            for image in (None, b"\xff\xd8\xff")
        )

    assert (CLEAN, None) == (one, two)

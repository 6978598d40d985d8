import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx
import pytest
import stamina
from fastapi import FastAPI, Request
from fastapi.responses import Response

from builder.publishers.visitor import Patience, Visitor
from tests.bot.serving import served
from tests.builder.publishers.sites import visitor_of

FILES = {"index.html": b"<p>x"}


@dataclass
class Public:
    """A place that answers as it is told, one answer after the other, the last one for good."""

    answers: list[Response] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def app(self) -> FastAPI:
        app = FastAPI(redirect_slashes=False)

        @app.get("/{path:path}")
        def answer(request: Request) -> Response:
            self.asked.append(str(request.url))
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

        return app


def page(content: bytes = FILES["index.html"], kind: str = "text/html", **headers: str) -> Response:
    return Response(content, headers={"Content-Type": kind, **headers})


def redirect(location: str) -> Response:
    return Response(status_code=308, headers={"Location": location})


@pytest.fixture
def public() -> Iterator[Public]:
    public = Public()
    with served(lambda _: public.app()) as port:
        public.url = f"http://127.0.0.1:{port}/app/1/"
        yield public


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    with httpx.Client(trust_env=False) as http, stamina.set_testing(True, attempts=3):
        yield visitor_of(http)


def test_a_place_may_need_its_time(public: Public, visitor: Visitor) -> None:
    """Each look is one that no cache has seen."""
    public.answers = [Response(status_code=404), page(b"old"), page()]

    assert visitor.problem(public.url, FILES) is None
    assert [f"{public.url}index.html?fresh=fresh-{n}" for n in range(3)] == public.asked


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Response(status_code=404), "answers 404"),
        (Response(status_code=500), "answers 500"),
        (page(b"<p>y"), "answers with other bytes"),
        (page(b"<p>x<script src=//ads.example></script>"), "answers with other bytes"),
        (page(b"x" * 10_000_000), "answers with other bytes"),
        (page(kind="text/plain"), "served as 'text/plain', not as text/html"),
        (page(kind="text/html; charset=utf-7"), "served as"),
        (page(b"", **{"Content-Encoding": "gzip"}), "bytes"),
        (page(b"junk", **{"Content-Encoding": "gzip"}), r"cannot be had \(DecodingError\)"),
        (redirect("https://evil.example/"), "leads to another place"),
        (redirect("http://127.0.0.1:1/"), "leads to another place"),
        (redirect("//evil.example/"), "leads to another place"),
        (redirect("http://["), "leads to another place"),
        (redirect("again"), "answers 308"),
    ],
)
def test_what_is_not_the_file_is_told(public: Public, visitor: Visitor, answer: Response, problem: str) -> None:
    """In one line that is safe to print."""
    public.answers = [answer]
    told = visitor.problem(public.url, FILES)

    assert told is not None
    assert re.search(problem, told)


def test_a_place_may_answer_at_the_folder(public: Public, visitor: Visitor) -> None:
    """Some hosts send `index.html` there; it is of the same origin."""
    public.answers = [redirect("/app/1/"), page(kind="text/html; charset=UTF-8")]

    assert visitor.problem(public.url, FILES) is None


@pytest.mark.parametrize(
    ("name", "kind", "fine"),
    [
        ("a.js", "text/javascript", True),
        ("a.mjs", "application/javascript; charset=utf-8", True),
        ("a.js", "text/plain", False),
        ("a.css", "application/octet-stream", False),
        ("a.svg", "image/svg+xml", True),
        ("a.png", "application/octet-stream", True),
        ("a.png", "text/html", False),
        ("a.txt", "application/xml", False),
        ("a.webmanifest", "application/json", True),
        ("a.csv", "", False),
    ],
)
def test_a_type_has_to_be_one_that_works_and_does_no_harm(
    public: Public, visitor: Visitor, name: str, kind: str, fine: bool
) -> None:
    """What browsers insist on, and nothing else that would run."""
    public.answers = [Response(b"x", headers={"Content-Type": kind})]

    assert fine == (visitor.problem(public.url, {name: b"x"}) is None)


def test_a_place_that_is_not_there_is_told(visitor: Visitor) -> None:
    """By the kind of error only."""
    assert "'index.html': cannot be had (ConnectError)" == visitor.problem("http://127.0.0.1:1/", FILES)


def test_a_place_that_never_answers_is_left() -> None:
    """Its connection is taken, and nothing is said."""
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        httpx.Client(trust_env=False) as http,
        stamina.set_testing(True, attempts=1),
    ):
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        told = visitor_of(http, Patience(file_seconds=0.05)).problem(url, FILES)

    assert "'index.html': cannot be had (" in (told or "")

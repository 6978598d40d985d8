import socket
from typing import Annotated

import httpx
import pytest
from fastapi import Depends, FastAPI

from bot.api.bodies import bounded
from bot.api.problems import answer_problems
from guardrails.documents import Slug
from guardrails.pictures import SCREENSHOT_BYTES
from tests.bot.api.lanes import CLAIM_ID, Lane, refusal
from tests.bot.serving import served
from tests.bot.stage import OPERATOR, PAGE, Stage, zipped

BUNDLE = zipped(PAGE)


def test_a_bad_token_opens_nothing(lane: Lane, stage: Stage) -> None:
    """None, a wrong one, a revoked one and an endless one are told apart by nobody."""
    revoked = lane.other("revoked-token")
    stage.ledger.desk.revoke_device(OPERATOR, "device-revoked-token")
    sent = ["Bearer", "Bearer wrong-token", f"Bearer {revoked.token}", f"Bearer {'x' * 5000}", "Basic right-token"]

    answers = [lane.http.post("/api/lane/claim", headers={"Authorization": token}) for token in sent]
    answers.append(lane.http.post("/api/lane/claim"))
    answers.append(lane.http.post("/api/lane/claim?token=right-token"))

    assert [(401, "bad_token")] * 7 == [refusal(answer) for answer in answers]
    assert 1 == len({answer.text for answer in answers})
    assert "Bearer" == answers[0].headers["WWW-Authenticate"]


def test_a_caller_is_noted(lane: Lane, stage: Stage) -> None:
    """Hosts see when a lane last came by."""
    lane.claim()

    assert stage.ledger.lanes.visits(None).seen_at is not None


@pytest.mark.parametrize("version", [0, 2, 10**30])
def test_another_version_of_the_api_is_named(lane: Lane, stage: Stage, version: int) -> None:
    """So that who upgrades one side alone knows what to do."""
    stage.ask()
    lane.claim()

    assert (426, "api_version") == refusal(lane.claim(api_version=version))
    assert (426, "api_version") == refusal(lane.upload(BUNDLE, **{"X-Skywright-Api-Version": str(version)}))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"claim_id": 7, "generator": "template"}',
        b'{"claim_id": "' + CLAIM_ID.encode() + b'", "generator": "template", "hunter2": "hunter2"}',
        b'{"claim_id": "hunter2-hunter2-hunter2 hunter2", "generator": "template"}',
        b'{"claim_id": "' + CLAIM_ID.encode() + b'", "generator": "hunter2\\u0000"}',
        b'{"api_version": "hunter2", "claim_id": "' + CLAIM_ID.encode() + b'", "generator": "template"}',
        b'{"a":' * 20_000,
    ],
)
def test_a_body_that_is_no_request_is_refused(lane: Lane, body: bytes) -> None:
    """What is wrong is said, its values are not: they may be a secret in the wrong place."""
    answer = lane.http.post("/api/lane/claim", content=body, headers=lane.signed)

    assert (422, "invalid") == refusal(answer)
    assert "hunter2" not in answer.json()["message"].replace("hunter2: Extra inputs are not permitted", "")


def test_a_json_body_has_a_limit(lane: Lane) -> None:
    """Nobody needs a megabyte to ask for work."""
    assert (413, "too_large") == refusal(lane.claim(generator="x" * 1_000_000))


@pytest.mark.parametrize(
    "files",
    [
        {"about.html": b"no index"},
        {"index.html": b"", "../../etc/cron.d/x": b""},
        {"index.html": b"", "INDEX.html": b""},
        {"index.html": b"", "run.exe": b""},
        {"index.html": b"x" * 1_000_001},
        {"index.html": b"", **{f"{n}.js": b"" for n in range(41)}},
    ],
)
def test_a_bundle_is_checked_on_this_side_too(lane: Lane, stage: Stage, files: dict[str, bytes]) -> None:
    """Count, names, types and sizes; nothing of a bad bundle is kept."""
    stage.ask()
    lane.claim()

    assert (422, "invalid") == refusal(lane.upload(zipped(files)))
    assert stage.ledger.hosting.file("app-1", 1, "index.html") is None


def test_what_is_no_zip_is_no_bundle(lane: Lane, stage: Stage) -> None:
    """Any bytes get an answer."""
    stage.ask()
    lane.claim()

    assert [(422, "invalid")] * 2 == [refusal(lane.upload(junk)) for junk in (b"", b"PK\x03\x04 and then nothing")]


@pytest.mark.parametrize("junk", [b"", b"<svg onload=alert(1)>", b"GIF89a", b"PNG"])
def test_what_is_neither_png_nor_jpeg_is_no_screenshot(lane: Lane, stage: Stage, junk: bytes) -> None:
    """Whatever its header says; nothing of it is kept."""
    stage.ask()
    lane.claim()

    assert (422, "invalid") == refusal(lane.show(junk, **{"Content-Type": "image/png"}))
    assert stage.ledger.sightings.screen(Slug("app-1"), 1) is None


def test_a_screenshot_has_a_limit(lane: Lane, stage: Stage) -> None:
    """And the version of the API is looked at, as with a bundle."""
    stage.ask()
    lane.claim()
    picture = b"\x89PNG\r\n\x1a\n".ljust(SCREENSHOT_BYTES, b"x")

    assert (413, "too_large") == refusal(lane.show(picture + b"x"))
    assert (426, "api_version") == refusal(lane.show(picture, **{"X-Skywright-Api-Version": "2"}))
    assert 200 == lane.show(picture).status_code


def test_a_large_body_is_not_read_to_its_end(lane: Lane, stage: Stage) -> None:
    """Neither one that says so nor one that does not: its sender writes on, and is cut off."""
    stage.ask()
    lane.claim()

    for framing in ("Content-Length: 100000000000", "Transfer-Encoding: chunked"):
        sent, answer = _pour(lane, framing)

        assert answer.startswith(b"HTTP/1.1 413")
        assert b"too_large" in answer
        assert sent < 20_000_000


def test_no_body_is_read_for_an_unknown_caller(lane: Lane) -> None:
    """The token is looked at first."""
    sent, answer = _pour(lane, "Content-Length: 100000000000", token="wrong-token")

    assert answer.startswith(b"HTTP/1.1 401")
    assert sent < 20_000_000


def test_what_is_no_call_is_a_problem_as_well(lane: Lane) -> None:
    """Programs never get a page from this listener."""
    answers = [
        lane.http.get("/"),
        lane.http.get("/api/lane/claim"),
        lane.http.post("/api/lane/claims"),
        lane.http.get("/docs"),
        lane.http.get("/openapi.json"),
        lane.http.get("/health"),
        lane.http.get("/api/moves"),
    ]

    assert [404, 405, 404, 404, 404, 404, 404] == [refusal(answer)[0] for answer in answers]
    assert {"application/json"} == {answer.headers["Content-Type"] for answer in answers}


def test_an_absent_database_is_told_to_come_again(lane: Lane, stage: Stage) -> None:
    """A lane tries again later; what the database said is not for it."""
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("ALTER TABLE documents RENAME TO elsewhere")

    answer = lane.claim()

    assert (503, "unavailable") == refusal(answer)
    assert answer.headers["Retry-After"].isdigit()
    assert "documents" not in answer.text


def test_a_mistake_of_the_bots_own_is_a_problem_too(lane: Lane, stage: Stage) -> None:
    """And says nothing of what is behind it."""
    stage.ask()
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("""UPDATE documents SET body = '{"text": "hunter2"}'""")

    answer = lane.claim()

    assert (500, "internal") == refusal(answer)
    assert "hunter2" not in answer.text


def test_a_body_that_trickles_is_given_up() -> None:
    """A caller has a minute for its body, here a moment."""
    app = FastAPI()
    answer_problems(app)

    @app.put("/")
    async def take(body: Annotated[bytes, Depends(bounded(10, within_seconds=0.05))]) -> None:
        pass

    with served(lambda _: app) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as wire:
        wire.sendall(b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nslow")

        assert wire.recv(1000).startswith(b"HTTP/1.1 408")


def test_no_answer_is_kept_by_a_cache(lane: Lane, stage: Stage) -> None:
    """Nor taken for a page by a browser."""
    stage.ask()
    answers: list[httpx.Response] = [lane.claim(), lane.claim("short"), lane.http.get("/")]

    assert [("no-store", "nosniff")] * 3 == [
        (answer.headers["Cache-Control"], answer.headers["X-Content-Type-Options"]) for answer in answers
    ]


def _pour(lane: Lane, framing: str, token: str = "right-token") -> tuple[int, bytes]:
    """Send an endless bundle for as long as somebody reads it; how much that was, and the answer."""
    call = f"PUT /api/lane/claims/{CLAIM_ID}/bundle HTTP/1.1"
    head = "\r\n".join([call, "Host: x", f"Authorization: Bearer {token}", framing, "", ""])
    block = b"10000\r\n" + b"x" * 65536 + b"\r\n" if "chunked" in framing else b"x" * 65536
    sent, answer = 0, b""
    with socket.create_connection((lane.http.base_url.host, lane.http.base_url.port or 80), timeout=10) as wire:
        wire.sendall(head.encode())
        try:
            while sent < 100_000_000:
                wire.sendall(block)
                sent += len(block)
        except OSError:
            pass
        try:
            while more := wire.recv(65536):
                answer += more
        except OSError:
            pass
    return sent, answer

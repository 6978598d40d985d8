"""Coming in over HTTP: what opens, what does not, and that nothing of it is told or logged."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import httpx
import pytest
from structlog.testing import capture_logs

from bot.api.enrolment import AT_ONCE, Runs
from bot.api.issuer import IssuerKeys
from bot.api.lane import lane_app
from bot.api.oidc import RunTokens
from bot.clock import Clock
from bot.ledger.enrolments import Place
from bot.ledger.ledger import Ledger
from guardrails.access import Role
from guardrails.documents import DeviceId
from tests.bot.api.lanes import APPS_URL, CLAIM_ID, Lane, refusal
from tests.bot.bluesky.scripted import Answer, Call
from tests.bot.issuer import REPOSITORY, Issuer, issuing, rsa_key
from tests.bot.ledger.steps import pending
from tests.bot.serving import client, served
from tests.bot.stage import OPERATOR, Stage
from tests.waiting import until

LASTS = timedelta(hours=2)
PLACE = Place("a run", APPS_URL, 3600)


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture
def gate(ledger: Ledger, issuer: Issuer) -> Iterator[httpx.Client]:
    """The lane listener of a bot that lets the issuer's runs in, over a ledger on each database."""
    keys = IssuerKeys(issuer.url)
    runs = Runs(RunTokens(issuer.pins, keys, Clock()), PLACE, LASTS)
    with served(lambda _: lane_app(ledger, APPS_URL, runs=runs)) as port, client(port) as http:
        yield http
    keys.close()


def enrol(http: httpx.Client, code: str) -> httpx.Response:
    return http.post("/api/lane/enrol", json={"api_version": 1, "code": code})


def log_in(http: httpx.Client, id_token: str) -> httpx.Response:
    return http.post("/api/lane/run", json={"api_version": 1, "id_token": id_token})


def call(http: httpx.Client, login: httpx.Response, path: str, **body: object) -> httpx.Response:
    """A call by whoever was told a token."""
    signed = {"Authorization": f"Bearer {login.json()['token']}"}
    return http.post(f"/api/lane/{path}", json={"api_version": 1, **body}, headers=signed)


def invited(ledger: Ledger, code: str = "a-code", lasts: timedelta = LASTS) -> str:
    ledger.enrolments.invite(OPERATOR, Place("spare box", "https://pages.example/", 600), code, lasts)
    return code


def test_a_code_is_exchanged_for_a_token(gate: httpx.Client, ledger: Ledger) -> None:
    """Which lasts, and claims at once; that somebody came in is in the log."""
    with capture_logs() as logs:
        answer = enrol(gate, invited(ledger))
    told = answer.json()

    assert (201, None, "no-store") == (answer.status_code, told["expires_at"], answer.headers["Cache-Control"])
    assert told["device"] == getattr(ledger.desk.device_of_token(told["token"]), "id", None)
    assert 204 == call(gate, answer, "claim", claim_id=CLAIM_ID, generator="template").status_code
    assert [{"event": "lane_enrolled", "log_level": "info", "device": told["device"]}] == logs


def test_what_is_wrong_used_or_too_old_gets_one_answer(gate: httpx.Client, ledger: Ledger, ledger_clock: Clock) -> None:
    """Of which nobody learns which of them it was."""
    used, old = invited(ledger, "used"), invited(ledger, "old", timedelta(minutes=1))
    enrol(gate, used)
    ledger_clock.shift += timedelta(minutes=2)
    answers = [enrol(gate, code) for code in ("wrong", used, old, old, "\u202e", "x" * 200)]

    assert [(401, "bad_credentials")] * 6 == [refusal(answer) for answer in answers]
    assert 1 == len({answer.text for answer in answers})
    assert 1 == len(ledger.desk.devices())


def test_the_jobs_of_a_run_share_what_it_has_claimed(gate: httpx.Client, issuer: Issuer, ledger: Ledger) -> None:
    """One job claims under a long lease, another reports with a token of its own; each token has an end."""
    pending(ledger)
    claiming, publishing = (log_in(gate, issuer.token(run_id="7")) for _ in range(2))
    claimed = call(gate, claiming, "claim", claim_id=CLAIM_ID, generator="llm", lease_seconds=2400)
    report = {"outcome": "refused", "generator": "llm", "reason": "too large", "repairs": 2}
    reported = call(gate, publishing, f"claims/{CLAIM_ID}/report", **report)

    assert [f"github:{REPOSITORY}:7:1"] * 2 == [login.json()["device"] for login in (claiming, publishing)]
    assert claiming.json()["token"] != publishing.json()["token"]
    ends = datetime.fromisoformat(claiming.json()["expires_at"]) - datetime.now(UTC)
    assert LASTS - timedelta(minutes=1) < ends < LASTS + timedelta(minutes=1)
    assert (201, 2400, 200) == (claimed.status_code, claimed.json()["lease_seconds"], reported.status_code)


def test_a_token_is_shown_once(gate: httpx.Client, issuer: Issuer) -> None:
    """Whoever reads it in a log comes too late."""
    token = issuer.token()

    assert [201, 401, 401] == [log_in(gate, token).status_code for _ in range(3)]


def test_another_attempts_claim_is_not_its_own(gate: httpx.Client, issuer: Issuer, ledger: Ledger) -> None:
    """Of the same run, even."""
    pending(ledger)
    first, second = (log_in(gate, issuer.token(run_id="8", run_attempt=attempt)) for attempt in ("1", "2"))
    call(gate, first, "claim", claim_id=CLAIM_ID, generator="llm")

    assert (403, "not_allowed") == refusal(call(gate, second, f"claims/{CLAIM_ID}/heartbeat", step="checking"))


def test_a_refusal_says_why_in_the_log_only(
    gate: httpx.Client, issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the issuer signed it; the token is in neither."""
    wrong = issuer.token(environment="staging")
    forged = issuer.signed("first", rsa_key("evil"))
    with capture_logs() as logs:
        answers = [log_in(gate, token) for token in (wrong, forged, "hunter2")]

    assert 1 == len({answer.text for answer in answers})
    assert [("run_refused", "its environment is another")] == [(each["event"], each["why"]) for each in logs]
    for token in (wrong, forged, "hunter2"):
        assert token not in str(logs) + caplog.text + answers[0].text


def test_an_issuer_that_is_away_is_a_reason_to_come_again(gate: httpx.Client, issuer: Issuer) -> None:
    """Not one to be refused, and no fault of the bot's."""
    token, issuer.down = issuer.token(), Answer(500)
    try:
        answer = log_in(gate, token)
    finally:
        issuer.down = None

    assert (503, "unavailable") == refusal(answer)
    assert 0 < int(answer.headers["Retry-After"])


def test_only_so_many_wait_for_the_issuer(gate: httpx.Client, issuer: Issuer, ledger: Ledger) -> None:
    """Nobody keeps the lanes from their calls by coming to the door in crowds."""
    may_answer, original = threading.Event(), issuer.server.answer

    def slow(call: Call) -> Answer:
        may_answer.wait(20)
        return original(call)

    issuer.server.answer = slow
    answers: list[httpx.Response] = []
    threads = [
        threading.Thread(target=lambda: answers.append(log_in(gate, issuer.token()))) for _ in range(AT_ONCE + 3)
    ]
    try:
        for thread in threads:
            thread.start()
        until(lambda: len(answers) == 3)
        turned_away = [answer.status_code for answer in answers]
        in_time = enrol(gate, invited(ledger)).status_code
    finally:
        may_answer.set()
        for thread in threads:
            thread.join()
        issuer.server.answer = original

    assert ([503] * 3, 201) == (turned_away, in_time)
    assert [201] * AT_ONCE == [answer.status_code for answer in answers[3:]]


def test_a_bot_without_runs_says_what_to_set(lane: Lane) -> None:
    """Whatever is shown."""
    answer = log_in(lane.http, "hunter2")

    assert (404, "no_runs") == refusal(answer)
    assert "SKYWRIGHT_GITHUB_ENVIRONMENT" in answer.json()["mend"]


ODD_BODIES = {
    "nothing": (b"", 422),
    "no field": (b"{}", 422),
    "an empty one": (b'{"FIELD": ""}', 422),
    "what no database holds": (b'{"FIELD": "hunter2\\u0000"}', 422),
    "half a character": (b'{"FIELD": "hunter2\\ud800"}', 422),
    "more than there is": (b'{"FIELD": "hunter2", "role": "operator"}', 422),
    "another version": (b'{"api_version": 2, "FIELD": "hunter2"}', 426),
    "too long": (b'{"FIELD": "' + b"x" * 17_000 + b'"}', 422),
    "too large": (b" " * 30_000, 413),
}


@pytest.mark.parametrize(("body", "status"), ODD_BODIES.values(), ids=ODD_BODIES.keys())
@pytest.mark.parametrize(("path", "field"), [("enrol", b"code"), ("run", b"id_token")])
def test_odd_bodies_are_refused(gate: httpx.Client, path: str, field: bytes, body: bytes, status: int) -> None:
    """Without quoting them; who has no token yet sends little."""
    answer = gate.post(f"/api/lane/{path}", content=body.replace(b"FIELD", field))

    assert status == answer.status_code
    assert "hunter2" not in answer.text


def test_a_longer_lease_is_granted_up_to_the_devices_limit(lane: Lane, stage: Stage) -> None:
    """Whoever may have none has the bot's own, whatever it wishes; heartbeats stay as quick."""
    stage.ledger.desk.add_device(
        OPERATOR, DeviceId("ci"), "ci", Role.LANE, APPS_URL, "ci-token", longest_lease_seconds=3600
    )
    granted = []
    wishes = [("ci-token", 1800), ("ci-token", 86_400), ("ci-token", None), ("ci-token", 10), (lane.token, 1800)]
    for number, (token, wish) in enumerate(wishes):
        stage.ask()
        claimed = replace(lane, token=token).claim(f"{CLAIM_ID}-{number}", lease_seconds=wish).json()
        granted.append((claimed["lease_seconds"], claimed["heartbeat_seconds"]))

    assert [(1800, 30), (3600, 30), (120, 30), (120, 30), (120, 30)] == granted


def test_a_claim_again_tells_the_same_lease(lane: Lane, stage: Stage) -> None:
    """Also when it wishes for another, and while builds are paused."""
    stage.ask()
    first = lane.claim(lease_seconds=3600).json()

    assert first == lane.claim(lease_seconds=600).json()


def test_that_a_lane_asked_is_written_down_once_a_minute(lane: Lane, stage: Stage) -> None:
    """And at once when it builds with something else."""
    asked = []
    for generator, seconds in (("template", 0), ("template", 30), ("llm", 0), ("llm", 61)):
        stage.clock.shift += timedelta(seconds=seconds)
        lane.claim(generator=generator)
        asked.append(stage.ledger.lanes.last_asked())

    assert [True, False, False] == [before == after for before, after in pairwise(asked)]

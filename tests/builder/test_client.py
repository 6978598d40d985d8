"""The lane's calls: lost answers cost nothing, and every refusal is told apart."""

import hashlib

import pytest

from builder.errors import BotRefused, BotUnreachable, ClaimLost, NotWelcome
from guardrails.wire import BuildOutcome, Report
from tests.builder.conftest import MakeClient
from tests.builder.fake_bot import TOKEN, FakeBot, Fault

CLAIM_ID = "claim-00000000000000000000000001"
REPORT = Report(outcome=BuildOutcome.RELEASED, generator="template")


def test_a_claim_carries_the_ask(bot: FakeBot, make_client: MakeClient) -> None:
    """What the bot answers to a claim is read."""
    bot.asks = ["a decision wheel"]

    claim = make_client().claim(CLAIM_ID, "template")

    assert claim is not None
    assert (CLAIM_ID, "a decision wheel") == (claim.claim_id, claim.ask)
    assert {"api_version": 1, "claim_id": CLAIM_ID, "generator": "template"} == bot.calls[0].body


def test_no_content_means_that_nothing_waits(make_client: MakeClient) -> None:
    """204 is not an error."""
    assert make_client().claim(CLAIM_ID, "template") is None


@pytest.mark.parametrize(
    "fault",
    [
        Fault("claim", "drop_answer", times=2),
        Fault("claim", "broken_json"),
        Fault("claim", "status", status=503, headers={"Retry-After": "0"}),
        Fault("claim", "status", status=500, times=3),
        Fault("claim", "status", status=429, error="slow_down"),
    ],
    ids=lambda fault: f"{fault.kind}-{fault.status}",
)
def test_a_claim_whose_answer_was_lost_is_asked_for_again(bot: FakeBot, make_client: MakeClient, fault: Fault) -> None:
    """The same id and body are sent until an answer comes, and only one claim is made."""
    bot.asks = ["a decision wheel", "another"]
    bot.faults = [fault]

    claim = make_client().claim(CLAIM_ID, "template")

    assert claim is not None
    assert 1 == len(bot.claims)
    assert 1 == len({str(call.body) for call in bot.calls})


def test_a_bot_that_never_answers_is_unreachable(bot: FakeBot, make_client: MakeClient) -> None:
    """Repeats are bounded."""
    bot.faults = [Fault("claim", "drop_answer", times=100)]

    with pytest.raises(BotUnreachable):
        make_client().claim(CLAIM_ID, "template")

    assert 4 == len(bot.calls)


def test_a_bot_that_dribbles_is_cut_off_at_the_deadline(bot: FakeBot, make_client: MakeClient) -> None:
    """Every byte comes in time, and yet the call ends: the deadline is for all of it."""
    bot.faults = [Fault("claim", "dribble", times=100)]

    with pytest.raises(BotUnreachable, match="within the deadline"):
        make_client(deadline_seconds=0.3).claim(CLAIM_ID, "template")


def test_a_retry_after_beyond_the_deadline_is_not_waited_for(bot: FakeBot, make_client: MakeClient) -> None:
    """The caller decides what to do meanwhile."""
    bot.faults = [Fault("claim", "status", status=503, headers={"Retry-After": "3600"}, times=100)]

    with pytest.raises(BotUnreachable):
        make_client().claim(CLAIM_ID, "template")

    assert 1 == len(bot.calls)


def test_giving_up_ends_the_repeats(bot: FakeBot, make_client: MakeClient) -> None:
    """A lane that drains does not go on asking for work."""
    bot.faults = [Fault("claim", "drop_answer", times=100)]

    with pytest.raises(BotUnreachable):
        make_client().claim(CLAIM_ID, "template", give_up=lambda: True)

    assert 1 == len(bot.calls)


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (409, "claim_lost", ClaimLost),
        (404, "no_such_claim", ClaimLost),
        (401, "bad_token", NotWelcome),
        (403, "not_allowed", NotWelcome),
        (404, "not_found", BotRefused),
        (422, "invalid", BotRefused),
        (426, "api_version", BotRefused),
        (307, "moved", BotRefused),
    ],
)
def test_a_refusal_is_not_repeated(
    bot: FakeBot, make_client: MakeClient, status: int, error: str, expected: type[Exception]
) -> None:
    """Each kind of refusal is an error of its own, raised at the first answer."""
    bot.faults = [Fault("report", "status", status=status, error=error, times=100)]

    with pytest.raises(expected, match="It was refused"):
        make_client().report(CLAIM_ID, REPORT)

    assert 1 == len(bot.calls)


def test_a_refused_token_is_never_part_of_the_error(make_client: MakeClient) -> None:
    """The error says what the bot said, not what was sent."""
    with pytest.raises(NotWelcome) as problem:
        make_client(token="canary-wrong-token").claim(CLAIM_ID, "template")

    assert "This token is not known. Ask for a new one." == str(problem.value)


def test_an_upload_is_a_zip_under_the_claim(bot: FakeBot, make_client: MakeClient) -> None:
    """The bytes arrive as they were, with the API's version in a header."""
    bot.asks = ["a decision wheel"]
    client = make_client()
    client.claim(CLAIM_ID, "template")

    uploaded = client.upload(CLAIM_ID, b"PK-bytes")

    call = bot.named("bundle")[0]
    assert (b"PK-bytes", "1", f"Bearer {TOKEN}") == (
        call.body,
        call.headers["x-skywright-api-version"],
        call.headers["authorization"],
    )
    assert "https://apps.example/app-1" == uploaded.address


@pytest.mark.parametrize(
    ("picture", "mime"), [(b"\x89PNG\r\n\x1a\n...", "image/png"), (b"\xff\xd8\xff...", "image/jpeg")]
)
def test_a_screenshot_is_sent_under_the_claim(bot: FakeBot, make_client: MakeClient, picture: bytes, mime: str) -> None:
    """As what it is, and again when its answer was lost."""
    bot.faults = [Fault("screenshot", "drop_answer")]

    stored = make_client().upload_screenshot(CLAIM_ID, picture)

    calls = bot.named("screenshot")
    assert [(picture, mime, "1")] * 2 == [
        (call.body, call.headers["content-type"], call.headers["x-skywright-api-version"]) for call in calls
    ]
    assert hashlib.sha256(picture).hexdigest() == stored.sha256


def test_an_answer_without_end_is_refused(bot: FakeBot, make_client: MakeClient) -> None:
    """Whatever sits at the address, the lane does not read it for ever."""
    bot.asks = ["x" * 1_100_000]

    with pytest.raises(BotRefused, match="far larger"):
        make_client().claim(CLAIM_ID, "template")

"""What bot and lane say to each other: strict where it is asked, tolerant where it is answered."""

import json
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel, ValidationError

from guardrails.wire import (
    LOG_TAIL_CHARS,
    BuildOutcome,
    CheckReport,
    Claim,
    ClaimRequest,
    HeartbeatRequest,
    Lease,
    Problem,
    Report,
    Reported,
    Uploaded,
)

S = TypeVar("S", bound=BaseModel)

CLAIM_ID = "0123456789abcdefghijABCD-_"
ANSWERS: dict[type[BaseModel], dict[str, Any]] = {
    Claim: {
        "claim_id": CLAIM_ID,
        "document_id": "mention:did:plc:alice:3k",
        "attempt": 1,
        "ask": "a timer",
        "slug": "a-timer-222222222222",
        "version": 1,
        "address": "https://apps.example/a-timer-222222222222",
        "lease_seconds": 120,
        "heartbeat_seconds": 40,
        "lease_until": "2026-03-02T12:02:00Z",
        "build_by": "2026-03-03T12:00:00Z",
    },
    Lease: {"lease_until": "2026-03-02T12:02:00Z"},
    Uploaded: {"sha256": "a" * 64, "address": "https://apps.example/x"},
    Reported: {"status": "built"},
    Problem: {"error": "claim_lost", "message": "the claim was voided"},
}
REQUESTS: dict[type[BaseModel], dict[str, Any]] = {
    ClaimRequest: {"claim_id": CLAIM_ID, "generator": "template"},
    HeartbeatRequest: {"step": "generating"},
    Report: {"outcome": "released", "generator": "template"},
    CheckReport: {"check": "files", "passed": True},
}


def read(shape: type[S], told: object) -> S:
    """As it comes over the wire."""
    return shape.model_validate_json(json.dumps(told))


@pytest.mark.parametrize("shape", REQUESTS, ids=lambda shape: shape.__name__)
def test_a_request_with_an_unknown_key_is_refused(shape: type[BaseModel]) -> None:
    """A misspelt key is noticed."""
    read(shape, REQUESTS[shape])

    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        read(shape, REQUESTS[shape] | {"surprise": 1})


@pytest.mark.parametrize("shape", ANSWERS, ids=lambda shape: shape.__name__)
def test_an_answer_with_an_unknown_key_is_read(shape: type[BaseModel]) -> None:
    """A newer bot may say more."""
    assert shape.model_validate(ANSWERS[shape]) == shape.model_validate(ANSWERS[shape] | {"surprise": 1})


def test_limits_may_grow_too() -> None:
    """Inside a claim as well."""
    limits = Claim.model_validate(ANSWERS[Claim] | {"limits": {"files": 3, "fonts": 1}}).limits

    assert (3, 1_000_000) == (limits.files, limits.file_bytes)


def test_what_an_ask_points_at_may_say_more_too() -> None:
    """And a bot that says nothing of it, or of money, is read as well."""
    plain = Claim.model_validate(ANSWERS[Claim])
    (post,) = Claim.model_validate(ANSWERS[Claim] | {"context": [{"author": "bob.test", "likes": 3}]}).context

    assert ((), None) == (plain.context, plain.cost_micros)
    assert ("bob.test", "", (), "", False) == (post.author, post.text, post.alts, post.card, post.quoted)


@pytest.mark.parametrize("shape", [ClaimRequest, HeartbeatRequest, Report], ids=lambda shape: shape.__name__)
@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_request_of_another_version_is_refused(shape: type[BaseModel], version: object) -> None:
    """Only 1 is spoken here."""
    with pytest.raises(ValidationError, match="api_version"):
        read(shape, REQUESTS[shape] | {"api_version": version})


@pytest.mark.parametrize("shape", ANSWERS, ids=lambda shape: shape.__name__)
def test_an_answer_of_another_version_is_read(shape: type[BaseModel]) -> None:
    """So that bot and lanes can be upgraded apart."""
    assert "api_version=2" in repr(shape.model_validate(ANSWERS[shape] | {"api_version": 2}))


@pytest.mark.parametrize("claim_id", ["a" * 25, "a" * 65, "a" * 25 + "/", "a" * 26 + "\n", "ä" * 26, ""])
def test_an_odd_claim_id_is_refused(claim_id: str) -> None:
    """26 to 64 letters, digits, dashes and underscores."""
    with pytest.raises(ValidationError, match="claim_id"):
        ClaimRequest(claim_id=claim_id, generator="template")


@pytest.mark.parametrize("step", ["", "Generating", "a b", "x" * 41, "a\x1b"])
def test_an_odd_step_is_refused(step: str) -> None:
    """One short word."""
    with pytest.raises(ValidationError, match="step"):
        HeartbeatRequest(step=step)


@pytest.mark.parametrize(
    "field",
    [
        {"outcome": "built"},
        {"after_seconds": -1},
        {"after_seconds": 86_401},
        {"after_seconds": float("nan")},
        {"seconds": float("nan")},
        {"seconds": float("inf")},
        {"tokens_in": -1},
        {"tokens_out": 2**53},
        {"cost_micros": 1.5},
        {"sha256": "A" * 64},
        {"sha256": "a" * 64 + "\n"},
        {"log_tail": "x" * (LOG_TAIL_CHARS + 1)},
        {"checks": [{"check": "files", "passed": True, "findings": ["\x00"]}]},
    ],
    ids=repr,
)
def test_an_odd_report_is_refused(field: dict[str, Any]) -> None:
    """Each number has its range, each text its length."""
    with pytest.raises(ValidationError, match=next(iter(field))):
        read(Report, REQUESTS[Report] | field)


LAX: list[tuple[type[BaseModel], dict[str, Any]]] = [
    (Report, {"tokens_in": "12"}),
    (Report, {"tokens_out": True}),
    (Report, {"cost_micros": "3"}),
    (Report, {"repairs": 1.0}),
    (Report, {"seconds": "1.5"}),
    (Report, {"after_seconds": False}),
    (Report, {"title": 7}),
    (Report, {"checks": [{"check": "files", "passed": "yes"}]}),
    (Report, {"checks": [{"check": "files", "passed": 0}]}),
    (CheckReport, {"passed": 1}),
    (CheckReport, {"findings": "none"}),
    (ClaimRequest, {"lease_seconds": "60"}),
    (ClaimRequest, {"lease_seconds": 60.0}),
    (ClaimRequest, {"generator": 1}),
    (HeartbeatRequest, {"step": None}),
]


@pytest.mark.parametrize(("shape", "field"), LAX, ids=repr)
def test_nothing_is_taken_for_what_it_only_looks_like(shape: type[BaseModel], field: dict[str, Any]) -> None:
    """A number in quotes is a mistake of whoever wrote it."""
    with pytest.raises(ValidationError, match=next(iter(field))):
        read(shape, REQUESTS[shape] | field)


def test_what_a_lane_says_is_understood() -> None:
    """Whole numbers for seconds, lists, and the names of outcomes, as JSON has them."""
    told = {"seconds": 3, "after_seconds": 60, "checks": [REQUESTS[CheckReport] | {"findings": ["a", "b"]}]}
    report = read(Report, REQUESTS[Report] | told)

    assert (BuildOutcome.RELEASED, 3.0, ("a", "b")) == (report.outcome, report.seconds, report.checks[0].findings)
    assert report == Report.model_validate_json(report.model_dump_json(exclude_none=True))


TEXTS = ["title", "description", "address", "reason", "detail", "generator", "model", "prompt_version", "log_tail"]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b"], ids=["NUL", "surrogate"])
def test_no_text_of_a_report_holds_what_a_database_cannot(name: str, text: str) -> None:
    """Neither NUL nor half a surrogate pair."""
    with pytest.raises(ValidationError, match=name):
        Report.model_validate({"outcome": BuildOutcome.RELEASED, "generator": "template", name: text})


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b"], ids=["NUL", "surrogate"])
def test_no_text_beside_a_report_does_either(text: str) -> None:
    """The generator of a claim and the name of a check."""
    with pytest.raises(ValidationError, match="generator"):
        ClaimRequest(claim_id=CLAIM_ID, generator=text)
    with pytest.raises(ValidationError, match="check"):
        CheckReport(check=text, passed=True)


def test_nothing_on_the_wire_can_be_changed() -> None:
    """What was said was said."""
    report = read(Report, REQUESTS[Report])

    with pytest.raises(ValidationError, match="frozen"):
        report.detail = "other"  # type: ignore[misc]

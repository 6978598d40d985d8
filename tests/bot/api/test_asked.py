"""What operators ask for over HTTP is as strict as what lanes say."""

import pytest
from pydantic import ValidationError

from bot.api.asked import Acts, LayDown, Pause, Settle
from guardrails.wire import Request

ACT = '{"acts": [{"deed": "approve", "on": {"id": "x", "version": %s}, "action_id": "a", "keep_reply": %s}]}'
UNTIL = '{"who": "alice.test", "standing": "denied", "until": %s}'


@pytest.mark.parametrize(
    ("shape", "body", "place"),
    [
        (Pause, '{"switches": ["pause_builds"], "why": "x", "now": "yes"}', "now"),
        (Settle, '{"key": "reply:x", "settling": "again", "tries": "1"}', "tries"),
        (Acts, ACT % ('"1"', "false"), "acts.0.on.version"),
        (Acts, ACT % ("1", "1"), "acts.0.keep_reply"),
        (LayDown, UNTIL % "1764416418", "until"),
    ],
)
def test_nothing_is_taken_for_what_it_only_looks_like(shape: type[Request], body: str, place: str) -> None:
    """Inside of a deed as well."""
    with pytest.raises(ValidationError) as caught:
        shape.model_validate_json(body)

    assert [place] == [".".join(map(str, error["loc"])) for error in caught.value.errors()]


@pytest.mark.parametrize(
    ("shape", "body"),
    [(Acts, ACT % ("1", "true")), (LayDown, UNTIL % '"2026-03-02T12:00:00Z"'), (LayDown, UNTIL % "null")],
)
def test_names_and_moments_are_texts(shape: type[Request], body: str) -> None:
    """As JSON has no others."""
    shape.model_validate_json(body)

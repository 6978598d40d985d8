"""Our own standing, as the PDS and the AppView tell it."""

import pytest

from bot.bluesky.errors import CallFailed
from bot.bluesky.profiles import OwnState, own_labels, own_state
from guardrails.documents import Did
from guardrails.facts import Label
from tests.bot.bluesky.accounts import DID, scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused


@pytest.mark.parametrize(
    ("session", "state"),
    [
        ({"handle": "b.test", "active": True}, OwnState(True, None, "b.test")),
        ({"handle": "b.test", "active": False, "status": "deactivated"}, OwnState(False, "deactivated", "b.test")),
        ({}, OwnState(True, None, "buildbot.test")),
    ],
)
def test_the_state_is_what_the_session_says(session: dict[str, object], state: OwnState) -> None:
    """Older servers say nothing, and mean active."""
    with scene(lambda _: answered(session)) as made:
        assert state == own_state(made.open())


def test_a_taken_down_account_says_so_by_its_repository() -> None:
    """It has no session to show."""

    def answer(call: Call) -> Answer:
        if call.nsid == "com.atproto.server.getSession":
            return refused(400, "InvalidRequest", "Could not find user info")
        return answered({"did": DID, "active": False, "status": "takendown"})

    with scene(answer) as made:
        assert OwnState(False, "takendown", "buildbot.test") == own_state(made.open())


def test_a_state_that_cannot_be_asked_for_is_a_failure() -> None:
    """Not knowing is not being active."""
    with scene(lambda _: refused(500, "InternalServerError")) as made:
        account = made.open()
        with pytest.raises(CallFailed):
            own_state(account)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (
            [{"src": DID, "val": "bot"}, {"src": "did:plc:mod", "val": "spam"}],
            (Label(src=DID, val="bot"), Label(src=Did("did:plc:mod"), val="spam")),
        ),
        ([{"val": "no source"}, 7], ()),
        ([{"src": DID, "val": "spam", "neg": True}], ()),
        ([{"src": DID, "val": "!\u202ehide"}], (Label(src=DID, val="!\\u202ehide"),)),
        ([], ()),
        (None, ()),
    ],
)
def test_our_labels_are_listed(labels: object, expected: tuple[Label, ...]) -> None:
    """With who put them there."""
    with scene(lambda _: answered({"labels": labels})) as made:
        assert expected == own_labels(made.open())

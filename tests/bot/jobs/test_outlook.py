"""What follows from a look at a post and its thread, case by case."""

import pytest

from bot.bluesky.sight import Closed, Seen, Sight, ThreadSight
from bot.jobs.outlook import outlook
from guardrails.outlook import Outlook, View

HERE = Sight(Seen.VISIBLE, "cid")
GATED = Sight(Seen.VISIBLE, "cid", reply_disabled=True)
NO_ANSWER = Sight(Seen.UNCLEAR, detail="timed out")

LOOKS = {
    "a post that begins its thread": (ThreadSight(HERE), View.OPEN),
    "a post under another": (ThreadSight(HERE, HERE), View.OPEN),
    "a gate": (ThreadSight(GATED, HERE), View.CLOSED),
    "a gate, the root not to be asked about": (ThreadSight(GATED, NO_ANSWER), View.CLOSED),
    "a gate over the root alone": (ThreadSight(HERE, GATED), View.OPEN),
    "the author blocks us": (ThreadSight(Sight(Seen.BLOCKED_BY_AUTHOR)), View.CLOSED),
    "we block the author": (ThreadSight(Sight(Seen.BLOCKED_BY_US)), View.CLOSED),
    "the root is gone": (ThreadSight(HERE, Sight(Seen.GONE)), View.CLOSED),
    "the root's author is away": (ThreadSight(HERE, Sight(Seen.AUTHOR_AWAY)), View.CLOSED),
    "the root's author blocks us": (ThreadSight(HERE, Sight(Seen.BLOCKED_BY_AUTHOR)), View.CLOSED),
    "we block the root's author": (ThreadSight(HERE, Sight(Seen.BLOCKED_BY_US)), View.CLOSED),
    "the post is gone": (ThreadSight(Sight(Seen.GONE)), View.GONE),
    "its author is away": (ThreadSight(Sight(Seen.AUTHOR_AWAY)), View.AWAY),
    "no answer": (ThreadSight(NO_ANSWER), View.UNCLEAR),
    "no answer about the root": (ThreadSight(HERE, NO_ANSWER), View.UNCLEAR),
}


@pytest.mark.parametrize("case", LOOKS)
def test_a_look_comes_to_one_view(case: str) -> None:
    """With a reason wherever a reply has to wait or is not to be."""
    sight, view = LOOKS[case]
    found = outlook(sight)

    assert (view, view is not View.OPEN) == (found.view, bool(found.reason))


def test_every_kind_of_post_and_thread_is_in_the_table() -> None:
    """A new one has to be thought about."""
    sights = [sight for sight, _ in LOOKS.values()]

    assert set(Seen) == {sight.post.kind for sight in sights}
    assert set(Closed) == {sight.closed for sight in sights} - {None}


def test_the_reason_says_what_stands_in_the_way() -> None:
    """In words that an operator can act on."""
    assert Outlook(View.CLOSED, "the thread's gate keeps our reply out") == outlook(ThreadSight(GATED))
    assert Outlook(View.UNCLEAR, "timed out") == outlook(ThreadSight(NO_ANSWER))
    assert "the root of the thread: timed out" == outlook(ThreadSight(HERE, NO_ANSWER)).reason

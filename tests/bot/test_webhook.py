"""Messages to operators: their shapes, and what becomes of them at a server that is real and not always kind."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

import pytest
from fastapi import Response
from pydantic import SecretStr

from bot.notices import Channel, Event, Notice, Shape, body_of
from bot.outgoing import Failed
from bot.webhook import Webhook
from tests.bot.hook import TOKEN, WAITS, Hook, hooked

NOTICE = Notice(
    event=Event.RAISED,
    name="unknown_sends",
    summary="sends of unknown outcome",
    detail="3, the oldest since 2026-11-30 06:46 UTC",
    since=datetime(2026, 11, 30, 6, 46, 5, tzinfo=UTC),
    command="skywright sends",
    link="http://127.0.0.1:8102/console/?a=1&b=2",
    bot="https://apps.example",
)
HOSTILE = replace(NOTICE, summary="<!channel> & *b* _i_ ~s~ `c` @everyone [x](y) ||z||")


@pytest.fixture
def hook() -> Iterator[Hook]:
    with hooked() as hook:
        yield hook


def tell(hook: Hook, shape: Shape = Shape.JSON, notice: Notice = NOTICE, seconds: float = 10) -> Failed | None:
    webhook = Webhook(Channel(SecretStr(hook.url), shape), seconds)
    try:
        return webhook.tell(notice)
    finally:
        webhook.close()


def test_each_shape_is_what_its_service_takes(hook: Hook) -> None:
    """A page to look at and a command to type are in each; Discord is told to call nobody."""
    assert [None] * 3 == [tell(hook, shape) for shape in Shape]
    slack, discord, plain = hook.told

    words = (
        "Skywright at https://apps.example: sends of unknown outcome (3, the oldest since 2026-11-30 06:46 UTC), since"
    )
    assert [f"{words} 2026-11-30 06:46 UTC", "http://127.0.0.1:8102/console/?a=1&amp;b=2", "`skywright sends`"] == (
        slack["text"].splitlines()
    )
    assert {"text"} == slack.keys()
    assert {"parse": []} == discord["allowed_mentions"]
    assert ["<http://127.0.0.1:8102/console/?a=1&b=2>", "`skywright sends`"] == discord["content"].splitlines()[1:]
    assert {"version": 1, **asdict(NOTICE), "event": "raised", "since": "2026-11-30T06:46:05+00:00"} == plain


def test_no_word_is_read_as_markup() -> None:
    """Whatever a name or a count would hold: nobody is called, nothing is bold, no link is made."""
    slack = body_of(HOSTILE, Shape.SLACK)["text"].splitlines()[0]
    discord = body_of(HOSTILE, Shape.DISCORD)["content"].splitlines()[0]

    assert "&lt;!channel&gt; &amp; " in slack
    assert all(f"\u2060{sign}\u2060" in slack for sign in "*_~`")
    assert r"\<!channel\> & \*b\* \_i\_ \~s\~ \`c\` \@everyone \[x\]\(y\) \|\|z\|\|" in discord


def test_its_end_and_a_test_are_told_in_their_own_words() -> None:
    """So that nobody takes one for an alarm."""
    cleared, test = (
        body_of(replace(NOTICE, event=event), Shape.SLACK)["text"] for event in (Event.CLEARED, Event.TEST)
    )

    assert "over: sends of unknown outcome, which began 2026-11-30 06:46 UTC\n" in cleared
    assert "https://apps.example: sends of unknown outcome\n" in test


ANSWERS = {
    "429": (Response("busy", 429, {"Retry-After": "7"}), "429; too much was said there; busy", 7),
    "429 and a half": (Response("", 429, {"Retry-After": "1.5"}), "429; too much was said there", 1.5),
    "404": (
        Response(f"no {TOKEN}\x1b[2J\nmore", 404),
        "404; its address is wrong or was withdrawn; no …\\x1b[2J",
        None,
    ),
    "500": (Response("x" * 9000, 500, {"Retry-After": "9" * 50}), f"500; {'x' * 119}…", 3600),
    "302": (Response("", 302, {"Location": "http://127.0.0.1:1/"}), "302", None),
}


@pytest.mark.parametrize(("answer", "told", "after"), ANSWERS.values(), ids=ANSWERS.keys())
def test_what_is_not_taken_has_failed(hook: Hook, answer: Response, told: str, after: float | None) -> None:
    """For a reason of one line without the address; no redirect is followed."""
    hook.answers.append(answer)

    failed = Failed(f"it answers with status {told}", timedelta(seconds=after) if after is not None else None)
    assert failed == tell(hook)
    assert 1 == len(hook.told)


def test_a_slow_server_holds_up_nothing(hook: Hook) -> None:
    """The call ends at its deadline."""
    hook.answers.append(WAITS)

    assert Failed("it cannot be reached: ReadTimeout") == tell(hook, seconds=0.5)


def test_what_cannot_be_reached_is_no_fault_of_the_words() -> None:
    """Nothing listens there, or it is no address at all."""
    assert Failed("it cannot be reached: ConnectError") == tell(Hook(f"http://127.0.0.1:1/{TOKEN}"))
    assert Failed("it cannot be reached: InvalidURL") == tell(Hook(f"http://127.0.0.1:no/{TOKEN}"))

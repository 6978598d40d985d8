"""Asks that say so little that what is to be built stands in another post."""

from datetime import timedelta
from typing import Any

import pytest

from guardrails.documents import AtUri, DocId, Mention
from guardrails.facts import Earlier
from guardrails.pointing import pointed_at, points_elsewhere
from guardrails.said import Outcome
from guardrails.transitions import Reason, Status
from guardrails.verdicts import judge
from tests.guardrails.known import RULES, known
from tests.mentions import HANDLE, NOON, mention, post

PARENT = AtUri("at://did:plc:bob/app.bsky.feed.post/3kbob")
QUOTED = AtUri("at://did:plc:carol/app.bsky.feed.post/3kcarol")


def ref(uri: str) -> dict[str, str]:
    return {"uri": uri, "cid": "cid"}


def reply(uri: str = PARENT) -> dict[str, Any]:
    return {"reply": {"root": ref(uri), "parent": ref(uri)}}


def quote(uri: str = QUOTED) -> dict[str, Any]:
    return {"embed": {"$type": "app.bsky.embed.record", "record": ref(uri)}}


def asks(ask: str, **more: Any) -> Mention:
    return mention(ask=ask, record=post(f"{HANDLE} {ask}", **more))


@pytest.mark.parametrize(
    ("ask", "record", "expected"),
    [
        ("build this", reply(), (PARENT,)),
        ("", reply(), (PARENT,)),
        ("make it an app", quote(), (QUOTED,)),
        ("this please", reply() | quote(), (PARENT, QUOTED)),
        ("build this", {}, ()),
        ("make me a dice roller", reply() | quote(), ()),
        ("turn this into a quiz about birds", reply(), (PARENT,)),
        ("make this but for cats", reply(), (PARENT,)),
        ("a timer for this", reply(), (PARENT,)),
        ("make something like this with sound", reply(), (PARENT,)),
        ("turn it into a quiz about birds", reply(), (PARENT,)),
        ("a game about this with three levels", reply(), (PARENT,)),
        ("haz un juego con esto para niños", reply(), (PARENT,)),
        ("mach daraus ein Quiz über Vögel", reply(), (PARENT,)),
        ("fais un quiz avec ça pour mes élèves", reply(), (PARENT,)),
        ("faz um quiz disso para crianças", reply(), (PARENT,)),
        ("これを使って計算アプリを作って", reply(), (PARENT,)),
        ("build this: a dice roller", reply(), ()),
        ("make it rain", reply(), ()),
        ("make a page that shows the moon", reply(), ()),
        ("mach das Spiel des Lebens", reply(), ()),
        ("a page that does this and that", reply(), ()),
    ],
)
def test_it_points_at_what_it_replies_to_and_what_it_quotes(
    ask: str, record: dict[str, Any], expected: tuple[AtUri, ...]
) -> None:
    """Only where it says nothing itself, or is not whole without."""
    assert expected == pointed_at(ask, record)


@pytest.mark.parametrize(
    "ask",
    [
        "turn this into a web app",
        "make this game",
        "build this game",
        "make a game out of this",
        "build an app for this",
        "create an app for this",
        "build an app from this",
        "make this a website",
        "someone build this",
        "I want this as an app",
        "someone please build this",
        "somebody should make this",
        "can someone turn this into a game?",
        "make a little web game out of this please",
        "build me a simple app based on this",
        "we need an app for this",
        "there should be an app for this",
        "this should be an app",
        "this needs to be a game",
        "this would make a great app",
        "I need something like this",
        "make one of these",
        "can you make something like this for me?",
        "convert this to a website",
        "this as a game please",
        "let's build this",
        "you should build this",
        "can you?",
        "please",
        "build something",
        "make this real",
        "👆",
        "☝️",
        "^",
        "^^",
        "this 👇",
        "kannst du das bauen?",
        "kannst du daraus ein Spiel machen?",
        "bau mir daraus bitte eine App",
        "kann jemand das bauen?",
        "das sollte eine App sein",
        "ich will das als App",
        "mach das als Spiel",
        "verwandle das in eine App",
        "haz una app con esto",
        "convierte esto en un juego",
        "¿puedes convertir esto en una web?",
        "quiero esto como app",
        "que alguien haga esto",
        "debería haber una app para esto",
        "transforme ça en site web",
        "tu peux en faire un jeu ?",
        "fais un jeu avec ça",
        "il faut une appli pour ça",
        "transforma isso num jogo",
        "faz um jogo com isso",
        "quero um app disso",
        "これをゲームにして",
        "これを元にアプリを作って",
        "これのアプリを作ってほしい",
        "このアイデアを形にしてください",
        "誰かこれを作って",
        "make that happen",
        "can someone make this please",
        "somebody make this an app",
        "I'd love an app for this",
        "I'd love this as a game",
        "would love to see this as an app",
        "could this be an app?",
        "could you turn that into a website for me?",
        "make it into a website",
        "a website for this please",
        "code this up",
        "can you code this?",
        "build me that",
        "do this one",
        "make an app like this",
        "make something out of this",
        "turn this thread into a game",
        "make this idea real",
        "this, but as a game",
        "one of these please",
        "is there an app for this?",
        "build what she said",
        "build it please and thank you",
        "mach das bitte",
        "bau mir das",
        "kannst du das als App bauen?",
        "eine App dafür wäre toll",
        "hazme una app de esto",
        "¿puedes hacerlo?",
        "fais-moi ça",
        "tu peux faire ça ?",
        "pode fazer isso?",
        "faz um site disso",
        "これお願いします",
        "これ作れる\uff1f",
        "これでゲーム作って",
    ],
)
def test_what_is_to_be_built_may_stand_in_another_post(ask: str) -> None:
    """However the pointing is worded."""
    assert points_elsewhere(ask)


@pytest.mark.parametrize(
    "ask",
    [
        "make it rain",
        "make this work for cats",
        "an app for cats",
        "it quiz",
        "IT support game",
        "this is a test page",
        "build this: a dice roller",
        "turn this recipe into a timer for eggs",
        "make a quiz",
        "make a game about dragons",
        "timer",
        "game of life",
        "make that 70s show quiz",
        "a thing counter",
        "hi",
        "ok",
        "hello",
        "wow",
        "👏",
        "?",
        "!?",
        "...",
        "someone build a dice roller",
        "I want this quiz to be about cats",
        "das Spiel des Lebens",
        "un juego de cartas",
        "un jeu de la vie",
        "um jogo da velha",
        "このクイズは何",
        "make it stop raining game",
        "turn left turn right",
        "make a that's what she said button",
        "build a this or that game",
        "this or that",
        "would you rather",
    ],
)
def test_what_names_a_thing_or_greets_points_nowhere(ask: str) -> None:
    """Applause under somebody's post is no wish to have that built."""
    assert not points_elsewhere(ask)


def test_a_bare_mention_under_a_post_is_no_skip_before_the_look() -> None:
    """What the post says is not known yet; without a post there is nothing to build."""
    assert Reason.NOTHING_TO_BUILD is not judge(known(asks("", **reply()), look=None), RULES, NOON).reason
    assert Reason.NOTHING_TO_BUILD is judge(known(asks("")), RULES, NOON).reason


@pytest.mark.parametrize(
    ("about", "outcome"),
    [
        ((PARENT,), Outcome.SKIP),
        ((QUOTED,), Outcome.UNKNOWN),
        ((), Outcome.UNKNOWN),
        ((PARENT, QUOTED), Outcome.UNKNOWN),
    ],
)
def test_build_this_repeats_one_about_the_same_post_only(about: tuple[AtUri, ...], outcome: Outcome) -> None:
    """However alike the words are."""
    first = Earlier(
        id=DocId("mention:did:plc:alice:3k0"),
        ask="build this",
        status=Status.BUILDING,
        reason=Reason.CLAIMED,
        at=NOON - timedelta(hours=1),
        about=about,
    )
    judgement = judge(known(asks("build this", **reply()), earlier=(first,), look=None), RULES, NOON)

    assert outcome is judgement.outcome
    assert (outcome is Outcome.SKIP) is (judgement.reason is Reason.SAME_ASK)

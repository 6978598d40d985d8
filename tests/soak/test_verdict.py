"""What counts as a double, as a loss, and as a ledger that tells another story."""

from typing import Any

import pytest

from bot.ledger.ledger import Ledger
from guardrails.documents import StrongRef
from tests.bot.ledger.steps import built, replied, sending
from tests.soak.verdict import Verdict, verdict


@pytest.fixture
def asked(ledger: Ledger) -> list[StrongRef]:
    """Two mentions that the ledger has as answered."""
    return [replied(ledger, rkey).mention.post for rkey in ("3kone", "3ktwo")]


def reply_to(mention: StrongRef, rkey: str, cid: str = "cid-1") -> dict[str, Any]:
    """A post of the bot's as the PDS lists it."""
    parent = {"reply": {"parent": mention.model_dump()}}
    return {"uri": f"at://did:plc:wright/app.bsky.feed.post/{rkey}", "cid": cid, "value": parent}


def replies(asked: list[StrongRef]) -> list[dict[str, Any]]:
    return [reply_to(asked[0], "3koner"), reply_to(asked[1], "3ktwor")]


def test_one_reply_each_is_good(ledger: Ledger, asked: list[StrongRef]) -> None:
    """Of what was unclear, that counts as settled which is answered and there."""
    assert Verdict(0, 0, 1, []) == verdict(ledger, replies(asked), [], asked, {"3koner", "3kother"})


def test_a_second_reply_is_a_double(ledger: Ledger, asked: list[StrongRef]) -> None:
    """Under another key to the same mention; the ledger knows of one only."""
    told = verdict(ledger, [*replies(asked), reply_to(asked[0], "3kagain")], [], asked, set())

    assert (1, 0) == (told.doubles, told.losses)
    assert told.disagreements


def test_a_post_that_answers_no_mention_is_a_double(ledger: Ledger, asked: list[StrongRef]) -> None:
    """Nobody had asked for it."""
    stray = reply_to(StrongRef.model_validate({"uri": "at://did:plc:x/app.bsky.feed.post/3k", "cid": "c"}), "3kstray")

    assert (1, 0) == (verdict(ledger, [*replies(asked), stray], [], asked, set()).doubles, 0)


def test_a_mention_without_a_reply_is_a_loss(ledger: Ledger, asked: list[StrongRef]) -> None:
    """Whatever the ledger says of it; and its unknown did not settle."""
    told = verdict(ledger, replies(asked)[:1], [], asked, {"3ktwor"})

    assert (0, 1, 0) == (told.doubles, told.losses, told.unknowns)
    assert told.disagreements


def test_another_record_than_the_ledger_knows_is_told(ledger: Ledger, asked: list[StrongRef]) -> None:
    """Its CID differs."""
    posts = [reply_to(asked[0], "3koner", "cid-other"), replies(asked)[1]]
    told = verdict(ledger, posts, [], asked, set())

    assert (0, 0, 1) == (told.doubles, told.losses, len(told.disagreements))


def test_what_is_not_settled_is_told(ledger: Ledger) -> None:
    """A reply is there that the ledger still has as claimed, and another that it has not begun."""
    unknown, begun = sending(ledger, "3kone"), built(ledger, "3ktwo").mention.post
    first = ledger.queries.document(str(unknown.document_id)).mention.post
    told = verdict(ledger, [reply_to(first, "3koner"), reply_to(begun, "3ktwor")], [], [first, begun], {"3koner"})

    assert (0, 0, 0) == (told.doubles, told.losses, told.unknowns)
    assert any("not settled" in said for said in told.disagreements)
    assert any(begun.uri in said for said in told.disagreements)


def test_a_mention_unknown_to_the_ledger_is_told(ledger: Ledger, asked: list[StrongRef]) -> None:
    """And a document that nobody had asked for, too."""
    other = StrongRef.model_validate({"uri": "at://did:plc:x/app.bsky.feed.post/3k", "cid": "c"})
    told = verdict(ledger, [reply_to(other, "3kother"), replies(asked)[1]], [], [other, asked[1]], set())

    assert f"{other.uri}: there is no document" in told.disagreements
    assert any("nobody asked for" in said for said in told.disagreements)


def test_a_post_that_was_liked_twice_is_told(ledger: Ledger, asked: list[StrongRef]) -> None:
    """Once is what was meant."""
    likes = [{"value": {"subject": mention.model_dump()}} for mention in [*asked, asked[0]]]

    assert [f"liked twice: ['{asked[0].uri}']"] == verdict(ledger, replies(asked), likes, asked, set()).disagreements

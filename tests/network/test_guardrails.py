"""On the real network: who is not built for, what makes no document, and a bot that echoes every answer."""

from datetime import timedelta
from itertools import islice
from typing import Any

from structlog.testing import capture_logs

from bot.ledger.conditions import LOOP
from bot.sandbox.state import PROFILE
from guardrails.documents import AtUri, ClaimId, StrongRef
from guardrails.rules import Rules
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome, Report
from tests.facts import PURSE
from tests.network.here import BOT, LANE, Here

ROUNDS = 50
EXCHANGES = Rules().loops.exchanges


def ours(here: Here) -> StrongRef:
    """Our newest post."""
    newest = here.network.list_records(here.wright.did)[0]
    return StrongRef(uri=AtUri(newest["uri"]), cid=newest["cid"])


def replies(here: Here, who: Any, text: str, parent: StrongRef, root: StrongRef) -> StrongRef:
    """A post without a mention, in the thread."""
    post = here.network.reply(who.did, parent, text, root=root)
    here.network.process()
    return post


def test_an_author_labelled_by_ozone_is_skipped(here: Here) -> None:
    """With the label as the reason; the asker is not told which."""
    post = here.asks()
    here.network.ozone_label(here.alice.did, create=["spam"])
    here.network.label(here.alice.did, "spam")
    here.bot.ingest()
    here.bot.speak()

    assert (Status.SKIPPED, Reason.LABELLED) == here.stands(post)
    assert f"labelled spam by {here.network.endpoints.ozone_did}" == here.document(post).detail
    assert not any("spam" in record["value"]["text"] for record in here.network.list_records(here.wright.did))


def test_a_labelled_post_waits_for_a_person(here: Here) -> None:
    """Its author is as welcome as before."""
    post, other = here.asks(), here.asks(what="make me a tip splitter")
    here.network.label(post.uri, "porn", cid=post.cid)
    here.bot.ingest()

    assert (Status.AWAITING_APPROVAL, Reason.LABELLED) == here.stands(post)
    assert (Status.PENDING_BUILD, Reason.PASSED) == here.stands(other)


def test_a_chat_of_strangers_under_our_answer_makes_no_document(here: Here) -> None:
    """Only what its asker says right below it, and only as a command."""
    post = here.asks()
    here.bot.ingest()
    here.builds()
    here.bot.reply()
    here.network.process()
    answer = ours(here)
    first = replies(here, here.bob, "help", answer, post)
    replies(here, here.alice, "delete", first, post)
    replies(here, here.alice, "nice one", answer, post)
    chat = here.bot.ingest()
    counts = here.ledger.pages.counts()
    command = replies(here, here.alice, "delete", answer, post)
    here.bot.ingest()

    assert (0, 3) == (chat.new, chat.ignored)
    assert 1 == sum(counts.values())
    assert (Status.SKIPPED, Reason.COMMAND) == here.stands(command)
    assert here.document(post).withdrawn_at is not None


def test_an_ask_is_given_what_it_points_at(here: Here) -> None:
    """Unless whoever wrote that wants nothing to do with bots."""
    root = here.network.post(here.alice.did, "recipes, anybody?")
    recipe = here.network.reply(here.bob.did, root, "a timer for six eggs", root=root)
    text = f"@{here.wright.handle} build this"
    post = here.network.reply(here.alice.did, recipe, text, root=root, mentions=[here.wright.did])
    here.network.process()
    here.bot.ingest()
    (context,) = here.document(post).mention.context
    here.network.create(here.bob.did, PROFILE, {"description": "I cook. #nobot"}, rkey="self")
    again = here.network.reply(here.alice.did, recipe, text + "!", root=root, mentions=[here.wright.did])
    here.network.process()
    here.ledger.documents.withdraw(BOT, here.document(post), Reason.CANCELLED)
    here.bot.ingest()

    assert (Status.SKIPPED, Reason.OPTED_OUT) == here.stands(again)
    assert ("a timer for six eggs", here.bob.did, here.bob.handle) == (
        context.text,
        context.author_did,
        context.author_handle,
    )


def builds_all(here: Here, claims: list[ClaimId]) -> None:
    """A lane takes what there is, and reports it done."""
    while here.ledger.pages.counts()[Status.PENDING_BUILD]:
        claims.append(ClaimId(f"claim-{len(claims):020d}"))
        claimed = here.ledger.claims.claim_next(LANE, claims[-1], "template", PURSE)
        assert claimed is not None
        address = f"http://localhost:8100/{claimed.slug}"
        told = {"title": f"Clock {len(claims)}", "address": address, "sha256": "0" * 64, "generator": "template"}
        here.ledger.claims.report(LANE, claims[-1], Report.model_validate({"outcome": BuildOutcome.DONE, **told}))


def test_a_bot_that_echoes_every_reply_is_left_alone(here: Here) -> None:
    """Fifty rounds: no more builds than the rules allow, then silence, and one alert."""
    network, claims, rounds = here.network, list[ClaimId](), iter(range(1, ROUNDS))
    root = here.asks(what="make clock number 0")
    with capture_logs() as logs:
        # Once it is not answered any more, its asks come in bunches.
        while bunch := list(islice(rounds, 1 if len(claims) < EXCHANGES else 9)):
            here.bot.ingest()
            builds_all(here, claims)
            here.bot.reply()
            here.bot.speak()
            here.clock.shift += timedelta(minutes=25)
            above = ours(here)
            for n in bunch:
                ask = f"@{here.wright.handle} make clock number {n}"
                network.reply(here.alice.did, above, ask, root=root, mentions=[here.wright.did])
            network.process()
        here.bot.ingest()
        here.bot.speak()
    said = network.list_records(here.wright.did)

    assert ROUNDS == sum(here.ledger.pages.counts().values())
    assert EXCHANGES == len(claims)
    assert EXCHANGES == len([record for record in said if "is ready" in record["value"]["text"]])
    assert len(said) <= EXCHANGES + 1
    assert 1 == len([entry for entry in logs if entry["event"] == "loop"])
    assert here.ledger.conditions.stands(LOOP)

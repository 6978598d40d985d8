"""An ask whose app was taken down waits for a person when it comes again."""

import pytest

from guardrails.dedupe import ask_digest
from guardrails.documents import AtUri, DocId
from guardrails.facts import Earlier
from guardrails.rules import Approval, ApprovalRules, Rules
from guardrails.said import PASS, hold
from guardrails.takedowns import was_it_taken_down
from guardrails.transitions import Reason, Status
from guardrails.verdicts import judge
from tests.facts import facts_of
from tests.mentions import NOON, mention

ASK = "make me a tip splitter"
POST = AtUri("at://did:plc:carol/app.bsky.feed.post/3kpost")
LOST = DocId("mention:did:plc:alice:3klost")
HELD = hold(Reason.TAKEN_DOWN_BEFORE, LOST)


def lost(ask: str, about: tuple[AtUri, ...] = ()) -> Earlier:
    return Earlier(id=LOST, ask=ask, status=Status.REPLIED, reason=Reason.SENT, at=NOON, about=about)


def test_the_same_ask_is_held_whoever_makes_it() -> None:
    """The ledger has found it by its digest; the detail names what was taken down."""
    assert HELD == was_it_taken_down(facts_of(mention(ask=ASK), taken_down=LOST), Rules(), NOON)
    assert PASS == was_it_taken_down(facts_of(mention(ask=ASK)), Rules(), NOON)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (lost("make me a tip splitters"), HELD),
        (lost("Make me a TIP splitter!"), HELD),
        (lost("make me a pomodoro timer"), PASS),
        (lost(ASK, about=(POST,)), PASS),
    ],
)
def test_its_authors_own_are_held_with_small_edits(before: Earlier, said: object) -> None:
    """Other asks are not, nor the same words about another post."""
    assert said == was_it_taken_down(facts_of(mention(ask=ASK), lost=(before,)), Rules(), NOON)


def test_where_nobody_decides_it_is_skipped() -> None:
    """Like everything that a person would have to look at."""
    rules = Rules(approval=ApprovalRules(policy=Approval.NONE))
    judgement = judge(facts_of(mention(ask=ASK), taken_down=LOST), rules, NOON, [was_it_taken_down])

    assert Reason.NOBODY_DECIDES is judgement.reason


def test_a_digest_knows_the_same_words_about_the_same_posts() -> None:
    """Looks and signs aside; nothing at all has none."""
    digest = ask_digest(ASK, ())

    assert digest == ask_digest("  Make me a tip-splitter… ".replace("-", " "), ())
    assert digest != ask_digest("make me a tip splitter 2", ())
    assert digest != ask_digest(ASK, (POST,))
    assert None is ask_digest(" !? ", ())
    assert None is not ask_digest("", (POST,))

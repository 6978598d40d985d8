"""Who may ask: people's rows first, then labels, bots, opt-outs, blocks, the allow list and the floors."""

from datetime import timedelta
from typing import Any

import pytest

from guardrails.authors import is_the_author_welcome, may_this_author_ask
from guardrails.documents import Did
from guardrails.facts import Label, Look, Membership, Profile, Standing
from guardrails.rules import Rules
from guardrails.said import PASS, Outcome, Said
from guardrails.transitions import Reason
from tests.guardrails.known import RULES, known, look, profile, ruled
from tests.mentions import ALICE, BOB, NOON, mention, post

MODERATOR = BOB
LIST = "at://did:plc:olga/app.bsky.graph.list/3kfriends"
LISTED = ruled(authors={"allow_list": LIST})
FLOORS = ruled(authors={"min_age_days": 30, "min_followers": 10})


def said_of(shown: Look | None = None, rules: Rules = RULES, *, vouched: bool = False, **more: Any) -> Said:
    standing = frozenset({Standing.ALLOWED} if vouched else ())
    return may_this_author_ask(known(look=shown or look(), standing=standing, **more), rules, NOON)


def ended(said: Said) -> tuple[Outcome, Reason | None]:
    return said.outcome, said.reason


@pytest.mark.parametrize(
    ("standing", "reason"),
    [
        ({Standing.FORGOTTEN}, Reason.OPTED_OUT),
        ({Standing.DENIED}, Reason.DENIED),
        ({Standing.FORGOTTEN, Standing.DENIED, Standing.ALLOWED}, Reason.OPTED_OUT),
        ({Standing.DENIED, Standing.ALLOWED}, Reason.DENIED),
        ({Standing.ALLOWED}, None),
        (set(), None),
    ],
)
def test_nobody_who_is_unwelcome_is_heard(standing: set[Standing], reason: Reason | None) -> None:
    """The wish to be forgotten weighs most, then an operator's no."""
    said = is_the_author_welcome(known(standing=frozenset(standing)), RULES, NOON)

    assert (Outcome.SKIP if reason else Outcome.PASS, reason) == ended(said)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("remember me", None),
        ("Forget me.", None),
        ("status", Reason.OPTED_OUT),
        ("remember me with a birthday card", Reason.OPTED_OUT),
    ],
)
def test_of_the_forgotten_only_that_is_heard(text: str, reason: Reason | None) -> None:
    """That they come back; and that they want to be forgotten, where it was done and not answered yet."""
    body = mention(ask=text, record=post(f"@wright.test {text}"))
    said = is_the_author_welcome(known(body, standing=frozenset({Standing.FORGOTTEN})), RULES, NOON)

    assert reason == said.reason


def test_somebody_who_was_denied_as_well_is_not_heard_when_they_come_back() -> None:
    """An operator's no stands."""
    both = frozenset({Standing.FORGOTTEN, Standing.DENIED})
    body = mention(ask="remember me", record=post("@wright.test remember me"))

    assert Reason.DENIED is is_the_author_welcome(known(body, standing=both), RULES, NOON).reason


@pytest.mark.parametrize(
    ("standing", "outcome"),
    [(Standing.FORGOTTEN, Outcome.SKIP), (Standing.DENIED, Outcome.PASS), (Standing.ALLOWED, Outcome.PASS)],
)
def test_nothing_is_built_from_the_post_of_somebody_who_wants_to_be_forgotten(
    standing: Standing, outcome: Outcome
) -> None:
    """Whoever asks for it; that somebody may not ask does not bind others."""
    said = is_the_author_welcome(known(involved_standing=((BOB, standing),)), RULES, NOON)

    assert outcome is said.outcome
    assert (BOB in said.detail) == (outcome is Outcome.SKIP)


def test_an_author_whom_nobody_looked_at_is_unknown() -> None:
    """Neither welcome nor not."""
    assert Outcome.UNKNOWN is may_this_author_ask(known(look=None), RULES, NOON).outcome
    assert Outcome.UNKNOWN is said_of(look().model_copy(update={"author": None})).outcome
    assert PASS == said_of()


@pytest.mark.parametrize(
    ("author", "reason"),
    [
        (profile(blocked=True), Reason.BLOCKED),
        (profile(ALICE, Label(src=ALICE, val="bot")), Reason.BOT),
        (profile(nobot=True), Reason.OPTED_OUT),
        (profile(ALICE, Label(src=MODERATOR, val="spam")), Reason.LABELLED),
        (profile(ALICE, Label(src=MODERATOR, val="bot")), None),
        (profile(), None),
    ],
)
def test_an_author_is_refused_for_what_the_network_says(author: Profile, reason: Reason | None) -> None:
    """A block, a bot by its own word, #nobot, a label; somebody else's word that it is a bot counts for nothing."""
    assert (Outcome.SKIP if reason else Outcome.PASS, reason) == ended(said_of(look(author=author)))


def test_bots_and_nobot_are_for_the_rules_to_heed() -> None:
    """By themselves they are only what somebody says; a block is no matter of rules, whoever set it."""
    heedless = ruled(authors={"skip_bots": False, "nobot": False})
    author = profile(ALICE, Label(src=ALICE, val="bot"), nobot=True)

    assert PASS == said_of(look(author=author, involved=(profile(BOB, nobot=True),)), heedless)
    for blocked in (look(author=profile(blocked=True)), look(involved=(profile(BOB, blocked=True),))):
        assert (Outcome.SKIP, Reason.BLOCKED) == ended(said_of(blocked, heedless))


@pytest.mark.parametrize(
    ("person", "reason"),
    [(profile(BOB, nobot=True), Reason.OPTED_OUT), (profile(BOB, blocked=True), Reason.BLOCKED), (profile(BOB), None)],
)
def test_those_whose_post_it_is_about_are_asked_as_well(person: Profile, reason: Reason | None) -> None:
    """Their labels are their own affair."""
    involved = (profile(BOB, Label(src=MODERATOR, val="spam")), person)
    said = said_of(look(involved=involved))

    assert (Outcome.SKIP if reason else Outcome.PASS, reason) == ended(said)
    assert (BOB in said.detail) == (reason is not None)


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        *[(value, Outcome.SKIP) for value in ("!hide", "!takedown", "!suspend", "spam", "impersonation", "scam")],
        *[(value, Outcome.HOLD) for value in ("!warn", "porn", "sexual", "nudity", "rude", "!something-new")],
        *[(value, Outcome.PASS) for value in ("!no-unauthenticated", "pineapple", "bot", "", "Spam")],
    ],
)
def test_a_label_weighs_by_its_value(value: str, outcome: Outcome) -> None:
    """On the account or on the post, whoever put it; what is unknown is held when it begins with `!`."""
    label = Label(src=MODERATOR, val=value)

    for shown in (look(author=profile(ALICE, label)), look(post_labels=(label,))):
        said = said_of(shown)
        assert outcome is said.outcome
        assert (outcome is Outcome.PASS) or f"labelled {value} by {MODERATOR}" == said.detail


def test_the_rules_name_the_labels() -> None:
    """An operator's lists take the place of the built-in ones."""
    rules = ruled(authors={"skip_labels": ["pineapple"], "hold_labels": ["spam"]})

    assert Outcome.SKIP is said_of(look(author=profile(ALICE, Label(src=BOB, val="pineapple"))), rules).outcome
    assert Outcome.HOLD is said_of(look(author=profile(ALICE, Label(src=BOB, val="spam"))), rules).outcome
    assert Outcome.PASS is said_of(look(author=profile(ALICE, Label(src=BOB, val="porn"))), rules).outcome


@pytest.mark.parametrize(
    ("membership", "outcome"),
    [(Membership.ON, Outcome.PASS), (Membership.OFF, Outcome.SKIP), (Membership.UNSURE, Outcome.UNKNOWN)],
)
def test_an_allow_list_says_nothing_when_it_cannot_be_sure(membership: Membership, outcome: Outcome) -> None:
    """Where there is none, nobody is off it."""
    assert outcome is said_of(look(membership=membership), LISTED).outcome
    assert PASS == said_of(look(membership=membership))


@pytest.mark.parametrize(
    ("days", "followers", "below"),
    [(30, 10, False), (29.9, 10, True), (30, 9, True), (30, None, False), (1, None, True)],
)
def test_below_a_floor_an_ask_is_held_or_skipped(days: float, followers: int | None, below: bool) -> None:
    """How many followers there are is no reason where the network does not say it."""
    shown = look(author=profile(created_at=NOON - timedelta(days=days), followers=followers))
    skipping = ruled(authors={"min_age_days": 30, "min_followers": 10, "below_floor": "skip"})

    assert (Outcome.HOLD if below else Outcome.PASS) is said_of(shown, FLOORS).outcome
    assert (Outcome.SKIP if below else Outcome.PASS) is said_of(shown, skipping).outcome
    assert PASS == said_of(shown)


@pytest.mark.parametrize(
    ("did", "outcome", "reason"),
    [(ALICE, Outcome.UNKNOWN, None), (Did("did:web:alice.example"), Outcome.HOLD, Reason.BELOW_FLOOR)],
)
def test_an_age_that_nobody_has_told_lifts_no_floor(did: Did, outcome: Outcome, reason: Reason | None) -> None:
    """The PLC is asked again; for any other DID only its owner could say it, so a person decides, skipping or not."""
    shown = look(author=profile(did, created_at=None))
    skipping = ruled(authors={"min_age_days": 30, "below_floor": "skip"})

    assert (outcome, reason) == ended(said_of(shown, FLOORS)) == ended(said_of(shown, skipping))
    assert PASS == said_of(shown) == said_of(shown, FLOORS, vouched=True)


def test_whom_an_operator_vouches_for_is_let_off_what_a_person_would_look_at() -> None:
    """Lists, floors, bots and labels that hold; never a block, an opt-out or a label that skips."""
    young = profile(ALICE, Label(src=ALICE, val="bot"), Label(src=BOB, val="porn"), created_at=NOON, followers=0)
    rules = ruled(authors={"allow_list": LIST, "min_age_days": 30, "min_followers": 10})

    assert PASS == said_of(look(author=young, membership=Membership.OFF), rules, vouched=True)
    assert Reason.BLOCKED is said_of(look(author=profile(blocked=True)), vouched=True).reason
    assert Reason.OPTED_OUT is said_of(look(author=profile(nobot=True)), vouched=True).reason
    assert Reason.LABELLED is said_of(look(author=profile(ALICE, Label(src=BOB, val="spam"))), vouched=True).reason


def test_what_refuses_weighs_more_than_what_is_not_known_and_that_more_than_what_holds() -> None:
    """Whatever the order in which they are found."""
    spam, porn = Label(src=BOB, val="spam"), Label(src=BOB, val="porn")
    unsure = Membership.UNSURE

    assert Outcome.SKIP is said_of(look(author=profile(ALICE, porn, spam), membership=unsure), LISTED).outcome
    assert Outcome.UNKNOWN is said_of(look(author=profile(ALICE, porn), membership=unsure), LISTED).outcome
    assert Outcome.HOLD is said_of(look(author=profile(ALICE, porn)), LISTED).outcome

"""The database repeats the rules of what is said in public, and of what stands beside: attacked with raw SQL."""

import pytest

from bot.ledger.ledger import Ledger
from guardrails.documents import DocId
from tests.bot.ledger.attack import broken_by, run
from tests.bot.ledger.steps import building, frozen, replied, sending
from tests.mentions import BOT, LANE

AT = "'2026-03-02 12:00:00.000000'"


COPY_SEND = (
    'INSERT INTO sends ("key", document_id, collection, rkey, state, record, cid, cids, tries, claimed_at, settled_at, '
    'uri) SELECT "key", document_id, collection, {rkey}, {state}, record, cid, cids, tries, claimed_at, {settled}, '
    "{uri} FROM sends WHERE id = (SELECT min(id) FROM sends)"
)


DEVICE = (
    "INSERT INTO devices (id, name, role, token_sha256, allowed_prefix, created_at) "
    "VALUES ('{}', '', '{}', '{}', '', {})"
)


@pytest.mark.parametrize("state", ["claimed", "answered"])
def test_a_send_key_is_live_once(ledger: Ledger, state: str) -> None:
    """While one is claimed or answered there is no second, claimed or answered."""
    send = sending(ledger)
    if state == "answered":
        ledger.sends.adopt(BOT, DocId(str(send.document_id)), frozen(send.rkey), "at://x/y/z")
    claimed = COPY_SEND.format(rkey="'3kother'", state="'claimed'", settled="NULL", uri="NULL")
    answered = COPY_SEND.format(rkey="'3kother'", state="'answered'", settled="claimed_at", uri="'at://x/y/z2'")

    for second in (claimed, answered):
        broken_by(ledger, "sends.key|uq_sends_live_key", second)


def test_a_key_that_is_not_live_may_have_many_rows(ledger: Ledger) -> None:
    """Refused and abandoned ones stay, and the key is free."""
    send = sending(ledger)
    ledger.sends.refused(BOT, send, "no")
    for number, state in enumerate(("refused", "abandoned", "abandoned")):
        run(ledger, COPY_SEND.format(rkey=f"'3k{number}'", state=f"'{state}'", settled="claimed_at", uri="NULL"))
    run(ledger, COPY_SEND.format(rkey="'3klive'", state="'claimed'", settled="NULL", uri="NULL"))

    assert 5 == len(ledger.queries.sends(DocId(str(send.document_id))))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("ck_sends_state", "state = 'sent', settled_at = claimed_at"),
        ("ck_sends_answered_has_uri", "state = 'answered', settled_at = claimed_at"),
        ("ck_sends_answered_has_uri", "uri = 'at://x/y/z'"),
        ("ck_sends_settled", "settled_at = claimed_at"),
        ("ck_sends_settled", "state = 'refused'"),
        ("ck_sends_op", "op = 'create'"),
        ("ck_sends_decision", "decided_by = 'olga'"),
        ("ck_sends_decision", "decision = 'abandon'"),
    ],
)
def test_a_send_is_in_one_of_its_states(ledger: Ledger, name: str, change: str) -> None:
    """With an address exactly when answered, a time exactly when settled, and whoever has decided with the decision."""
    sending(ledger)

    broken_by(ledger, name, f"UPDATE sends SET {change}")


def test_a_record_key_is_one_send(ledger: Ledger) -> None:
    """Of whatever key and state; and a send is of a document that exists."""
    send = sending(ledger)
    ledger.sends.refused(BOT, send, "no")

    broken_by(
        ledger,
        "sends.collection sends.rkey|uq_sends_collection_rkey",
        COPY_SEND.format(rkey="rkey", state="'claimed'", settled="NULL", uri="NULL"),
    )
    broken_by(ledger, "FOREIGN KEY|fk_sends_document_id", "UPDATE sends SET document_id = 'mention:x:y'")


def test_a_device_has_a_role_that_can_be_given(ledger: Ledger) -> None:
    """The bot's own is none of them."""
    for role in ("lane", "operator", "viewer"):
        run(ledger, DEVICE.format(role, role, role, AT))

    for role in ("bot", "root", ""):
        broken_by(ledger, "ck_devices_role", DEVICE.format("x", role, "x", AT))


def test_a_token_is_one_devices(ledger: Ledger) -> None:
    """And an id as well."""
    run(ledger, DEVICE.format("a", "lane", "token", AT))

    broken_by(ledger, "devices.token_sha256|uq_devices_token_sha256", DEVICE.format("b", "lane", "token", AT))
    broken_by(ledger, "devices.id|pk_devices", DEVICE.format("a", "lane", "other", AT))


def test_a_switch_is_one_that_a_job_asks_for(ledger: Ledger) -> None:
    """A misspelt one would pause nothing."""
    broken_by(
        ledger,
        "ck_switches_name",
        f"INSERT INTO switches (name, device, reason, at) VALUES ('pause_all', 'a', '', {AT})",
    )


@pytest.mark.parametrize("values", ["-1, 0", "0, -1"])
def test_usage_is_never_negative(ledger: Ledger, values: str) -> None:
    """Neither the count nor the money."""
    broken_by(
        ledger,
        "ck_usage_not_negative",
        f"INSERT INTO usage (scope, \"window\", n, cost_micros) VALUES ('a', 'b', {values})",
    )


def test_a_days_count_is_never_negative(ledger: Ledger) -> None:
    """It only grows."""
    broken_by(ledger, "ck_days_not_negative", "INSERT INTO days (day, what, n) VALUES ('2026-03-02', 'built', -1)")


def test_what_was_heard_was_heard_by_somebody(ledger: Ledger) -> None:
    """Of a mention that no source has told of there is nothing to compare."""
    broken_by(ledger, "ck_heard_by_one", f"INSERT INTO heard (id, at) VALUES ('mention:x:y', {AT})")


@pytest.mark.parametrize("change", ["gone_reason = 'taken_down'", f"gone_at = {AT}"])
def test_an_app_is_gone_with_a_reason(ledger: Ledger, change: str) -> None:
    """Both or neither."""
    building(ledger)

    broken_by(ledger, "ck_apps_gone", f"UPDATE apps SET {change}")


def test_a_file_belongs_to_an_app(ledger: Ledger) -> None:
    """And a path is one file of a version."""
    claimed = building(ledger)
    ledger.hosting.store(LANE, claimed.document.claim_id, "a" * 64, {"index.html": b"1"})  # type: ignore[arg-type]
    copy = (
        "INSERT INTO app_files (slug, version, path, content, sha256) "
        "SELECT {}, version, path, content, '' FROM app_files"
    )

    broken_by(ledger, "app_files.slug app_files.version app_files.path|pk_app_files", copy.format("slug"))
    broken_by(ledger, "FOREIGN KEY|fk_app_files_slug", copy.format("'nowhere'"))


def test_a_reply_cannot_be_taken_from_its_document(ledger: Ledger) -> None:
    """What was said keeps its row."""
    replied(ledger)

    broken_by(ledger, "FOREIGN KEY|fk_sends_document_id|fk_", "DELETE FROM moves", "DELETE FROM documents")

"""The database repeats the rules: each constraint is attacked with raw SQL, and holds on both databases."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from bot.ledger.ledger import Ledger
from guardrails.documents import DocId
from tests.bot.ledger.steps import building, built, frozen, pending, received, replied, sending
from tests.mentions import BOT, LANE

AT = "'2026-03-02 12:00:00.000000'"
COPY_DOCUMENT = (
    "INSERT INTO documents (id, kind, author_did, author_handle, source_uri, source_cid, body, status, version, "
    "reason, detail, created_at, updated_at, attempt, failures, budget, sending) SELECT {id}, kind, author_did, "
    "author_handle, {uri}, source_cid, body, 'received', 1, reason, detail, created_at, updated_at, 0, 0, 3, "
    "sending FROM documents"
)
COPY_MOVE = (
    "INSERT INTO moves (document_id, kind, name, from_status, to_status, version, actor, device, reason, detail, at) "
    "SELECT {id}, kind, name, from_status, to_status, {version}, {actor}, device, reason, detail, at FROM moves "
    "WHERE version = 1"
)
COPY_SEND = (
    'INSERT INTO sends ("key", document_id, collection, rkey, state, record, cid, cids, tries, claimed_at, settled_at, '
    'uri) SELECT "key", document_id, collection, {rkey}, {state}, record, cid, cids, tries, claimed_at, {settled}, '
    "{uri} FROM sends WHERE id = (SELECT min(id) FROM sends)"
)
DEVICE = (
    "INSERT INTO devices (id, name, role, token_sha256, allowed_prefix, created_at) "
    "VALUES ('{}', '', '{}', '{}', '', {})"
)


def run(ledger: Ledger, *statements: str) -> None:
    with ledger.db.write() as connection:
        for statement in statements:
            connection.execute(text(statement))


def broken_by(ledger: Ledger, name: str, *statements: str) -> None:
    """The last statement is refused by the constraint of that name, or by the columns that SQLite names instead."""
    *before, last = statements
    run(ledger, *before)
    with pytest.raises(IntegrityError) as refused:
        run(ledger, last)
    message = str(refused.value.orig).replace(": ", " ").replace(", ", " ")
    assert any(part in message for part in name.split("|")), message


@pytest.mark.parametrize("status", ["'finished'", "''", "'Received'"])
def test_a_status_is_one_of_its_kind(ledger: Ledger, status: str) -> None:
    """Nothing else can be written, by whatever program."""
    received(ledger)

    broken_by(ledger, "ck_documents_status", f"UPDATE documents SET status = {status}")


def test_a_kind_is_one_that_has_a_table(ledger: Ledger) -> None:
    """A document of no known kind has no statuses."""
    received(ledger)

    broken_by(ledger, "ck_documents_status", "UPDATE documents SET kind = 'errand'")


def test_a_status_is_never_nothing(ledger: Ledger) -> None:
    """A check that is NULL would let it through."""
    received(ledger)

    broken_by(ledger, "NOT NULL|null value", "UPDATE documents SET status = NULL")


@pytest.mark.parametrize("status", ["pending-build", "skipped", "built"])
def test_a_claim_stands_only_while_building(ledger: Ledger, status: str) -> None:
    """No move can forget to clear it."""
    document = building(ledger).document

    broken_by(
        ledger,
        "ck_documents_claim_only_while_building",
        f"UPDATE documents SET status = '{status}', result = '{{}}' WHERE id = '{document.id}'",
    )


@pytest.mark.parametrize("column", ["claim_id", "lease_until", "claim_device"])
def test_a_claim_is_whole(ledger: Ledger, column: str) -> None:
    """An id, a device and a lease, or none of them."""
    building(ledger)

    broken_by(ledger, "ck_documents_claim_whole", f"UPDATE documents SET {column} = NULL")


def test_a_claim_id_is_used_once(ledger: Ledger) -> None:
    """Neither by a second document nor by a second attempt."""
    building(ledger)
    building(ledger, "3ksecond")

    broken_by(
        ledger,
        "documents.claim_id|uq_documents_claim_id",
        "UPDATE documents SET claim_id = (SELECT min(claim_id) FROM attempts)",
    )
    broken_by(
        ledger,
        "attempts.claim_id|uq_attempts_claim_id",
        "UPDATE attempts SET claim_id = (SELECT min(claim_id) FROM attempts)",
    )


def test_what_waits_for_a_lane_has_an_end(ledger: Ledger) -> None:
    """Without a build_by it would wait for ever."""
    pending(ledger)

    broken_by(ledger, "ck_documents_build_by", "UPDATE documents SET build_by = NULL")


def test_what_is_built_has_a_result(ledger: Ledger) -> None:
    """There is nothing to say without one."""
    built(ledger)

    broken_by(ledger, "ck_documents_result", "UPDATE documents SET result = NULL")


def test_only_what_is_built_is_being_sent(ledger: Ledger) -> None:
    """A document under a live reply key cannot leave by another door."""
    sending(ledger)

    broken_by(ledger, "ck_documents_sending_only_while_built", "UPDATE documents SET status = 'skipped'")


@pytest.mark.parametrize(
    "counts", ["version = 0", "attempt = -1, failures = -1", "failures = -1", "failures = attempt + 1"]
)
def test_counts_are_counts(ledger: Ledger, counts: str) -> None:
    """No version below one, no failure without an attempt."""
    building(ledger)

    broken_by(ledger, "ck_documents_counts", f"UPDATE documents SET {counts}")


def test_an_id_and_a_post_are_one_document(ledger: Ledger) -> None:
    """Whoever inserts it, and in whatever state it is."""
    received(ledger)

    broken_by(ledger, "documents.id|pk_documents", COPY_DOCUMENT.format(id="id", uri="'at://x'"))
    broken_by(
        ledger,
        "documents.source_uri|uq_documents_source_uri",
        COPY_DOCUMENT.format(id="'mention:x:y'", uri="source_uri"),
    )


def test_a_slug_is_given_out_once(ledger: Ledger) -> None:
    """Neither to a second document nor to a second app, not even of a document that has one."""
    building(ledger)
    building(ledger, "3ksecond")

    broken_by(ledger, "documents.slug|uq_documents_slug", "UPDATE documents SET slug = (SELECT min(slug) FROM apps)")
    third = pending(ledger, "3kthird").id
    broken_by(
        ledger, "apps.slug|pk_apps", f"INSERT INTO apps (slug, document_id) SELECT min(slug), '{third}' FROM apps"
    )
    broken_by(
        ledger,
        "apps.document_id|uq_apps_document_id",
        "INSERT INTO apps (slug, document_id) SELECT slug || 'x', document_id FROM apps",
    )


def test_the_history_is_append_only(ledger: Ledger) -> None:
    """No line of it can be written over, by anybody."""
    received(ledger)

    with pytest.raises(DBAPIError, match="the history is append-only"):
        run(ledger, "UPDATE moves SET reason = 'passed'")
    with pytest.raises(DBAPIError, match="the history is append-only"):
        run(ledger, "UPDATE moves SET seq = seq + 1000")


def test_a_version_has_one_line_of_history(ledger: Ledger) -> None:
    """Two writers cannot both have made the same step."""
    received(ledger)

    broken_by(
        ledger,
        "moves.document_id moves.version|uq_moves_document_id_version",
        COPY_MOVE.format(id="document_id", version="1", actor="actor"),
    )


def test_a_line_of_history_has_an_actor_and_a_document(ledger: Ledger) -> None:
    """One of the three, and one that exists."""
    received(ledger)

    broken_by(ledger, "ck_moves_actor", COPY_MOVE.format(id="document_id", version="2", actor="'somebody'"))
    broken_by(
        ledger, "FOREIGN KEY|fk_moves_document_id", COPY_MOVE.format(id="'mention:x:y'", version="2", actor="actor")
    )


def test_a_document_with_a_history_cannot_be_deleted(ledger: Ledger) -> None:
    """Ids are never deleted."""
    received(ledger)

    broken_by(ledger, "FOREIGN KEY|fk_moves_document_id", "DELETE FROM documents")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("ck_attempts_outcome", "outcome = 'perhaps', ended_at = started_at"),
        ("ck_attempts_ended", "outcome = 'done'"),
        ("ck_attempts_ended", "ended_at = started_at"),
    ],
)
def test_an_attempt_ends_with_an_outcome(ledger: Ledger, name: str, change: str) -> None:
    """One of those there are, and both or neither."""
    building(ledger)

    broken_by(ledger, name, f"UPDATE attempts SET {change}")


def test_an_attempt_is_one_row_of_a_document(ledger: Ledger) -> None:
    """Numbered, and of a document that exists."""
    building(ledger)
    copy = (
        "INSERT INTO attempts (document_id, attempt, claim_id, device, generator, started_at, detail, tokens_in, "
        "tokens_out, cost_micros, log_tail) SELECT {}, attempt, 'other', device, generator, started_at, '', 0, 0, 0, "
        "'' FROM attempts"
    )

    broken_by(ledger, "attempts.document_id attempts.attempt|pk_attempts", copy.format("document_id"))
    broken_by(ledger, "FOREIGN KEY|fk_attempts_document_id", copy.format("'mention:x:y'"))


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
    ],
)
def test_a_send_is_in_one_of_its_states(ledger: Ledger, name: str, change: str) -> None:
    """With an address exactly when answered, and a time exactly when settled."""
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

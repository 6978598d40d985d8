"""The database repeats the rules: each constraint is attacked with raw SQL, and holds on both databases."""

import pytest
from sqlalchemy.exc import DBAPIError

from bot.ledger.ledger import Ledger
from tests.bot.ledger.attack import broken_by, run
from tests.bot.ledger.steps import building, built, pending, received, sending

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


def test_only_the_answer_to_what_is_built_is_held(ledger: Ledger) -> None:
    """A document cannot leave with an answer that a person is to decide about."""
    built(ledger)

    broken_by(
        ledger,
        "ck_documents_held_only_while_built",
        "UPDATE documents SET reply_held = 'old'",
        "UPDATE documents SET status = 'skipped'",
    )


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


def test_what_is_searched_is_a_row_of_its_own(ledger: Ledger) -> None:
    """For each document."""
    received(ledger)
    received(ledger, "3ksecond")

    broken_by(ledger, "searched.key|pk_searched", 'UPDATE searched SET "key" = (SELECT min("key") FROM searched)')


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
    """No line of it can be written over, by anybody; but that a detail, which may be somebody's words, is blanked."""
    received(ledger)
    run(ledger, "UPDATE moves SET detail = ''")

    with pytest.raises(DBAPIError, match="the history is append-only"):
        run(ledger, "UPDATE moves SET reason = 'passed'")
    with pytest.raises(DBAPIError, match="the history is append-only"):
        run(ledger, "UPDATE moves SET seq = seq + 1000, detail = ''")
    with pytest.raises(DBAPIError, match="the history is append-only"):
        run(ledger, "UPDATE moves SET detail = 'other words'")


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


def test_an_attempt_is_never_taken_to_cost_less_than_nothing(ledger: Ledger) -> None:
    """Its estimate is taken out of a purse."""
    building(ledger)

    broken_by(ledger, "ck_attempts_estimate", "UPDATE attempts SET estimate_micros = -1")
    for surplus in ("-1", "estimate_micros + 1"):
        broken_by(ledger, "ck_attempts_surplus", f"UPDATE attempts SET surplus_micros = {surplus}")


def test_a_document_stands_in_a_thread(ledger: Ledger) -> None:
    """If only in that of its own post."""
    received(ledger)

    broken_by(ledger, "NOT NULL|null value", "UPDATE documents SET thread = NULL")


PERSON = (
    "INSERT INTO people (did, standing, until, reason, device, at) VALUES ('did:plc:alice', {}, {}, '', 'olga', {})"
)


def test_a_person_stands_in_one_of_three_ways(ledger: Ledger) -> None:
    """Nothing else can be written, by whatever program."""
    broken_by(ledger, "ck_people_standing", PERSON.format("'loved'", "NULL", AT))


def test_a_standing_is_laid_down_once(ledger: Ledger) -> None:
    """Of two rows nobody could tell which one holds; one of each kind may stand."""
    denied, forgotten = (PERSON.format(f"'{standing}'", "NULL", AT) for standing in ("denied", "forgotten"))

    broken_by(ledger, "people.did people.standing|pk_people", denied, forgotten, denied)


def test_nobody_is_forgotten_for_a_time(ledger: Ledger) -> None:
    """Who wants to come back says so."""
    broken_by(ledger, "ck_people_forgotten_for_good", PERSON.format("'forgotten'", AT, AT))

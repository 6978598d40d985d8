"""Operators: search, and lists, piles and figures that stay quick however many documents there are.

What is searched for is kept by triggers on `documents`. SQLite drops a table's triggers with the table: a migration
that copies `documents` has to make them anew.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_UNSETTLED = (
    "conflict IS NOT NULL OR (state = 'claimed' AND unknown_since IS NOT NULL) "
    "OR (state = 'refused' AND next_try_at IS NOT NULL)"
)
_FAILED = "status IN ('build-failed', 'error')"
# What stands in <…> is filled in below, for the row of that name.
_ABOUT = "substr(ROW.author_handle || ' ' || ROW.author_did || ' ' || ROW.reason || ' ' || ROW.detail, 1, 20000)"
_SAID = "(ROW.author_handle, ROW.author_did, ROW.reason, ROW.detail)"
# The body without NUL, which JSON can say and text cannot hold; what it leaves of an escaped backslash is JSON as well.
_BODY = r"replace(ROW.body, '\u0000', '\u0020')"
# Symbols and pictures are words of their own, be they written next to a word: they are set apart, sign by sign. Half of
# a surrogate pair reads as U+FFFD.
_ASKED = r"""
    CASE WHEN NOT json_valid(<body ROW>) THEN ''
    WHEN instr(ROW.body, '\u2') = 0 AND instr(ROW.body, '\ud') = 0
    THEN coalesce(substr(json_extract(<body ROW>, '$.ask'), 1, 20000), '')
    ELSE (
        SELECT coalesce(group_concat(
            CASE WHEN unicode(sign) BETWEEN 0x2190 AND 0x2BFF OR unicode(sign) BETWEEN 0x1F000 AND 0x1FAFF
            THEN ' ' || sign || ' ' WHEN unicode(sign) = 0xFFFD THEN ' ' ELSE sign END, ''), '')
        FROM (
            WITH RECURSIVE
            ask(words) AS (SELECT substr(json_extract(<body ROW>, '$.ask'), 1, 20000)),
            place(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < (SELECT length(words) FROM ask))
            SELECT substr(words, n, 1) AS sign FROM ask, place ORDER BY n
        )
    ) END
"""
_SQLITE = (
    """CREATE VIRTUAL TABLE searched_words USING fts5(
        asked, about, content = 'searched', content_rowid = 'key', columnsize = 0,
        tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co So'")""",
    "CREATE TRIGGER searched_added AFTER INSERT ON searched BEGIN <words in> END",
    "CREATE TRIGGER searched_removed AFTER DELETE ON searched BEGIN <words out> END",
    """CREATE TRIGGER searched_changed AFTER UPDATE ON searched
        WHEN (NEW.asked, NEW.about) IS NOT (OLD.asked, OLD.about) BEGIN <words out> <words in> END""",
    """INSERT INTO searched (document_id, asked, about)
        SELECT id, <asked documents>, <about documents> FROM documents ORDER BY created_at, id""",
    """CREATE TRIGGER documents_search_added AFTER INSERT ON documents BEGIN
        INSERT INTO searched (document_id, asked, about) VALUES (NEW.id, <asked NEW>, <about NEW>); END""",
    """CREATE TRIGGER documents_search_about AFTER UPDATE OF author_handle, author_did, reason, detail ON documents
        WHEN <said NEW> IS NOT <said OLD> BEGIN
        UPDATE searched SET about = <about NEW> WHERE document_id = NEW.id; END""",
    """CREATE TRIGGER documents_search_asked AFTER UPDATE OF body ON documents WHEN NEW.body IS NOT OLD.body BEGIN
        UPDATE searched SET asked = <asked NEW> WHERE document_id = NEW.id; END""",
)
_WORDS_IN = "INSERT INTO searched_words (rowid, asked, about) VALUES (NEW.key, NEW.asked, NEW.about);"
_WORDS_OUT = """INSERT INTO searched_words (searched_words, rowid, asked, about)
    VALUES ('delete', OLD.key, OLD.asked, OLD.about);"""

# Letters, digits and case as Unicode has them, where the database has a collation that knows: the first of these.
_COLLATIONS = ("pg_c_utf8", "und-x-icu", "C.utf8", "C.UTF-8", "en_US.utf8")
_POSTGRESQL = (
    r"""CREATE FUNCTION search_signs(given text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
        SELECT regexp_split_to_array(
            lower(regexp_replace(given, '[\u2190-\u2bff\U0001f000-\U0001faff]', ' \& ', 'g') <collate>),
            '[^[:alnum:]\u0300-\u036f\u2190-\u2bff\U0001f000-\U0001faff]+' <collate>) $f$""",
    # As many as 16,383 places are kept apart in a tsvector, and a word of up to 2,046 bytes.
    """CREATE FUNCTION search_words(given text, skipped int) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
        $f$ SELECT coalesce(string_agg('''' || left(word, 400) || ''':' || least(n + skipped, 16383), ' '), '')::tsvector
        FROM unnest(search_signs(given)) WITH ORDINALITY AS each (word, n) WHERE word <> '' $f$""",
    """CREATE FUNCTION search_phrase(given text, begins boolean) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
        $f$ SELECT (coalesce(string_agg('''' || left(word, 400) || '''', ' <-> ' ORDER BY n), '')
        || CASE WHEN begins AND count(*) > 0 THEN ':*' ELSE '' END)::tsquery
        FROM unnest(search_signs(given)) WITH ORDINALITY AS each (word, n) WHERE word <> '' $f$""",
    """CREATE FUNCTION search_query(parts text[], begins boolean) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE AS $f$
        DECLARE wanted tsquery := '';
        BEGIN
            FOR n IN 1 .. cardinality(parts) LOOP
                wanted := wanted && search_phrase(parts[n], begins AND n = cardinality(parts));
            END LOOP;
            RETURN wanted;
        END $f$""",
    # jsonb refuses halves of surrogate pairs as well; where there is one, all that is written as a pair goes.
    r"""CREATE FUNCTION search_asked(body text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $f$
        DECLARE plain text := replace(body, '\u0000', '\u0020');
        BEGIN
            RETURN coalesce(left(plain::jsonb ->> 'ask', 20000), '');
        EXCEPTION WHEN data_exception THEN
            BEGIN
                plain := regexp_replace(plain, '\\ud[89a-f][0-9a-f]{2}', '\\u0020', 'g');
                RETURN coalesce(left(plain::jsonb ->> 'ask', 20000), '');
            EXCEPTION WHEN data_exception THEN
                RETURN '';
            END;
        END $f$""",
    # One place is left out between the two, so that no phrase runs from one into the other.
    """ALTER TABLE searched ADD COLUMN words tsvector NOT NULL
        GENERATED ALWAYS AS (search_words(asked, 0) || search_words(about, 1)) STORED""",
    """CREATE FUNCTION search_added() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        INSERT INTO searched (document_id, asked, about) VALUES (NEW.id, search_asked(NEW.body), <about NEW>);
        RETURN NULL; END $f$""",
    """CREATE FUNCTION search_about() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        UPDATE searched SET about = <about NEW> WHERE document_id = NEW.id;
        RETURN NULL; END $f$""",
    """CREATE FUNCTION search_asked_anew() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        UPDATE searched SET asked = search_asked(NEW.body) WHERE document_id = NEW.id;
        RETURN NULL; END $f$""",
    """INSERT INTO searched (document_id, asked, about)
        SELECT id, search_asked(body), <about documents> FROM documents ORDER BY created_at, id""",
    "CREATE INDEX ix_searched_words ON searched USING gin (words)",
    """CREATE TRIGGER documents_search_added AFTER INSERT ON documents
        FOR EACH ROW EXECUTE FUNCTION search_added()""",
    """CREATE TRIGGER documents_search_about AFTER UPDATE OF author_handle, author_did, reason, detail ON documents
        FOR EACH ROW WHEN (<said NEW> IS DISTINCT FROM <said OLD>) EXECUTE FUNCTION search_about()""",
    """CREATE TRIGGER documents_search_asked AFTER UPDATE OF body ON documents
        FOR EACH ROW WHEN (NEW.body IS DISTINCT FROM OLD.body) EXECUTE FUNCTION search_asked_anew()""",
)


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "searched",
        sa.Column("key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_searched_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_searched")),
        sa.UniqueConstraint("document_id", name=op.f("uq_searched_document_id")),
        sqlite_autoincrement=True,
    )
    _index()
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        for statement in _SQLITE:
            connection.exec_driver_sql(_filled(statement))
        return
    known = set(connection.execute(sa.text("SELECT collname FROM pg_collation")).scalars())
    collate = next((f'COLLATE "{name}"' for name in _COLLATIONS if name in known), "")
    for statement in _POSTGRESQL:
        connection.exec_driver_sql(_filled(statement).replace("<collate>", collate))


def downgrade() -> None:
    """Bring the schema back."""
    triggers = ("documents_search_added", "documents_search_about", "documents_search_asked")
    if op.get_bind().dialect.name == "postgresql":
        for trigger in triggers:
            op.execute(f"DROP TRIGGER {trigger} ON documents")
        op.drop_table("searched")
        functions = (
            "added()",
            "about()",
            "asked_anew()",
            "asked(text)",
            "query(text[], boolean)",
            "phrase(text, boolean)",
            "words(text, int)",
        )
        for function in (*functions, "signs(text)"):
            op.execute(f"DROP FUNCTION search_{function}")
    else:
        for trigger in triggers:
            op.execute(f"DROP TRIGGER {trigger}")
        op.execute("DROP TABLE searched_words")
        op.drop_table("searched")
    for table, name in (
        ("attempts", "ended_at"),
        ("attempts", "device_started_at"),
        ("sends", "unsettled"),
        ("documents", "failed"),
        ("documents", "held"),
        ("documents", "reason"),
        ("documents", "handle"),
        ("documents", "author"),
    ):
        op.drop_index(f"ix_{table}_{name}", table_name=table)
    op.create_index("ix_documents_author", "documents", ["author_did", "created_at"])


def _index() -> None:
    op.drop_index("ix_documents_author", table_name="documents")
    op.create_index("ix_documents_author", "documents", ["author_did", "created_at", "id"])
    op.create_index("ix_documents_handle", "documents", ["author_handle", "created_at", "id"])
    op.create_index("ix_documents_reason", "documents", ["status", "reason", "created_at", "id"])
    op.create_index("ix_attempts_device_started_at", "attempts", ["device", "started_at"])
    op.create_index("ix_attempts_ended_at", "attempts", ["ended_at"])
    for table, name, columns, which in (
        ("documents", "held", ["created_at", "id"], "reply_held IS NOT NULL"),
        ("documents", "failed", ["status", "updated_at"], _FAILED),
        ("sends", "unsettled", ["id"], _UNSETTLED),
    ):
        op.create_index(
            f"ix_{table}_{name}", table, columns, sqlite_where=sa.text(which), postgresql_where=sa.text(which)
        )


def _filled(statement: str) -> str:
    filled = statement.replace("<words in>", _WORDS_IN).replace("<words out>", _WORDS_OUT)
    for name, meant in (("asked", _ASKED), ("body", _BODY), ("about", _ABOUT), ("said", _SAID)):
        for row in ("NEW", "OLD", "documents"):
            filled = filled.replace(f"<{name} {row}>", meant.replace("ROW", row))
    return filled

"""Many rows in no time: copies of what a test made by the ledger's own moves, by one statement each."""

from sqlalchemy import inspect, text

from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.documents import DocId

_NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :many)"


def more_moves(ledger: Ledger, document: Document, many: int) -> None:
    """So many moves more in the history of a document, like its first one; the document stays as it is."""
    copied = "document_id, kind, name, from_status, to_status, actor, device, reason, detail, claim_id, at"
    top = "(SELECT max(version) FROM moves WHERE document_id = :id)"
    first = "FROM n, moves WHERE document_id = :id AND version = 1 ORDER BY i"
    statement = f"INSERT INTO moves ({copied}, version) {_NUMBERS} SELECT {copied}, {top} + i {first}"
    with ledger.db.write() as connection:
        connection.execute(text(statement), {"many": many, "id": document.id})


def more_documents(ledger: Ledger, document: Document, many: int) -> list[DocId]:
    """So many documents more that stand where this one stands, and were made at the same moment; their ids."""
    told = {name: f"{name} || '-' || i" for name in ("id", "source_uri", "slug", "page")}
    columns = [column["name"] for column in inspect(ledger.db.engine).get_columns("documents")]
    selected = ", ".join(told.get(column, column) for column in columns)
    copies = f"{_NUMBERS} SELECT {selected} FROM n, documents WHERE id = :id"
    with ledger.db.write() as connection:
        statement = f"INSERT INTO documents ({', '.join(columns)}) {copies}"
        connection.execute(text(statement), {"many": many, "id": document.id})
    return [DocId(f"{document.id}-{number}") for number in range(1, many + 1)]

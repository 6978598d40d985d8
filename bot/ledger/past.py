"""What is left of an ask whose history was removed, for whoever asks for it."""

from sqlalchemy import Connection, or_, select

from bot.ledger.tables import apps, past
from guardrails.documents import Kind, doc_id_of


def told_of_past(connection: Connection, name: str) -> str | None:
    """What is left, in a sentence, of an ask by its id, its post's at-uri or its app's slug; None where it has none."""
    of_slug = select(apps.c.document_id).where(apps.c.slug == name)
    named = or_(past.c.id == name, past.c.id == _id_of(name), past.c.id.in_(of_slug))
    row = connection.execute(select(past).where(named).limit(1)).one_or_none()
    if row is None:
        return None
    told = f"{row.id} ended on {row.ended_at:%Y-%m-%d} as {row.status} ({row.reason})"
    told += f", and its history was removed on {row.removed_at:%Y-%m-%d}"
    if row.reply_uri is None:
        return told
    if row.taken_back_at is not None:
        return f"{told}; our reply was taken back on {row.taken_back_at:%Y-%m-%d}"
    return f"{told}; our reply is {row.reply_uri}"


def _id_of(name: str) -> str | None:
    try:
        return doc_id_of(Kind.MENTION, name)
    except ValueError:
        return None

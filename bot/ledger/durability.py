"""Whether PostgreSQL keeps what it was given, where a pooler is between and a session cannot say so for itself."""

from sqlalchemy import Engine

from bot.errors import NotDurable
from bot.ledger.engine import Database

# Weaker ones lose the last writes with the server, or with it and its standby: a claim that is forgotten is made again.
KEEPING = frozenset({"on", "remote_apply"})


def check_durable(db: Database) -> None:
    """Return unless what is committed through the pooler may be forgotten; NotDurable says what to run.

    A connection past the pooler is told at its beginning, and so is one to SQLite.
    """
    if not db.is_pooled:
        return
    with db.read() as connection:
        mode, role, name = connection.exec_driver_sql(
            "SELECT current_setting('synchronous_commit'), quote_ident(current_user), quote_ident(current_database())"
        ).one()
    if mode not in KEEPING:
        raise NotDurable(
            f"synchronous_commit is {mode} behind the pooler, so what is answered may be forgotten and answered twice: "
            f"run `ALTER ROLE {role} IN DATABASE {name} SET synchronous_commit = on`, and let the pooler connect anew"
        )


def is_behind_a_pooler(engine: Engine) -> bool:
    """Whether something is between here and PostgreSQL, be it in transaction mode or another."""
    with engine.connect() as connection:
        plain = connection.connection.driver_connection
        # A pooler gives out numbers of its own, by which a call is cancelled, and not those of the server's processes.
        told: int | None = plain.info.backend_pid if plain is not None else None
        return bool(told != connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())

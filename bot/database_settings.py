"""The settings of a database with several bots: the way round a pooler, and how long the rounds are one bot's."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings

from bot.addresses import AN_ADDRESS


def a_database(value: str) -> str:
    """What can be read as an address; the driver's own error repeats a part of it, which may be the password's."""
    from sqlalchemy import make_url  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    try:
        is_one = "@" not in (make_url(value).host or "")
    except (ArgumentError, ValueError):
        is_one = False
    if not is_one:
        raise ValueError("no address of a database; in a password, %40 stands for @, %3A for : and %2F for /")
    return value


def _postgresql(value: str) -> str:
    if value.partition("://")[0] not in ("postgresql", "postgresql+psycopg"):
        raise ValueError("not an address of PostgreSQL: postgresql+psycopg://…")
    return value


class DatabaseSettings(BaseSettings, defer_build=True):
    """A part of the bot's settings; nothing here is needed for SQLite, or for PostgreSQL without a pooler."""

    database_direct_url: Annotated[str, AfterValidator(a_database), AfterValidator(_postgresql), AN_ADDRESS] | None = (
        Field(
            default=None,
            description="PostgreSQL itself, where the ledger's address leads to a pooler in transaction mode: for "
            "migrations, and to be woken at once. Set it, and no connection to the ledger's address keeps anything",
        )
    )
    rounds_lease_seconds: float = Field(
        default=15,
        ge=2,
        le=600,
        description="Of several bots on one ledger one does the rounds; how long until another takes over from one "
        "that is gone",
    )

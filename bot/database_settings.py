"""The settings of a database with several bots: the way round a pooler, and how long the rounds are one bot's."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings

from bot.addresses import AN_ADDRESS


def _postgresql(value: str) -> str:
    if value.partition("://")[0] not in ("postgresql", "postgresql+psycopg"):
        raise ValueError("not an address of PostgreSQL: postgresql+psycopg://…")
    return value


class DatabaseSettings(BaseSettings, defer_build=True):
    """A part of the bot's settings; nothing here is needed for SQLite, or for PostgreSQL without a pooler."""

    database_direct_url: Annotated[str, AfterValidator(_postgresql), AN_ADDRESS] | None = Field(
        default=None,
        description="PostgreSQL itself, where the ledger's address leads to a pooler in transaction mode: for "
        "migrations, and to be woken at once. Set it, and no connection to the ledger's address keeps anything",
    )
    rounds_lease_seconds: float = Field(
        default=15,
        ge=2,
        le=600,
        description="Of several bots on one ledger one does the rounds; how long until another takes over from one "
        "that is gone",
    )

"""A database's address, as people may see it."""

from sqlalchemy import URL, make_url

from bot.terminal.opening import sqlite_file

_SECRET = ("password", "sslpassword")


def holds_a_password(url: URL) -> bool:
    """Whether there is something in an address that nobody else may read."""
    return url.password is not None or any(name in url.query for name in _SECRET)


def without_password(url: URL) -> str:
    """An address without what nobody else may read."""
    open_to_all = url.difference_update_query(_SECRET)
    # `set` would leave the password as it is.
    return URL.create(
        url.drivername, url.username, None, url.host, url.port, url.database, open_to_all.query
    ).render_as_string()


def place_of(database_url: str) -> str:
    """Where a ledger is: the whole path of a file, or an address without its password."""
    file = sqlite_file(database_url)
    return str(file.resolve()) if file is not None else without_password(make_url(database_url))

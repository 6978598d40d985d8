"""Addresses as settings: checked when they are read, so that a wrong one is named and not met later."""

from typing import Annotated
from urllib.parse import unquote, urlsplit, urlunsplit

from pydantic import AfterValidator, Field, SecretStr

from bot.hosts import is_loopback

LONGEST_SECRET_URL = 2000


def shown(address: str) -> str:
    """An address for people and for what is kept: without its user, password, query and fragment."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def secrets_in(address: str) -> frozenset[str]:
    """What nobody is to read in an address, as it stands there and as it is meant: its password and its query.

    A user name without a password is a token.
    """
    try:
        parts = urlsplit(address)
        hidden = (parts.password or parts.username or "", parts.query) if parts.scheme else ()
    except ValueError:
        return frozenset()
    return frozenset(way for text in hidden if text for way in (text, unquote(text)))


def _url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("not an http or https address")
    return value.rstrip("/")


def _plain(value: str) -> str:
    parts = urlsplit(value)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("it is shown, and added to, so it has no user name, password, query or fragment")
    return value


def _safe_for_secrets(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise ValueError("not an https address")
    return value


def _secret_url(value: SecretStr) -> SecretStr:
    address = value.get_secret_value()
    if len(address) > LONGEST_SECRET_URL:
        raise ValueError("too long for an address")
    return SecretStr(_safe_for_secrets(_url(address)))


def _listen(value: str) -> str:
    host, _, port = value.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65_535:
        raise ValueError("not HOST:PORT")
    return value


# What a setting is, for whoever is told of it.
AN_ADDRESS = Field(json_schema_extra={"format": "uri"})
Url = Annotated[str, AfterValidator(_url), AfterValidator(_plain), Field(max_length=200), AN_ADDRESS]
SafeUrl = Annotated[Url, AfterValidator(_safe_for_secrets)]
SecretUrl = Annotated[SecretStr, AfterValidator(_secret_url)]
Listen = Annotated[str, AfterValidator(_listen), Field(json_schema_extra={"format": "host-port"})]

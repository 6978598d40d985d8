"""Who is meant by what people type: a DID, a handle, or the link of a profile."""

import re
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

from bot.errors import NoName, NoSuchDocument
from bot.ledger.queries import Queries
from bot.operations.port import Named
from guardrails.documents import Did, is_did

_HANDLE = re.compile(r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
_PROFILE_PATH = re.compile(r"/profile/(?P<who>[^/]+)(/.*)?")
# A handle goes from hand to hand; more than a few who had it are not listed.
_SHOWN = 5


def named(queries: Queries, who: str, resolve: Callable[[str], str | None]) -> Named:
    """The DID of whoever is named; NoName when it is no name of anybody.

    `resolve` asks the network for a handle's DID, None when it cannot say: then the ledger's own memory counts. Where
    the two differ, or nobody knows, it is NoSuchDocument: whom a handle meant yesterday is for a person to tell.
    """
    name = _name(who)
    if is_did(name):
        return Named(Did(name))
    handle = name.removeprefix("@").lower()
    if not _HANDLE.fullmatch(handle):
        raise NoName(f"{who!r} is neither a DID nor a handle")
    here, there = queries.dids_of(handle), resolve(handle)
    if there is not None and (not here or there in here):
        return Named(Did(there), f"{handle} is {there}, as the network says")
    if there is None and len(here) == 1:
        how = "as the ledger last saw it; the network was not to be asked"
        return Named(here[0], f"{handle} is {here[0]}, {how}")
    known = [did for did in (there, *here[:_SHOWN]) if did is not None]
    if not known:
        raise NoSuchDocument(f"nobody is known as {handle}: neither the network nor the ledger has its DID")
    raise NoSuchDocument(f"{handle} was more than one person: say which DID you mean: {', '.join(known)}")


def _name(who: str) -> str:
    who = who.strip()
    if not who.lower().startswith(("http://", "https://")):
        return who
    try:
        match = _PROFILE_PATH.fullmatch(urlsplit(who).path)
    except ValueError:
        match = None
    if match is None:
        raise NoName(f"{who!r} is not the link of a profile")
    return unquote(match["who"])

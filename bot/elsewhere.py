"""Addresses of apps that a lane has published elsewhere: which are taken, and what of them a page's policy may name."""

import re
from urllib.parse import urlsplit

from guardrails.bundle import INDEX

# As a URL's authority without a user, so that nothing of it can end a directive of a content security policy.
_AUTHORITY = r"(?:[a-z0-9-]+\.)*[a-z0-9-]+(?::[0-9]{1,5})?"
_PLACE = re.compile(rf"(https?)://({_AUTHORITY})(/[A-Za-z0-9._~/-]*)")


def address_problem(address: str, page: str, slug: str, version: int) -> str | None:
    """Why nobody may be shown this address in the frame of an app's page; None when it is fine.

    It names slug and version, so that a lane that may publish many apps cannot put one into the page of another, nor
    change a version that was looked at. HTTPS, unless our own pages are without it.
    """
    place = _PLACE.fullmatch(address)
    if place is None:
        return "the address is not a plain one: scheme, lower-case host, path of letters, digits and .-_~"
    if place[1] != "https" and urlsplit(page).scheme == "https":
        return "the address is not an https one"
    if not place[3].endswith(f"/{slug}/{version}/{INDEX}"):
        return f"the address does not end in /{slug}/{version}/{INDEX}"
    return None


def origin_of(address: str) -> str:
    """The origin of an address that was taken, for a page's policy; ValueError for any other."""
    place = _PLACE.fullmatch(address)
    if place is None:
        raise ValueError("not an address that was taken")
    return f"{place[1]}://{place[2]}"

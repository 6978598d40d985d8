"""Which host names are ours: the web server in front asks before it gets a certificate for one.

It asks by the listener's own address. Nobody outside can: a call by the name of the pages or of an app goes there.
"""

from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response

from bot.hosts import host_name
from bot.ledger.ledger import Ledger
from bot.pages.standing import Live, standing_of

PATH = "/certificate"
# The one name of no app that may have a certificate: by it the doctor looks whether names below the pages' lead here.
# No slug ends like this: each has an unguessable part.
NO_SLUG = "skywright-doctor"


def certificate_routes(ledger: Ledger, page_host: str) -> APIRouter:
    """`/certificate?domain=NAME`: 200 for the host of the pages, of each live app here, and the doctor's; else 404.

    Certificates are rare where they are issued, so that nobody gets one by making a name up. Whoever tries costs a
    look-up by a key, as each call of such a host does.
    """
    routes = APIRouter()

    @routes.get(PATH)
    def certificate(domain: str = "") -> Response:
        status = HTTPStatus.OK if _is_ours(ledger, page_host, host_name(domain)) else HTTPStatus.NOT_FOUND
        return PlainTextResponse(f"{status.phrase}\n", status, {"Cache-Control": "no-store"})

    return routes


def _is_ours(ledger: Ledger, page_host: str, name: str) -> bool:
    if name in (page_host, f"{NO_SLUG}.{page_host}"):
        return True
    if not name.endswith(f".{page_host}"):
        return False
    standing = standing_of(ledger, name.removesuffix(f".{page_host}"))
    # What a lane has published elsewhere is shown from there.
    return isinstance(standing, Live) and standing.app.address is None

"""One document: what was asked, what became of it and why, what it cost, and what can be done to it from here."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response

from bot.api.problems import invalid
from bot.console.console import Console
from bot.console.deeds import SAID
from bot.console.forms import Form
from bot.console.links import document_path, post_link, profile_link
from bot.console.posts import beside, pieces
from bot.console.problems import is_part
from bot.console.visits import Change, Visit
from bot.follower import Follower
from bot.ledger.ledger import Ledger
from bot.ledger.selection import Ref
from bot.operations.doing import Act, Deed, Ending, Outcome, Whole
from bot.operations.port import Me
from bot.operations.sends import state_of
from bot.pages.drawing import Frame, elsewhere
from bot.pages.standing import Live, standing_of
from guardrails.documents import DocId, Slug

_PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}
_STATUS = {Ending.CHANGED: HTTPStatus.CONFLICT, Ending.NOT_ALLOWED: HTTPStatus.FORBIDDEN}
_MOST_WHY = 500


def document_routes(console: Console, follower: Follower) -> APIRouter:
    """GET /documents/ID, POST to it for what its buttons do, and the pictures that lanes have sent."""
    routes = APIRouter()
    In = Annotated[Visit, Depends(console.signed_in)]

    @routes.get("/screens/{slug}/{attempt}")
    def screen(visit: In, slug: str, attempt: int) -> Response:
        content = console.ledger.sightings.screen(Slug(slug), attempt) if attempt < 2**31 else None
        kind = next((kind for begins, kind in _PICTURES.items() if (content or b"").startswith(begins)), None)
        if content is None or kind is None:
            return PlainTextResponse("There is no such picture.\n", HTTPStatus.NOT_FOUND)
        headers = {"Cache-Control": "private, max-age=300", "Content-Security-Policy": "default-src 'none'; sandbox"}
        return Response(content, media_type=kind, headers={**headers, "X-Content-Type-Options": "nosniff"})

    @routes.get("/documents/{name:path}")
    def document(request: Request, visit: In, name: str) -> Response:
        return _shown(console, request, visit, DocId(name))

    @routes.post("/documents/{name:path}")
    def act(request: Request, name: str, change: Annotated[Change, Depends(console.change)]) -> Response:
        [outcome] = change.operations.act([_act_of(DocId(name), change.form, change.action_id)])
        follower.wake()
        if outcome.ending is Ending.DONE:
            return console.back(request, document_path(name).removeprefix("/console"), outcome.told)
        return _shown(console, request, change.visit, DocId(name), outcome)

    return routes


def _act_of(document_id: DocId, form: Form, action_id: str) -> Act:
    deed, version = form.text("deed"), form.text("version")
    if deed not in set(Deed) or not (version.isdecimal() and len(version) < 10):
        raise invalid("this form asks for nothing that can be done")
    return Act(
        Deed(deed),
        Ref(document_id, int(version)),
        action_id,
        form.text("why")[:_MOST_WHY],
        keep_reply=form.ticked("keep_reply"),
        second_reply=form.ticked("second_reply"),
    )


def _shown(
    console: Console, request: Request, visit: Visit, document_id: DocId, lost: Outcome | None = None
) -> Response:
    last = visit.operations.last_move()
    whole, me = visit.operations.whole(document_id), visit.operations.me()
    frame = _frame(console.ledger, whole, me.apps_url)
    slug = whole.document.slug
    return console.show(
        request,
        visit,
        "document_part.html" if is_part(request) else "document.html",
        status=HTTPStatus.OK if lost is None else _STATUS.get(lost.ending, HTTPStatus.INTERNAL_SERVER_ERROR),
        frame_src=frame.frame.origin if frame.frame else "'none'",
        last=last,
        lost=lost,
        post=_post(whole, me),
        app=frame,
        deeds=[(deed.value, SAID[deed]) for deed in whole.deeds],
        screens=console.ledger.hosting.screened(slug) if slug is not None else frozenset(),
        cost_micros=sum(attempt.cost_micros for attempt in whole.attempts),
        path=document_path(document_id),
        records={send.id: json.dumps(send.record, indent=1) for send in whole.sends},
        state_of=state_of,
        me=me,
        **{field: getattr(whole, field) for field in ("document", "attempts", "sends", "moves")},
    )


def _post(whole: Whole, me: Me) -> dict[str, object]:
    document = whole.document
    record: Mapping[str, Any] = document.body.get("record") or {}
    reply = document.reply_uri
    return {
        "pieces": pieces(record),
        "beside": beside(record),
        "langs": record.get("langs") if isinstance(record.get("langs"), list) else [],
        "link": post_link(me.web_url, document.source_uri),
        "author": profile_link(me.web_url, document.author_did),
        "reply": post_link(me.web_url, reply) if reply else None,
        "context": [
            {
                "how": "Quotes" if each.get("quoted") else "Replies to",
                "who": each.get("author_handle") or each.get("author_did") or "",
                "said": [part for part in (each.get("text"), *each.get("alts", ()), each.get("card")) if part],
                "link": post_link(me.web_url, str((each.get("post") or {}).get("uri", ""))),
            }
            for each in document.body.get("context") or ()
        ],
    }


@dataclass(frozen=True)
class _Shown:
    """What can be seen of an app: its page and frame while it is live, else why there is none."""

    page: str | None = None
    frame: Frame | None = None
    why: str = ""


def _frame(ledger: Ledger, whole: Whole, apps_url: str) -> _Shown:
    slug = whole.document.slug
    if slug is None or whole.app is None:
        return _Shown()
    standing = standing_of(ledger, slug)
    if not isinstance(standing, Live):
        return _Shown(why="Nobody can open it: it is not out, or it is gone.")
    page = f"{apps_url}/{slug}"
    if standing.app.address is not None:
        return _Shown(page, elsewhere(standing.app.address))
    parts = urlsplit(apps_url)
    own = f"{parts.scheme}://{slug}.{parts.netloc}"
    return _Shown(page, Frame(f"{own}/~{standing.version}/", own))

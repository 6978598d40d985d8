"""The same done to many documents: first a page that shows how many and which, then each for itself, as it was seen."""

import hashlib
import re
from collections import Counter
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from bot.api.problems import invalid
from bot.console.console import Console
from bot.console.deeds import SAID, TO_MANY, steps_of
from bot.console.filters import address, filters_of
from bot.console.forms import Form
from bot.console.links import document_path
from bot.console.visits import Change, Visit
from bot.errors import NoSuchDocument
from bot.follower import Follower
from bot.ledger.selection import Place, Ref, Selection
from bot.ledger.views import Document
from bot.operations.deeds import deeds_at
from bot.operations.doing import Act, Deed, Ending, Outcome
from guardrails.access import Role
from guardrails.documents import DocId

# How many may be done in one go, how many of them at once, and how many are shown before.
MOST = 2000
AT_ONCE = 500
SAMPLE = 10
LISTED = 100
_MOST_WHY = 500
_REF = re.compile(r"(\S+)@(\d{1,9})", re.ASCII)
_ENDINGS = {
    Ending.DONE: "Done",
    Ending.CHANGED: "Changed meanwhile, and left alone",
    Ending.NOT_ALLOWED: "Not allowed",
    Ending.FAILED: "Failed",
}


def bulk_routes(console: Console, follower: Follower) -> APIRouter:
    """POST /bulk shows what would be done, POST /bulk/done does it; pressed twice, it is done once."""
    routes = APIRouter()
    Changed = Annotated[Change, Depends(console.change)]

    @routes.post("/bulk")
    def confirm(request: Request, change: Changed) -> Response:
        visit, deed = change.visit, _deed_of(change.form)
        filters = filters_of(parse_qs(change.form.text("query")))
        selection = filters.selection(visit.at)
        everything = change.form.ticked("all")
        chosen = _all_of(visit, selection) if everything else _ticked(visit, _refs(change.form.all("on")))
        standing = [document for document, ref in chosen if document.version == ref.version]
        return console.show(
            request,
            visit,
            "bulk.html",
            deed=deed.value,
            said=SAID[deed],
            steps=steps_of(deed),
            documents=[document for document, _ in chosen[:SAMPLE]],
            many=len(chosen),
            most=MOST,
            counted=visit.operations.count(selection) if everything else None,
            changed=len(chosen) - len(standing),
            fit=sum(deed in deeds_at(document, Role.OPERATOR) for document in standing),
            statuses=Counter(document.status for document, _ in chosen).most_common(),
            refs=" ".join(f"{ref.id}@{ref.version}" for _, ref in chosen),
            back=address(filters),
            query=change.form.text("query"),
            path=document_path,
        )

    @routes.post("/bulk/done")
    def done(request: Request, change: Changed) -> Response:
        refs, deed = _refs(change.form.text("refs").split()), _deed_of(change.form)
        why, keep = change.form.text("why")[:_MOST_WHY], change.form.ticked("keep_reply")
        outcomes: list[Outcome] = []
        for start in range(0, len(refs), AT_ONCE):
            some = refs[start : start + AT_ONCE]
            acts = [Act(deed, ref, _own(change.action_id, ref), why, keep_reply=keep) for ref in some]
            outcomes += change.operations.act(acts)
        follower.wake()
        return console.show(
            request,
            change.visit,
            "bulk_done.html",
            said=SAID[deed],
            many=len(outcomes),
            ended=[(told, [each for each in outcomes if each.ending is ending]) for ending, told in _ENDINGS.items()],
            listed=LISTED,
            back=address(filters_of(parse_qs(change.form.text("query")))),
            path=document_path,
        )

    return routes


def _deed_of(form: Form) -> Deed:
    name = form.text("deed")
    if name not in set(TO_MANY):
        raise invalid("this form asks for nothing that can be done to many")
    return Deed(name)


def _refs(told: list[str]) -> list[Ref]:
    found = [_REF.fullmatch(each) for each in told]
    refs = [Ref(DocId(each[1]), int(each[2])) for each in found if each is not None]
    if len(refs) < len(found) or len(refs) > MOST:
        raise invalid(f"this form names documents wrongly, or more than {MOST}")
    return list(dict.fromkeys(refs))


def _own(action_id: str, ref: Ref) -> str:
    """The action on one document, named after the press of the button that means all of them."""
    return hashlib.sha256(f"{action_id} {ref.id}@{ref.version}".encode()).hexdigest()[:32]


def _all_of(visit: Visit, selection: Selection) -> list[tuple[Document, Ref]]:
    """The newest documents that fit, as many as can be done in one go."""
    documents: list[Document] = []
    place: Place | None = None
    while len(documents) < MOST:
        page = visit.operations.page(selection, AT_ONCE, place)
        documents += page.documents
        place = page.next
        if place is None:
            break
    return [(document, Ref(document.id, document.version)) for document in documents[:MOST]]


def _ticked(visit: Visit, refs: list[Ref]) -> list[tuple[Document, Ref]]:
    """Documents as they are now, each with how it was when it was ticked."""
    found = []
    for ref in refs:
        try:
            found.append((visit.operations.find(ref.id), ref))
        except NoSuchDocument:
            continue
    return found

"""Lists of people as the AppView shows them, page by page."""

from collections.abc import Iterable
from typing import Any

from bot.sandbox.errors import invalid_request
from bot.sandbox.state import LIST, LIST_ITEM, MOD_LIST, State, StoredRecord, subject_of
from bot.sandbox.times import iso
from bot.sandbox.views import profile_view
from guardrails.documents import split_at_uri


def get_list(state: State, viewer: str, uri: str, *, limit: int, cursor: str | None) -> dict[str, Any]:
    """The list and a page of its members, the latest first; whoever is not there any more is left out of the page."""
    found = state.find_record(uri)
    if found is None or split_at_uri(uri).collection != LIST or not state.stands(found):
        raise invalid_request("List not found")
    items = _items(state, found)
    rest = [item for item in items if cursor is None or _place(item) < _read(cursor)]
    page = rest[:limit]
    shown = [item for item in page if _is_shown(state, viewer, found, item)]
    answer: dict[str, Any] = {
        "list": _view(state, viewer, found, len(items)),
        "items": [
            {"uri": item.uri, "subject": profile_view(state, viewer, str(subject_of(item.value)))} for item in shown
        ],
    }
    if len(rest) > limit:
        at, cid = _place(page[-1])
        answer["cursor"] = f"{at}__{cid}"
    return answer


def lists_of(state: State, viewer: str, uris: Iterable[str]) -> list[dict[str, Any]]:
    """So many lists as the viewer sees them; those that are not there any more are left out."""
    found = [state.find_record(uri) for uri in uris]
    return [_view(state, viewer, it, len(_items(state, it))) for it in found if it is not None and state.stands(it)]


def _items(state: State, found: StoredRecord) -> list[StoredRecord]:
    """What the list's own author put on it."""
    items = [item for item in state.indexed(found.did, LIST_ITEM) if item.value["list"] == found.uri]
    return sorted(items, key=_place, reverse=True)


def _place(item: StoredRecord) -> tuple[int, str]:
    return int(item.sort_at.timestamp() * 1000), item.cid


def _read(cursor: str) -> tuple[int, str]:
    at, _, cid = cursor.partition("__")
    if not at.isdecimal() or not cid:
        raise invalid_request("Malformed cursor")
    return int(at), cid


def _is_shown(state: State, viewer: str, found: StoredRecord, item: StoredRecord) -> bool:
    subject = state.accounts.get(str(subject_of(item.value)))
    if subject is None or not subject.active or state.redacted(subject.did):
        return False
    moderates = found.value["purpose"] == MOD_LIST
    return moderates or viewer == found.did or not state.blocked_either_way(found.did, subject.did)


def _view(state: State, viewer: str, found: StoredRecord, count: int) -> dict[str, Any]:
    return {
        "uri": found.uri,
        "cid": found.cid,
        "name": found.value["name"],
        "purpose": found.value["purpose"],
        "listItemCount": count,
        "indexedAt": iso(found.sort_at),
        "labels": [],
        "viewer": {"muted": False},
        "creator": profile_view(state, viewer, found.did),
    }

"""The app.bsky methods: notifications, posts, threads, profiles, lists."""

from collections.abc import Callable

from bot.sandbox.errors import XrpcError, invalid_request
from bot.sandbox.kept_away import blocked_by, lists_muted_by, muted_by, preferences_of
from bot.sandbox.lists import get_list
from bot.sandbox.notifications import list_notifications, see, unread_count
from bot.sandbox.schema import at_identifier, at_uri, moment
from bot.sandbox.state import SandboxAccount, State
from bot.sandbox.threads import get_posts, get_thread
from bot.sandbox.times import claimed_time
from bot.sandbox.views import profile_detailed
from bot.sandbox.xrpc import Answer, Method, XrpcCall, procedure, query


def _list_notifications(call: XrpcCall) -> Answer:
    viewer = call.caller().did
    limit = call.number("limit", default=50, least=1, most=100)
    priority = call.flag("priority")
    if call.optional("seenAt") is not None:
        raise invalid_request("The seenAt parameter is unsupported")
    return list_notifications(
        call.network.state,
        viewer,
        limit=limit,
        cursor=call.optional("cursor"),
        reasons=call.params.get("reasons", []),
        priority=priority,
    )


def _get_unread_count(call: XrpcCall) -> Answer:
    return {"count": unread_count(call.network.state, call.caller().did)}


def _update_seen(call: XrpcCall) -> Answer:
    viewer = call.caller().did
    see(call.network.state, viewer, claimed_time(call.body({"seenAt": moment})["seenAt"]))
    return None


def _get_posts(call: XrpcCall) -> Answer:
    viewer = call.caller().did
    return {"posts": get_posts(call.network.state, viewer, call.many("uris", at_uri, most=25))}


def _get_post_thread(call: XrpcCall) -> Answer:
    viewer = call.caller().did
    thread = get_thread(
        call.network.state,
        viewer,
        call.param("uri", at_uri),
        depth=call.number("depth", default=6, least=0, most=1000),
        parent_height=call.number("parentHeight", default=80, least=0, most=1000),
    )
    return {"thread": thread}


def _get_profile(call: XrpcCall) -> Answer:
    viewer = call.caller().did
    account = call.network.state.find_account(call.param("actor", at_identifier))
    if account is None:
        raise invalid_request("Profile not found")
    if account.status == "takendown" or call.network.state.redacted(account.did):
        raise XrpcError(400, "AccountTakedown", "Account has been suspended")
    if account.status == "deactivated":
        raise XrpcError(400, "AccountDeactivated", "Account is deactivated")
    return profile_detailed(call.network.state, viewer, account.did)


def _get_profiles(call: XrpcCall) -> Answer:
    viewer, state = call.caller().did, call.network.state
    asked = [state.find_account(actor) for actor in call.many("actors", at_identifier, most=25)]
    shown = [profile_detailed(state, viewer, it.did) for it in asked if it is not None and _is_visible(state, it)]
    return {"profiles": shown}


def _get_list(call: XrpcCall) -> Answer:
    viewer = call.caller().did
    uri = call.param("list", at_uri)
    limit = call.number("limit", default=50, least=1, most=100)
    return get_list(call.network.state, viewer, uri, limit=limit, cursor=call.optional("cursor"))


def _kept_away(key: str, found: Callable[[State, str], object]) -> Callable[[XrpcCall], Answer]:
    """All of it on one page: nobody here keeps more than a hundred away."""

    def answer(call: XrpcCall) -> Answer:
        viewer = call.caller().did
        call.number("limit", default=50, least=1, most=100)
        return {key: found(call.network.state, viewer)}

    return answer


def _get_preferences(call: XrpcCall) -> Answer:
    return {"preferences": preferences_of(call.network.state, call.caller().did)}


def _is_visible(state: State, account: SandboxAccount) -> bool:
    return account.active and not state.redacted(account.did)


APPVIEW_METHODS: dict[str, Method] = {
    "app.bsky.notification.listNotifications": query(_list_notifications),
    "app.bsky.notification.getUnreadCount": query(_get_unread_count),
    "app.bsky.notification.updateSeen": procedure(_update_seen),
    "app.bsky.feed.getPosts": query(_get_posts),
    "app.bsky.feed.getPostThread": query(_get_post_thread),
    "app.bsky.actor.getProfile": query(_get_profile),
    "app.bsky.actor.getProfiles": query(_get_profiles),
    "app.bsky.graph.getList": query(_get_list),
    "app.bsky.graph.getMutes": query(_kept_away("mutes", muted_by)),
    "app.bsky.graph.getBlocks": query(_kept_away("blocks", blocked_by)),
    "app.bsky.graph.getListMutes": query(_kept_away("lists", lists_muted_by)),
    "app.bsky.notification.getPreferences": query(_get_preferences),
}

"""The methods around a session."""

from typing import Any

from bot.sandbox.errors import XrpcError
from bot.sandbox.identity import did_document
from bot.sandbox.schema import boolean, string
from bot.sandbox.sessions import refuse_app_password, session_view
from bot.sandbox.state import SandboxAccount
from bot.sandbox.times import iso
from bot.sandbox.xrpc import Answer, Method, XrpcCall, procedure, query


def _create_session(call: XrpcCall) -> Answer:
    body = call.body({"identifier": string(), "password": string()})
    account, tokens = call.network.sessions.log_in(body["identifier"], body["password"])
    return tokens | _view(call, account)


def _refresh_session(call: XrpcCall) -> Answer:
    account, tokens = call.network.sessions.refresh(call.bearer())
    return tokens | _view(call, account)


def _get_session(call: XrpcCall) -> Answer:
    return _view(call, call.caller().account)


def _delete_session(call: XrpcCall) -> Answer:
    call.network.sessions.log_out(call.bearer())
    return None


def _create_app_password(call: XrpcCall) -> Answer:
    caller = call.caller()
    refuse_app_password(caller)
    asked = call.body({"name": string()}, {"privileged": boolean})
    name, privileged = asked["name"], asked.get("privileged", False)
    passwords = caller.account.app_passwords
    if name in passwords:
        raise XrpcError(500, "InternalServerError", "Internal Server Error")
    passwords[name] = f"sand-boxx-pass-{len(passwords):04}"
    if privileged:
        caller.account.privileged.add(name)
    created = iso(call.network.state.clock())
    return {"name": name, "password": passwords[name], "createdAt": created, "privileged": privileged}


def _view(call: XrpcCall, account: SandboxAccount) -> dict[str, Any]:
    return session_view(account, did_document(account, call.url))


SESSION_METHODS: dict[str, Method] = {
    "com.atproto.server.createSession": procedure(_create_session),
    "com.atproto.server.refreshSession": procedure(_refresh_session),
    "com.atproto.server.getSession": query(_get_session),
    "com.atproto.server.deleteSession": procedure(_delete_session),
    "com.atproto.server.createAppPassword": procedure(_create_app_password),
}

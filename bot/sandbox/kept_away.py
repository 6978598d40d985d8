"""Whom and what an account keeps away from itself, as the AppView tells the account: mutes, blocks, notifications."""

from typing import Any

from bot.sandbox.lists import lists_of
from bot.sandbox.state import BLOCK, State, subject_of
from bot.sandbox.views import profile_view

_FILTERABLE = ("follow", "like", "likeViaRepost", "mention", "quote", "reply", "repost", "repostViaRepost")
_PLAIN = ("starterpackJoined", "subscribedPost", "unverified", "verified")


def muted_by(state: State, viewer: str) -> list[dict[str, Any]]:
    """The accounts that somebody mutes."""
    return [profile_view(state, viewer, did) for did in sorted(state.accounts[viewer].mutes)]


def blocked_by(state: State, viewer: str) -> list[dict[str, Any]]:
    """The accounts that somebody blocks."""
    subjects = {str(subject_of(record.value)) for record in state.indexed(viewer, BLOCK)}
    return [profile_view(state, viewer, did) for did in sorted(subjects) if did in state.accounts]


def lists_muted_by(state: State, viewer: str) -> list[dict[str, Any]]:
    """The lists whose members somebody mutes."""
    return lists_of(state, viewer, sorted(state.accounts[viewer].muted_lists))


def preferences_of(state: State, viewer: str) -> dict[str, Any]:
    """Of what somebody is notified, and by whom."""
    kept = state.accounts[viewer].notified_of
    usual: dict[str, dict[str, Any]] = {"chat": {"include": "all", "push": True}}
    usual |= {name: {"include": "all", "list": True, "push": True} for name in _FILTERABLE}
    usual |= {name: {"list": True, "push": True} for name in _PLAIN}
    return {name: {**value, **kept.get(name, {})} for name, value in usual.items()}

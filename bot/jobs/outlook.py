"""The rule that turns a look at a post and its thread into: may it be answered?"""

from bot.bluesky.sight import Closed, Seen, ThreadSight
from guardrails.outlook import Outlook, View

_CLOSED = {
    Closed.GATED: "the thread's gate keeps our reply out",
    Closed.ROOT_GONE: "the post that began the thread is gone",
    Closed.ROOT_AUTHOR_AWAY: "the account that began the thread is deactivated, taken down or deleted",
    Closed.ROOT_AUTHOR_BLOCKS_US: "the account that began the thread blocks us",
    Closed.ROOT_AUTHOR_BLOCKED: "we block the account that began the thread",
}


def outlook(sight: ThreadSight) -> Outlook:
    """Whether a reply to the post would be seen and is welcome; only OPEN and CLOSED may be acted on at once.

    What closes a visible post stands also where the rest of the thread could not be looked at.
    """
    match sight.post.kind:
        case Seen.BLOCKED_BY_AUTHOR:
            return Outlook(View.CLOSED, "the author blocks us")
        case Seen.BLOCKED_BY_US:
            return Outlook(View.CLOSED, "we block the author")
        case Seen.GONE:
            return Outlook(View.GONE, "the post is not found")
        case Seen.AUTHOR_AWAY:
            return Outlook(View.AWAY, "the author's account is deactivated, taken down or deleted")
        case Seen.UNCLEAR:
            return Outlook(View.UNCLEAR, sight.post.detail, sight.post.retry_at)
        case Seen.VISIBLE:
            return _of_visible(sight)


def _of_visible(sight: ThreadSight) -> Outlook:
    if sight.closed is not None:
        return Outlook(View.CLOSED, _CLOSED[sight.closed])
    if sight.root is not None and sight.root.kind is Seen.UNCLEAR:
        return Outlook(View.UNCLEAR, f"the root of the thread: {sight.root.detail}", sight.root.retry_at)
    return Outlook(View.OPEN)

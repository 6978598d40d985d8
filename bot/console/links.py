"""Where pages of the console, posts and apps are found."""

from urllib.parse import quote

from guardrails.documents import split_at_uri


def document_path(document_id: str) -> str:
    """The page of a document."""
    return f"/console/documents/{quote(document_id, safe=':')}"


def post_link(web_url: str, uri: str) -> str | None:
    """Where people read the record at an at-uri; None for what is no post's."""
    try:
        post = split_at_uri(uri)
    except ValueError:
        return None
    return f"{web_url}/profile/{quote(post.did, safe=':')}/post/{quote(post.rkey, safe='')}"


def profile_link(web_url: str, did: str) -> str:
    """Where people read what somebody posts."""
    return f"{web_url}/profile/{quote(did, safe=':')}"

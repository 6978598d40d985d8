"""What a listener has answered, whoever that is: an address may be anybody's."""

from typing import Any

import httpx


def object_in(answer: httpx.Response) -> dict[str, Any]:
    """The JSON object of an answer; an empty one where it is none, or no parser takes it."""
    try:
        told = answer.json()
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}

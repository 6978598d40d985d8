"""Where the link in a reply leads."""

from collections.abc import Mapping
from typing import Any

MORE = "…"


def link_of(record: Mapping[str, Any]) -> str:
    """The link of a post's one facet; the facet's bytes are exactly the link in the text, whole or shortened."""
    (facet,) = record["facets"]
    (feature,) = facet["features"]
    link: str = feature["uri"]
    index = facet["index"]
    text = record["text"].encode()
    shown = text[index["byteStart"] : index["byteEnd"]].decode()
    around = text[: index["byteStart"]].decode()[-1:] + text[index["byteEnd"] :].decode()[:1]
    assert link.endswith(shown) or (shown.endswith(MORE) and shown.removesuffix(MORE) in link)
    assert not around.strip()
    return link

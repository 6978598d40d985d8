"""JSON with halves of surrogate pairs, which the SDK's parser refuses with all that stands around them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.bluesky.readable import paired

# With what an escape, or the half of one, could be taken for.
_TEXTS = st.lists(st.sampled_from([*'\\"ud8cDC0/', "\ud800", "\udc00", "\ud83d\ude00", "é", "\n"])).map("".join)


@given(_TEXTS)
def test_halves_are_replaced_and_all_else_is_as_it_was(text: str) -> None:
    """As whoever encodes the text would do."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    assert whole == json.loads(paired(json.dumps(text).encode()))


@pytest.mark.parametrize("content", [b'"\\n\\u00e9"', b"{}", b"\xff\\"])
def test_a_text_without_any_is_left_as_it_is(content: bytes) -> None:
    """It is the very same object."""
    assert content is paired(content)

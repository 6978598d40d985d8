"""JSON that is nested too deep."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.bluesky.shallow import DEEPEST, shallow

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def cut(value: object, left: int) -> object:
    """What is to be left of a value."""
    if isinstance(value, dict | list) and not left:
        return None
    if isinstance(value, dict):
        return {key: cut(inner, left - 1) for key, inner in value.items()}
    return [cut(inner, left - 1) for inner in value] if isinstance(value, list) else value


@given(VALUES, st.integers(1, 4))
def test_what_lies_deeper_is_null_and_all_else_as_it_was(value: object, deepest: int) -> None:
    """Signs inside of texts are no brackets."""
    assert cut(value, deepest) == json.loads(shallow(json.dumps(value).encode(), deepest))


def test_a_text_that_is_deep_enough_is_left_as_it_is() -> None:
    """It is the very same object."""
    text = json.dumps([[[]]] * DEEPEST).encode()

    assert text is shallow(text)


@pytest.mark.parametrize("text", [b"[" * 9_000, b'{"a":' * 9_000 + b'"', b"]" * 9_000, b'"' + b"[" * 9_000])
def test_what_is_no_json_stays_none(text: bytes) -> None:
    """It is the parser's to refuse."""
    assert text == shallow(text)


def test_any_depth_is_cut() -> None:
    """As deep as a record of the largest size that a PDS takes can be."""
    deep = b'{"a":[' * 75_000 + b"1" + b"]}" * 75_000

    assert deep.count(b"{") > 1000
    assert DEEPEST // 2 == shallow(deep).count(b"{")
    json.loads(shallow(deep))

"""Keeps JSON from being nested too deep for a parser: an author makes a record up, and it comes among others."""

import re

# Far deeper than what the lexicons describe, and well below the 200 levels that the SDK's parser takes.
DEEPEST = 100
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_CUT = b"null"


def shallow(content: bytes, deepest: int = DEEPEST) -> bytes:
    """The JSON text with null in place of each object or array that lies deeper than so many others.

    Anything else, what is no JSON included, is given back as it is.
    """
    if content.count(b"[") + content.count(b"{") <= deepest:
        return content
    kept, depth, begins, ends = [], 0, 0, 0
    for token in _TOKEN.finditer(content):
        sign = token[0]
        if sign in (b"[", b"{"):
            depth += 1
            if depth == deepest + 1:
                begins = token.start()
        elif sign in (b"]", b"}"):
            depth -= 1
            if depth == deepest:
                kept.append(content[ends:begins])
                ends = token.end()
    return _CUT.join([*kept, content[ends:]]) if kept else content

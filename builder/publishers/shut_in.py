"""Puts the policy into the files of an app, for a place that cannot send it in a header."""

from collections.abc import Mapping
from html import escape
from importlib.resources import files as resources

from builder.publishers.svg import inert
from guardrails.policy import PAGE_POLICY

_BOM = b"\xef\xbb\xbf"


def shut_in(files: Mapping[str, bytes], page: str) -> Mapping[str, bytes]:
    """The files, with a policy at the beginning of every page and nothing that runs in a drawing.

    A page that is opened by itself gives way to `page`. The same files again come out as they are.
    """
    before = preamble(page)
    return {name: _shut_in(name, content, before) for name, content in files.items()}


def preamble(page: str) -> bytes:
    """What a page begins with. It is in the head for every parser of HTML, whatever follows: no page is parsed here.

    A second doctype is passed over, a second `<html>` adds its attributes, and a second `<head>` goes on with the first
    (https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead). The first `charset` holds.
    """
    script = (resources("builder.publishers") / "guard.js").read_text("utf-8")
    return (
        '<!doctype html><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(PAGE_POLICY)}">'
        '<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">'
        f'<script data-page="{escape(page)}">\n{script}</script>\n'
    ).encode()


def _shut_in(name: str, content: bytes, before: bytes) -> bytes:
    match name.rpartition(".")[2].lower():
        case "html":
            return content if content.startswith(before) else before + content.removeprefix(_BOM)
        case "svg":
            return inert(content)
        case _:
            return content

import re

import pytest

from bot.visible_text import visible_texts
from builder.checks.static import static_checks
from builder.publishers.shut_in import preamble, shut_in
from builder.stopping import Stop
from builder.workspace import Snapshot
from guardrails.wire import Limits

_GOOD = b"""<!doctype html><html lang=en><head><meta charset=utf-8><title>Timer</title>
<meta name=viewport content="width=device-width, initial-scale=1"></head><body><p>tick</p></body></html>"""
PAGE = "https://apps.example/timer-abc"


def test_every_page_begins_with_the_policy() -> None:
    """Whatever it is called; other files are left as they are."""
    files = {"index.html": b"<p>x", "deep/A.HTML": b"\xef\xbb\xbf<!doctype html>y", "a.js": b"1", "b.png": b"<p>"}
    before = preamble(PAGE)

    assert {**files, "index.html": before + b"<p>x", "deep/A.HTML": before + b"<!doctype html>y"} == shut_in(
        files, PAGE
    )


def test_what_is_shut_in_stays_as_it_is() -> None:
    """The bytes are hashed once."""
    files = shut_in({"index.html": b"<p>x", "a.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><p/></svg>"}, PAGE)

    assert files == shut_in(files, PAGE)


def test_the_charset_is_said_where_browsers_look_for_it() -> None:
    """Within the first 1024 bytes, before one of the page's own."""
    assert b'<meta charset="utf-8">' == re.findall(rb"<meta charset[^>]*>", preamble(PAGE)[:1024])[0]


def test_an_address_ends_no_attribute() -> None:
    """It comes from the bot, and is data all the same."""
    before = preamble('https://apps.example/"><script>evil()</script>')

    assert b"<script>evil" not in before
    assert 1 == before.count(b"</script>")


def test_the_checks_find_nothing_in_it() -> None:
    """They look at what is served; what they find goes back to a generator that could not mend it."""
    files = shut_in({"index.html": _GOOD}, PAGE)
    snapshot = Snapshot(tuple((name, len(content)) for name, content in files.items()), files)
    reports = [check.check(snapshot, Limits(), Stop()).report for check in static_checks()]

    assert [()] * len(reports) == [report.findings for report in reports]


@pytest.mark.parametrize("word", ["password", "wallet", "login"])
def test_the_bot_reads_nothing_of_its_own_into_it(word: str) -> None:
    """What the inspection judges is the app's text, and not what was put before it."""
    assert word not in " ".join(visible_texts({"index.html": preamble(PAGE)})).lower()

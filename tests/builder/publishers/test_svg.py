import pytest

from builder.publishers.svg import inert

SVG = 'xmlns="http://www.w3.org/2000/svg"'
EMPTY = f"<svg {SVG}></svg>".encode()
GOOD = (
    f'<svg {SVG} viewBox="0 0 9 9"><title>Tick &amp; tock</title>'
    '<defs><linearGradient id="g"><stop offset="1" '
    'stop-color="red"></stop></linearGradient><filter id="f"><feGaussianBlur stdDeviation="2"></feGaussianBlur>'
    '</filter></defs><style>.a { fill: url(#g) }</style><g class="a" filter="url(#f)"><path d="M0 0h9"></path>'
    '<use href="#g"></use><animate attributeName="opacity" to="0"></animate></g></svg>'
).encode()


def test_a_drawing_stays_what_it_is() -> None:
    """Shapes, gradients, filters, styles and movement."""
    assert GOOD == inert(GOOD)


def test_an_old_drawing_is_written_anew() -> None:
    """A declaration, a prefix and the old kind of link; what comes out stays."""
    old = (
        b"<?xml version='1.0' encoding='ISO-8859-1'?><!-- made by a program --><s:svg "
        b"xmlns:s='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink'><s:use x:href='#a'/></s:svg>"
    )
    copy = inert(old)

    assert f'<svg {SVG}><use href="#a"></use></svg>'.encode() == copy
    assert copy == inert(copy)


@pytest.mark.parametrize(
    "inside",
    [
        "<script>evil()</script>",
        '<script xmlns="http://www.w3.org/1999/xhtml">evil()</script>',
        "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml' onload='evil()'><p>evil</p></body></foreignObject>",
        '<iframe xmlns="http://www.w3.org/1999/xhtml" src="evil"/>',
        '<a href="javascript:evil()"><text>evil</text></a>',
        '<set attributeName="onload" to="evil()"/>',
        "<metadata><evil xmlns='urn:evil'>evil</evil></metadata>",
        '<handler xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="load">evil</handler>',
        "<?xml-stylesheet href='evil.xsl' type='text/xsl'?>",
        '<g onload="evil()"/>',
        '<g ONLOAD="evil()"/>',
        '<use href="data:image/svg+xml,evil"/>',
        '<use href="evil.svg#x"/>',
        '<image href="https://evil.example/x.png"/>',
        '<animate attributeName="href" values="javascript:evil()"/>'.replace("values", "onbegin"),
        '<g style="fill: url(https://evil.example/)"/>',
        '<g fill="url(//evil.example/#x)"/>',
        "<style>@import 'evil';</style>",
        "<style>@im<!-- -->port 'evil';</style>",
        "<style><![CDATA[ p { background: u\\72l(evil) } ]]></style>",
        '<g xml:base="https://evil.example/"/>',
    ],
)
def test_nothing_in_it_runs_or_reaches_out(inside: str) -> None:
    """Neither what runs nor what is around it for that."""
    assert b"evil" not in inert(f"<svg {SVG}>{inside}</svg>".encode())


@pytest.mark.parametrize("moved", ["href", "xlink:href", "x:HREF"])
def test_no_address_is_moved(moved: str) -> None:
    """An animation may set whatever it names."""
    drawing = f'<svg {SVG}><animate attributeName="{moved}" to="javascript:evil()"/></svg>'

    assert moved.encode() not in inert(drawing.encode())


@pytest.mark.parametrize(
    "drawing",
    [
        b"",
        b"\x00",
        b"<svg>",
        b"<html xmlns='http://www.w3.org/1999/xhtml'><script>evil()</script></html>",
        f"<svg {SVG}><script>evil()</script>".encode(),
        f'<!DOCTYPE svg [<!ENTITY e "evil">]><svg {SVG}>&e;</svg>'.encode(),
    ],
)
def test_what_is_no_plain_drawing_is_an_empty_one(drawing: bytes) -> None:
    """A browser runs what stands before the mistake."""
    assert EMPTY == inert(drawing)
    assert EMPTY == inert(EMPTY)

import pytest

from bot.elsewhere import address_problem, origin_of

PAGE = "https://apps.example/app-1"


@pytest.mark.parametrize(
    "place", ["https://pages.example", "https://a-1.pages.example:8443/lane", "https://pages.example/~me/a_b/c.d"]
)
def test_a_plain_address_is_taken(place: str) -> None:
    """Its origin is what a page may frame."""
    address = f"{place}/app-1/3/index.html"

    assert address_problem(address, PAGE, "app-1", 3) is None
    assert "/".join(place.split("/")[:3]) == origin_of(address)


@pytest.mark.parametrize(
    "place",
    [
        "https://pages.example;script-src *",
        "https://pages.example,x",
        "https://'self'",
        "https://*.example",
        "https://me@pages.example",
        "https://pages.example:x",
        "https://pages.example\n",
        "https://PAGES.example",
        "https://pages..example",
        "https:///lane",
        "https:pages.example",
        "//pages.example",
        "javascript:alert(1)//",
        "data:text/html,x",
        "https://pages.example/%2e%2e",
        'https://pages.example/"onload="x',
        "https://münchen.example",
    ],
)
def test_what_could_end_a_directive_or_an_attribute_is_refused(place: str) -> None:
    """Nothing but plain hosts and paths gets into a page and its policy."""
    address = f"{place}/app-1/3/index.html"

    assert "the address is not a plain one" in (address_problem(address, PAGE, "app-1", 3) or "")
    with pytest.raises(ValueError, match="not an address that was taken"):
        origin_of(address)


def test_a_page_over_https_frames_nothing_without_it() -> None:
    """A demo, all of it on one machine, may."""
    address = "http://localhost:8000/app-1/3/index.html"

    assert "the address is not an https one" == address_problem(address, PAGE, "app-1", 3)
    assert address_problem(address, "http://localhost:8100/app-1", "app-1", 3) is None

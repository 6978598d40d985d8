import pytest
from playwright.sync_api import Error, Page


def test_a_page_reaches_nothing_outside(page: Page) -> None:
    """A name elsewhere does not resolve, an address elsewhere is not dialled."""
    for url in ("http://bsky.example/", "http://192.0.2.1/"):
        with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
            page.goto(url)


def test_an_error_in_a_page_is_noticed(page: Page, page_errors: list[str]) -> None:
    """A script's own exception is seen though no test asked."""
    page.set_content("<script>throw new Error('torn')</script>")
    page.wait_for_function("document.readyState === 'complete'")

    assert ["torn"] == [error.splitlines()[0].removeprefix("Error: ") for error in page_errors]
    page_errors.clear()

"""What axe-core has against a page."""

from importlib.resources import files

from playwright.sync_api import Page

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
_RUN = """async (rules) => (await axe.run(document, {iframes: false, preload: false, ...rules})).violations
    .filter((found) => ["serious", "critical"].includes(found.impact))
    .map((found) => `${found.id}: ${found.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)"""


def serious(page: Page) -> list[str]:
    """What is serious or critical of it in light colours, and what cannot be read in dark ones."""
    page.evaluate(_AXE)
    page.emulate_media(color_scheme="light")
    found: list[str] = page.evaluate(_RUN, {})
    page.emulate_media(color_scheme="dark")
    found += page.evaluate(_RUN, {"runOnly": ["color-contrast"]})
    return found

"""What is vendored is what its makers published, and everything that pages load is served to be kept."""

import re
from hashlib import sha256
from pathlib import Path

import pytest

import bot.console
from bot.console.statics import Statics
from tests.console.visitors import Visitor

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
VENDOR = Path(bot.console.__file__).parent / "static" / "vendor"
LINE = re.compile(r"\| `([\w.-]+\.(?:js|css))` \| [\w.-]+ \| [\d.]+ \| [\w.-]+, `([\w.]+)` \| `([0-9a-f]{64})` \|")


def test_what_is_vendored_is_unchanged(ledger_url: str) -> None:
    """Each file is listed with its digest, and its licence lies beside it."""
    listed = {name: (licence, digest) for name, licence, digest in LINE.findall((VENDOR / "README.md").read_text())}

    assert set(listed) == {path.name for path in VENDOR.iterdir() if path.suffix in (".js", ".css")}
    assert {name: digest for name, (_, digest) in listed.items()} == {
        name: sha256((VENDOR / name).read_bytes()).hexdigest() for name in listed
    }
    assert all((VENDOR / licence).read_text().strip() for licence, _ in listed.values())


def test_files_are_kept_by_browsers_until_they_change(nobody: Visitor) -> None:
    """Under the digest of all of them; under another one there is nothing."""
    url = Statics().url("console.css")
    answer = nobody.http.get(url)

    assert (200, "text/css; charset=utf-8") == (answer.status_code, answer.headers["Content-Type"])
    assert "public, max-age=31536000, immutable" == answer.headers["Cache-Control"]
    assert "nosniff" == answer.headers["X-Content-Type-Options"]
    assert 404 == nobody.http.get(url.replace("/static/", "/static/0")).status_code
    for name in ("nothing.css", "../console.py", "%2e%2e/console.py", "vendor/README.md"):
        assert 404 == nobody.http.get(url.replace("console.css", name)).status_code
    with pytest.raises(KeyError):
        Statics().url("nothing.css")


def test_pages_hold_no_script_and_no_style_of_their_own(nobody: Visitor, operator: Visitor) -> None:
    """The policy would refuse them; every script and style is a file of ours."""
    for answer in (nobody.get("/sign-in"), nobody.get("/enter/x"), operator.get("/sessions"), operator.get("/nothing")):
        policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
        assert {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": "'self'",
            "connect-src": "'self'",
            "frame-src": "'none'",
            "form-action": "'self'",
            "base-uri": "'none'",
            "frame-ancestors": "'none'",
        } == policy
        assert ("no-store", "DENY", "same-origin") == tuple(
            answer.headers[name] for name in ("Cache-Control", "X-Frame-Options", "Referrer-Policy")
        )
        assert [] == re.findall(r"<style|\sstyle=|\son\w+=|<script(?! src=\"/console/static/)", answer.text)

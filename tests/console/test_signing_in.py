"""How somebody comes into the console, and out of it."""

import re

import pytest

from guardrails.access import Role
from tests.console.conftest import Served
from tests.console.visitors import COOKIE, Visitor, visitor


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.VIEWER])
def test_a_devices_token_opens_the_console(console: Served, nobody: Visitor, role: Role) -> None:
    """Its cookie is kept from scripts and from other sites, and the ledger has its hash only."""
    token = console.token(role)

    answer = nobody.post("/sign-in", {"token": token, "next": "/console/lanes?x=1"})

    cookie = answer.headers["Set-Cookie"]
    assert (303, "/console/lanes?x=1") == (answer.status_code, answer.headers["Location"])
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
    secret = re.match(f"{COOKIE}=([^;]+)", cookie)
    assert secret
    with visitor(console.port, secret[1]) as visiting:
        assert 200 == visiting.get("/sessions").status_code


def test_whoever_is_not_signed_in_is_led_to_the_sign_in(nobody: Visitor) -> None:
    """And from there back to where they wanted to go; a part of a page is told to stop asking."""
    page, part = nobody.get("/sessions?x=7"), nobody.part("/sessions")

    assert (303, "/console/sign-in?next=%2Fconsole%2Fsessions%3Fx%3D7") == (
        page.status_code,
        page.headers["Location"],
    )
    assert (401, "You are not signed in.") == (part.status_code, part.text)

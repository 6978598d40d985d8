"""Who may call what: every route of the console, as everybody, and as somebody else's page would."""

import re

import pytest

from guardrails.access import Role
from tests.console.conftest import Served
from tests.console.visitors import Visitor, visitor

# Who may do what is decided before the ledger is asked for anything but the session.
pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
FOR_EVERYBODY = {
    ("GET", "/static/{version}/{name:path}"),
    ("GET", "/sign-in"),
    ("POST", "/sign-in"),
    ("GET", "/enter/{code}"),
    ("POST", "/enter"),
}
FOR_ONESELF = {("POST", "/sign-out")}
"""Every other GET is for whoever is signed in, every other POST for operators: a new route is shut by itself."""
# A browser that is told anything but "nothing there" by a stream comes back to it for ever.
STREAM = "/stream"


def routes(console: Served) -> set[tuple[str, str]]:
    found = {(method, path) for path, methods in console.routes for method in methods}
    assert {"GET", "HEAD", "POST"} >= {method for method, _ in found}
    return {(method, path) for method, path in found if method != "HEAD"}


def filled(path: str) -> str:
    """The path with something that is nowhere in its gaps."""
    return re.sub(r"\{[^}]+\}", "0", path)


def calls(console: Served, method: str) -> list[str]:
    """The paths of all routes that are not for everybody."""
    return sorted(filled(path) for verb, path in routes(console) - FOR_EVERYBODY if verb == method)


def changes(console: Served) -> list[str]:
    """The paths of what only operators do."""
    own = {path for _, path in FOR_ONESELF}
    return [path for path in calls(console, "POST") if path not in own]


def test_every_route_is_known(console: Served) -> None:
    """What is named here is there, and there is something to walk."""
    assert routes(console) >= FOR_EVERYBODY | FOR_ONESELF
    assert len(calls(console, "GET")) >= 6
    assert len(changes(console)) >= 6


def test_who_is_not_signed_in_sees_and_does_nothing(console: Served, nobody: Visitor) -> None:
    """Every page leads to the sign-in; a part of a page gets 401."""
    for path in calls(console, "GET"):
        status, to = nobody.status(path)
        assert (204 if path == STREAM else 303, path != STREAM) == (status, to.startswith("/console/sign-in")), path
        assert (204 if path == STREAM else 401) == nobody.part(path).status_code, path
    for path in calls(console, "POST"):
        assert 303 == nobody.post(path).status_code, path


def test_a_viewer_sees_everything_and_changes_nothing(console: Served, viewer: Visitor) -> None:
    """What is not there is not found, which is said to whoever may see it."""
    for path in calls(console, "GET"):
        status, to = viewer.status(path)
        assert status in (200, 303, 404, 422), path
        assert "/sign-in" not in to, path
    for path in changes(console):
        assert 403 == viewer.post(path).status_code, path


def test_an_operator_may_do_everything(console: Served, operator: Visitor) -> None:
    """A form with nothing in it is refused for that, or leads back to its page."""
    for path in changes(console):
        assert operator.post(path).status_code in (200, 303, 404, 422), path


FORGED: tuple[tuple[dict[str, str], dict[str, str]], ...] = (
    ({"csrf": ""}, {}),
    ({"csrf": "0" * 64}, {}),
    ({"csrf": "é"}, {}),
    ({}, {"Origin": "http://evil.test"}),
    ({}, {"Origin": "null"}),
    ({}, {"Origin": "http://127.0.0.1:1"}),
    ({}, {"Origin": "http://127.0.0.1.evil.test"}),
    ({}, {"Origin": "", "Referer": "http://evil.test/console/"}),
    ({}, {"Origin": ""}),
    ({}, {"Host": "evil.test"}),
)


def test_a_form_of_somebody_else_is_refused(console: Served, operator: Visitor, nobody: Visitor) -> None:
    """Without the session's own sign, from another place, or under another name; with the operator's own cookie."""
    for fields, headers in FORGED:
        for path in calls(console, "POST"):
            assert 403 == operator.post(path, fields, **headers).status_code, (path, fields, headers)
        for path in ("/sign-in", "/enter") if headers else ():
            assert 403 == nobody.post(path, {"token": "x", "code": "x"}, **headers).status_code, (path, headers)
    assert [None] == [session.ended for session in console.ledger.consoles.sessions()]


def test_the_sign_of_one_session_is_worth_nothing_in_another(operator: Visitor, viewer: Visitor) -> None:
    """Although both are of this console."""
    page = viewer.get("/sessions").text
    sign = re.search(r'name="csrf" value="(\w+)"', page)

    assert sign
    assert 403 == operator.post("/sign-out", {"csrf": sign[1]}).status_code


def test_no_link_changes_anything(console: Served, operator: Visitor) -> None:
    """GET on a change is no call that there is."""
    readable = set(calls(console, "GET")) | {filled(path) for verb, path in FOR_EVERYBODY if verb == "GET"}
    for path in calls(console, "POST"):
        if path not in readable:
            assert 405 == operator.status(path)[0], path


def test_only_forms_are_read(operator: Visitor) -> None:
    """And none that is larger than any honest one."""
    sign = {"Origin": f"http://{operator.http.headers['Host']}"}
    assert 415 == operator.http.post("/console/sign-out", json={}, headers=sign).status_code
    assert 413 == operator.post("/sign-out", {"more": "x" * 300_000}).status_code
    assert 422 == operator.post("/sign-out", {f"field{number}": "1" for number in range(2_001)}).status_code
    assert 200 == operator.get("/sessions").status_code


def test_another_name_gets_nothing(console: Served, operator: Visitor) -> None:
    """Not even the style sheet: a page whose name was rebound to the loopback learns nothing."""
    for path in (*calls(console, "GET"), "/sign-in", "/static/0/console.css"):
        assert 403 == operator.get(path, headers={"Host": "evil.test"}).status_code, path
    assert 403 == operator.http.get("/", headers={"Host": "evil.test"}).status_code


def test_roles_end_with_their_session(console: Served) -> None:
    """A device that is revoked in the middle changes nothing any more."""
    secret = console.session(Role.OPERATOR)
    with visitor(console.port, secret) as operator:
        assert 422 == operator.post("/pause").status_code
        console.ledger.consoles.sign_out(console.ledger.consoles.sessions()[0].id)
        assert 303 == operator.post("/pause", {"switch": "all", "why": "x"}).status_code
    assert [] == console.ledger.desk.switches_on()

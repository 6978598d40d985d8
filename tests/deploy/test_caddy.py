"""What people and lanes reach through the Caddyfile that we hand out, and what nobody does."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from playwright.sync_api import Browser, Frame, Page

from guardrails.bundle import ZIP_OVERHEAD_PER_FILE
from guardrails.wire import Limits
from tests.deploy.front import APPS, CADDYFILE, LANES, Front, caddy, caddy_before, opened_front
from tests.scenarios.processes import TOKEN, Machine, free_ports

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

# What differs from call to call, and between the ways of a call.
BY_CHANCE = {"date": "", "alt-svc": "", "vary": ""}
ADDED = {"strict-transport-security": "max-age=31536000", **BY_CHANCE}
KEEP = """async secret => {
    localStorage.setItem('mine', secret)
    sessionStorage.setItem('mine', secret)
    document.cookie = `mine=${secret}; Secure; SameSite=Lax`
    await new Promise((done, failed) => {
        const opening = indexedDB.open(secret)
        opening.onsuccess = done
        opening.onerror = failed
    })
    await (await caches.open(secret)).put('/mine', new Response(secret))
}"""
FIND = """async () => JSON.stringify({
    local: {...localStorage}, session: {...sessionStorage}, cookie: document.cookie,
    databases: (await indexedDB.databases()).map(each => each.name), caches: await caches.keys(),
})"""


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with opened_front(tmp_path_factory.mktemp("front")) as front:
        yield front


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that takes certificates of this test's own authority; what its scripts did not catch fails the test."""
    errors: list[str] = []
    with browser.new_context(ignore_https_errors=True) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(error.message))
        yield page
    assert [] == errors


@pytest.fixture
def own(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for every host, and its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
    hosts = x509.SubjectAlternativeName([x509.DNSName(host) for host in (APPS, f"*.{APPS}", LANES)])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=30))
    made = made.add_extension(hosts, critical=False).add_extension(x509.BasicConstraints(True, None), critical=True)
    files = tmp_path / "fullchain.pem", tmp_path / "privkey.pem"
    files[0].write_bytes(made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    as_file = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    files[1].write_bytes(key.private_bytes(*as_file))
    return files


def opened(page: Page, front: Front, slug: str) -> Frame:
    """The app in its frame on its page."""
    page.goto(f"{front.url()}/{slug}")
    frame = page.frames[-1]
    frame.wait_for_load_state()
    return frame


def test_one_app_finds_nothing_of_another(page: Page, front: Front) -> None:
    """Both run in their frames behind TLS; what one keeps it finds again, and the other does not, nor does the page."""
    first, second = front.slugs
    opened(page, front, first).evaluate(KEEP, "canary")
    kept, other, pages = (
        opened(page, front, first).evaluate(FIND),
        opened(page, front, second).evaluate(FIND),
        page.evaluate(FIND),
    )

    assert 5 == kept.count("canary")
    assert ("An app runs", False) == (page.frames[-1].inner_text("body").replace("\n", " "), "canary" in other)
    assert "canary" not in pages


def test_apps_and_pages_say_the_same_as_the_bot(front: Front) -> None:
    """Each header once, and none is lost; Caddy adds what only it knows: that there is TLS."""
    slug = front.slugs[0]
    for host, path in ((APPS, f"/{slug}"), (f"{slug}.{APPS}", "/~1/"), (APPS, "/-/page.css")):
        through = front.call(host, path, headers={"Accept-Encoding": "identity"})
        direct = front.here.get(host, front.here.apps_port, path)

        assert (200, direct.content) == (through.status_code, through.content)
        assert dict(direct.headers) | ADDED == dict(through.headers) | BY_CHANCE
        assert len(set(through.headers)) == len(through.headers.multi_items())


def test_what_is_known_is_not_sent_again(front: Front) -> None:
    """Although it was sent in fewer bytes than it has."""
    style = front.call(APPS, "/-/page.css")
    app = front.call(f"{front.slugs[0]}.{APPS}", "/~1/")
    again = front.call(f"{front.slugs[0]}.{APPS}", "/~1/", headers={"If-None-Match": app.headers["ETag"]})

    assert style.headers["Content-Encoding"] in {"gzip", "zstd"}
    assert (200, 304) == (app.status_code, again.status_code)


def test_a_name_of_no_app_gets_no_certificate(front: Front) -> None:
    """Nobody can have any number of them issued; an app's own is there as soon as somebody comes by."""
    slug = front.slugs[0]
    for host in (f"nothing.{APPS}", f"x.{slug}.{APPS}", "elsewhere.localhost", "127.0.0.1"):
        with pytest.raises(httpx.ConnectError):
            front.call(host)
    front.call(f"{slug}.{APPS}")

    assert {APPS, LANES, f"{slug}.{APPS}"} <= front.certificates()
    assert not [name for name in front.certificates() if "nothing" in name or name.startswith("x.")]


def test_lanes_come_by_their_host_and_reach_their_calls_only(front: Front) -> None:
    """That a lane works through it, two apps were built by; without a token a call is the bot's to refuse."""
    refused = front.call(LANES, "/api/lane/claim", "POST")

    assert (401, "Bearer") == (refused.status_code, refused.headers["WWW-Authenticate"].split()[0])
    for path in ("/", "/health", "/metrics", "/console", "/api/lane", "/api/lanes/x", "/api/lane/../documents"):
        assert 404 == front.call(LANES, path).status_code


def test_nobody_comes_to_the_operators_side(front: Front) -> None:
    """By no host, and by no name that a call may give itself."""
    admin = f"127.0.0.1:{front.here.admin_port}"
    for host in (APPS, LANES, f"{front.slugs[0]}.{APPS}"):
        for path in ("/console", "/metrics", "/api/operate", "/api/documents", "/ready"):
            assert 404 == front.call(host, path).status_code
        assert (421, b"") == ((answer := front.call(host, "/metrics", name=admin)).status_code, answer.content)
    assert 405 == front.call(APPS, "/api/lane/claim", "POST").status_code
    assert 404 == front.call(APPS, f"/certificate?domain={APPS}").status_code


def test_a_lane_call_takes_what_the_bot_takes_and_hardly_more(front: Front) -> None:
    """The bot says that an upload is too large; most of one far too large it never gets. Pages take nothing."""
    token = {"Authorization": f"Bearer {TOKEN}"}
    path = f"/api/lane/claims/{'c' * 32}/bundle"
    limits = Limits()
    most = limits.total_bytes + limits.files * ZIP_OVERHEAD_PER_FILE
    fits, more = (front.call(LANES, path, "PUT", headers=token, content=b"z" * size) for size in (most, most + 1))
    try:
        far = front.call(LANES, path, "PUT", headers=token, content=b"z" * 3 * most).status_code
    except (httpx.RemoteProtocolError, httpx.NetworkError):
        # Whoever still sends when the answer comes and the connection ends may not get to read it.
        far = HTTPStatus.REQUEST_ENTITY_TOO_LARGE

    assert ((409, "claim_lost"), (413, "too_large")) == tuple(
        (answer.status_code, answer.json()["error"]) for answer in (fits, more)
    )
    assert far in {413, 502}
    assert front.call(APPS, "/", "POST", content=b"z" * 2000).status_code in {405, 413}


def test_who_comes_without_tls_is_sent_to_it(front: Front) -> None:
    """An app's host, too."""
    for host in (APPS, f"{front.slugs[0]}.{APPS}", LANES):
        answer = httpx.get(
            f"http://127.0.0.1:{front.plain_port}/x", headers={"Host": host}, trust_env=False, follow_redirects=False
        )
        assert (308, f"https://{host}/x") == (answer.status_code, answer.headers["Location"])


def test_a_bot_that_is_away_is_told_and_no_token_written_down(front: Front, tmp_path: Path) -> None:
    """Neither one that came in order nor one that could not be passed on."""
    token = {"Authorization": f"Bearer {TOKEN}"}
    front.call(LANES, "/api/lane/claim", "POST", headers=token)
    with caddy_before(Machine(tmp_path), *free_ports(2)) as alone:
        answer = alone.call(LANES, "/api/lane/claim", "POST", headers=token)

    assert (502, "30", "no-store") == (
        answer.status_code,
        answer.headers["Retry-After"],
        answer.headers["Cache-Control"],
    )
    assert TOKEN not in front.log.read_text() + alone.log.read_text()


def test_a_certificate_of_ones_own_serves_every_host(front: Front, own: tuple[Path, Path]) -> None:
    """Two files, as an authority's DNS challenge leaves them: an app's host asks nobody for another one."""
    with caddy_before(front.here, *free_ports(2), own=own) as alone:
        answers = [
            alone.call(host, path, method).status_code
            for host, path, method in (
                (APPS, "/", "GET"),
                (f"{front.slugs[0]}.{APPS}", "/~1/", "GET"),
                (LANES, "/api/lane/claim", "POST"),
            )
        ]

    assert [200, 200, 401] == answers
    assert "obtain" not in alone.log.read_text()


def test_the_file_is_as_caddy_writes_it(tmp_path: Path, own: tuple[Path, Path]) -> None:
    """It is good as it stands, with certificates of an authority or of one's own; a host that is missing is told."""
    given = {"SKYWRIGHT_CADDY_TLS": "you@apps.example", "SKYWRIGHT_CADDY_ADMIN": "unix//run/caddy/admin.sock"}
    file = ("--adapter", "caddyfile", "--config", str(CADDYFILE))

    assert 0 == caddy(tmp_path, "fmt", "--diff", str(CADDYFILE)).returncode
    for tls in ("you@apps.example", "internal", " ".join(map(str, own))):
        answer = caddy(tmp_path, "validate", *file, **(given | {"SKYWRIGHT_CADDY_TLS": tls}))
        assert (0, True) == (answer.returncode, "Valid configuration" in answer.stdout + answer.stderr), answer.stderr
        assert '"level":"warn"' not in answer.stderr
    assert 1 == caddy(tmp_path, "validate", *file, SKYWRIGHT_LANE_HOST="").returncode

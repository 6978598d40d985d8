"""The token of a CI run: believed only if the issuer signed it, just now, for this very workflow and environment."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from bot.api.issuer import (
    AGAIN_AFTER_SECONDS,
    ANEW_AFTER_SECONDS,
    DEADLINE_SECONDS,
    KEYS_FOR_SECONDS,
    IssuerAway,
    IssuerKeys,
    may_be_asked,
)
from bot.api.oidc import RunRefused, RunTokens
from tests.bot.bluesky.scripted import Answer, Call, answered
from tests.bot.issuer import REPOSITORY, WORKFLOW_REF, Issuer, ec_key, issuing, rsa_key


class Times:
    """The clock on the wall, and seconds that only a test lets pass."""

    def __init__(self) -> None:
        self.shift = timedelta()
        self.steady = 1000.0

    def now(self) -> datetime:
        return datetime.now(UTC) + self.shift


@pytest.fixture
def times() -> Times:
    return Times()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture
def keys(issuer: Issuer, times: Times) -> Iterator[IssuerKeys]:
    keys = IssuerKeys(issuer.url, lambda: times.steady, deadline_seconds=2)
    yield keys
    keys.close()


@pytest.fixture
def tokens(issuer: Issuer, keys: IssuerKeys, times: Times) -> RunTokens:
    return RunTokens(issuer.pins, keys, times.now)


def refusal(tokens: RunTokens, token: str) -> str:
    with pytest.raises(RunRefused) as refused:
        tokens.run_of(token)
    return str(refused.value)


def test_a_run_is_known_by_its_token(issuer: Issuer, tokens: RunTokens) -> None:
    """Its attempt is part of its name; the keys are read once for many."""
    runs = [tokens.run_of(issuer.token(run_attempt=attempt)) for attempt in ("1", "2")]

    assert [f"github:{REPOSITORY}:4711:1", f"github:{REPOSITORY}:4711:2"] == [run.device for run in runs]
    assert runs[0].jti != runs[1].jti
    assert 1 == issuer.readings


def test_a_key_on_a_curve_is_as_good(issuer: Issuer, tokens: RunTokens) -> None:
    """Some issuers have no other."""
    issuer.keys["curve"] = ec_key("curve")

    assert "4711" == tokens.run_of(issuer.signed("curve", algorithm="ES256")).run_id


OTHER = "somebody/lanes"
WRONG_CLAIMS = {
    "another audience": {"aud": "sts.amazonaws.com"},
    "one of several audiences": {"aud": ["skywright", "other"]},
    "no audience": {"aud": None},
    "another issuer": {"iss": "https://token.actions.githubusercontent.com"},
    "another repository": {"repository": OTHER},
    "a longer name": {"repository": f"{REPOSITORY}-2"},
    "another case": {"repository": REPOSITORY.upper()},
    "another environment": {"environment": "staging", "sub": f"repo:{REPOSITORY}:environment:staging"},
    "no environment": {"environment": None},
    "a wild card": {"environment": "*"},
    "another branch": {"ref": "refs/heads/evil"},
    "a pull request": {"ref": "refs/pull/1/merge"},
    "a tag of the branch's name": {"ref": "refs/tags/main"},
    "another workflow": {"workflow_ref": WORKFLOW_REF.replace("builder-lane", "other")},
    "the workflow of a branch": {"workflow_ref": WORKFLOW_REF.replace("main", "evil")},
    "a job of another workflow": {"job_workflow_ref": f"{OTHER}/.github/workflows/builder-lane.yml@refs/heads/main"},
    "no workflow": {"workflow_ref": None},
    "no job's workflow": {"job_workflow_ref": None},
    "no jti": {"jti": None},
    "an empty jti": {"jti": ""},
    "a run that is no number": {"run_id": "47:11"},
    "no attempt": {"run_attempt": None},
    "a number for a word": {"run_id": 4711},
}


@pytest.mark.parametrize("changes", WRONG_CLAIMS.values(), ids=WRONG_CLAIMS.keys())
def test_what_it_says_is_taken_word_for_word(issuer: Issuer, tokens: RunTokens, changes: dict[str, object]) -> None:
    """Well signed, and of somebody else or for something else."""
    with pytest.raises(RunRefused) as refused:
        tokens.run_of(issuer.token(**changes))

    assert refused.value.is_signed


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"exp": -40}, "it is over"),
        ({"nbf": 50}, "it is not good yet"),
        ({"iat": 50}, "it is not good yet"),
        ({"exp": 90_000}, "it is good for too long"),
    ],
)
def test_it_is_good_for_a_while(issuer: Issuer, tokens: RunTokens, changes: dict[str, int], why: str) -> None:
    """With half a minute for clocks that differ."""
    moments = {name: int(time.time()) + seconds for name, seconds in changes.items()}

    assert why == refusal(tokens, issuer.token(**moments))


@pytest.mark.parametrize("moment", [{"exp": -10}, {"nbf": 20}, {"iat": 20}])
def test_clocks_differ(issuer: Issuer, tokens: RunTokens, moment: dict[str, int]) -> None:
    """By some seconds, either way."""
    tokens.run_of(issuer.token(**{name: int(time.time()) + seconds for name, seconds in moment.items()}))


@pytest.mark.parametrize("missing", ["exp", "nbf", "iat", "iss"])
def test_it_says_when_it_was_made_and_by_whom(issuer: Issuer, tokens: RunTokens, missing: str) -> None:
    """One that does not would be good for ever."""
    refusal(tokens, issuer.token(**{missing: None}))


@pytest.mark.parametrize("odd", [True, "soon", 1.5, -1, 10**15])
def test_an_odd_time_is_none(issuer: Issuer, tokens: RunTokens, odd: object) -> None:
    """Nor does it break anything."""
    refusal(tokens, issuer.token(exp=odd))


def test_the_bots_clock_counts(issuer: Issuer, tokens: RunTokens, times: Times) -> None:
    """Not that of the library."""
    token = issuer.token()
    times.shift = timedelta(hours=1)

    assert "it is over" == refusal(tokens, token)


def _without_signature(issuer: Issuer) -> str:
    return jwt.encode(issuer.claims(), "", "none", headers={"kid": "first"})


def _by_public_key(issuer: Issuer) -> str:
    """Signed with what everybody knows, as if it were a secret shared by two."""
    public = rsa_key("first").public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    header, payload = ({"alg": "HS256", "kid": "first", "typ": "JWT"}, issuer.claims())
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (header, payload)]
    signed = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(b".".join(parts), pem)
    return b".".join([*parts, base64.urlsafe_b64encode(signed).rstrip(b"=")]).decode()


def _headed(issuer: Issuer, header: dict[str, object]) -> str:
    head = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()
    return ".".join([head, *issuer.token().split(".")[1:]])


def _changed(issuer: Issuer) -> str:
    header, _, signature = issuer.token().split(".")
    payload = base64.urlsafe_b64encode(json.dumps(issuer.claims(run_id="1")).encode()).rstrip(b"=").decode()
    return f"{header}.{payload}.{signature}"


FORGED: dict[str, Callable[[Issuer], str]] = {
    "no signature": _without_signature,
    "the public key as a secret": _by_public_key,
    "another key under a known name": lambda issuer: issuer.signed("first", rsa_key("evil")),
    "an algorithm that is not taken": lambda issuer: issuer.signed("first", algorithm="RS512"),
    "an algorithm of another kind of key": lambda issuer: issuer.signed("first", ec_key("evil"), "ES256"),
    "a changed payload": _changed,
    "no key named": lambda issuer: jwt.encode(issuer.claims(), rsa_key("first"), "RS256"),
    "an algorithm that is no word": lambda issuer: _headed(issuer, {"alg": [], "kid": "first"}),
    "a key that is no word": lambda issuer: _headed(issuer, {"alg": "RS256", "kid": {}}),
    "a key from where it says": lambda issuer: jwt.encode(
        issuer.claims(),
        rsa_key("evil"),
        "RS256",
        {"kid": "evil", "jku": f"{issuer.url}/jwks", "jwk": _jwk(rsa_key("evil"))},
    ),
    "no token": lambda _: "hunter2",
    "three dots": lambda _: "...",
    "signs": lambda _: "ä.ö.ü",
    "a deep header": lambda _: (
        base64.urlsafe_b64encode(b'{"alg":' + b"[" * 5000 + b"]" * 5000 + b"}").decode() + ".e30.e30"
    ),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED.keys())
def test_what_the_issuer_has_not_signed_is_nothing(
    issuer: Issuer, tokens: RunTokens, forge: Callable[[Issuer], str]
) -> None:
    """However it is made to look."""
    with pytest.raises(RunRefused) as refused:
        tokens.run_of(forge(issuer))

    assert not refused.value.is_signed


def test_keys_that_cannot_be_trusted_are_none(issuer: Issuer, keys: IssuerKeys) -> None:
    """Too short, for something else, shared, or no key at all; the good one among them is found."""
    issuer.keys |= {
        "short": {**_jwk(rsa_key("short", 1024)), "kid": "short"},
        "enc": {**_jwk(rsa_key("enc")), "kid": "enc", "use": "enc"},
        "shared": {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"},
        "long": {**_jwk(rsa_key("long")), "kid": "long", "alg": "RS512"},
        "odd": 7,
        "none": {"kid": "none"},
        "nameless": _jwk(rsa_key("nameless")),
    }

    assert ["first"] == [name for name in issuer.keys if keys.key(name) is not None]


def _jwk(key: object) -> dict[str, object]:
    told: dict[str, object] = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))  # type: ignore[attr-defined]
    return told


def test_a_new_key_is_read_when_it_is_first_met(issuer: Issuer, tokens: RunTokens, times: Times) -> None:
    """At most once a minute, whatever anybody sends; a key that is gone is known for an hour."""
    tokens.run_of(issuer.token())
    issuer.keys = {"second": rsa_key("second")}
    too_early = [refusal(tokens, issuer.signed("second")) for _ in range(3)]
    readings = issuer.readings
    times.steady += ANEW_AFTER_SECONDS
    tokens.run_of(issuer.signed("second"))
    refusal(tokens, issuer.signed("third", rsa_key("evil")))

    assert ["it is signed with a key that the issuer does not have"] * 3 == too_early
    assert (1, 2) == (readings, issuer.readings)
    refusal(tokens, issuer.signed("first", rsa_key("first")))


def test_keys_are_read_anew_after_an_hour(issuer: Issuer, tokens: RunTokens, times: Times) -> None:
    """So that one that was withdrawn is not believed for ever."""
    tokens.run_of(issuer.token())
    old = issuer.token()
    issuer.keys = {"second": rsa_key("second")}
    times.steady += KEYS_FOR_SECONDS

    refusal(tokens, old)


AWAY = {
    "an error": Answer(500),
    "no answer": Answer(cut_after=-1),
    "no JSON": Answer(200, b"<html>"),
    "another thing": answered([]),
    "deep": Answer(200, b"[" * 100_000),
    "no keys": answered({"issuer": "", "keys": 7}),
    "elsewhere": Answer(302, b"", {"Location": "http://127.0.0.1:1/"}),
    "endless": Answer(200, b" " * 300_000),
    "packed": Answer(200, b"\x1f\x8b\x08", {"Content-Encoding": "gzip"}),
}


@pytest.mark.parametrize("down", AWAY.values(), ids=AWAY.keys())
def test_an_issuer_that_cannot_be_asked_is_away(issuer: Issuer, tokens: RunTokens, times: Times, down: Answer) -> None:
    """Neither believed nor refused; it is left alone for a moment, and then it is asked again."""
    issuer.down = down
    for _ in range(3):
        with pytest.raises(IssuerAway):
            tokens.run_of(issuer.token())
    asked, issuer.down = len(issuer.server.calls), None
    times.steady += AGAIN_AFTER_SECONDS

    assert 1 == asked
    assert "4711" == tokens.run_of(issuer.token()).run_id


def test_an_issuer_that_stalls_is_left_alone_after_it(issuer: Issuer, tokens: RunTokens, times: Times) -> None:
    """Not from the moment on at which it was asked: then there would be no rest between two stalls."""

    def stalled(_: Call) -> Answer:
        times.steady += DEADLINE_SECONDS
        return Answer(500)

    issuer.server.answer = stalled
    for _ in range(3):
        with pytest.raises(IssuerAway):
            tokens.run_of(issuer.token())

    assert 1 == len(issuer.server.calls)


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://evil.example"},
        {"jwks_uri": "http://keys.example/jwks"},
        {"jwks_uri": None},
        {"jwks_uri": "x"},
    ],
)
def test_a_discovery_document_leads_nowhere_else(
    issuer: Issuer, tokens: RunTokens, discovery: dict[str, object]
) -> None:
    """Another issuer's, or keys over a wire that anybody can write to."""
    issuer.discovery = discovery

    with pytest.raises(IssuerAway):
        tokens.run_of(issuer.token())


def test_known_keys_do_without_the_issuer(issuer: Issuer, tokens: RunTokens) -> None:
    """While they are fresh."""
    tokens.run_of(issuer.token())
    issuer.down = Answer(500)

    assert "4711" == tokens.run_of(issuer.token()).run_id


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("https://issuer.example", True),
        ("http://127.0.0.1:9/x", True),
        ("http://localhost:9", True),
        ("http://[::1]:9", True),
        ("http://issuer.example", False),
        ("http://127.0.0.1.evil.example", False),
        ("https://", False),
        ("ftp://127.0.0.1", False),
        ("", False),
    ],
)
def test_keys_are_asked_for_where_nobody_can_change_them(url: str, may: bool) -> None:
    """Over https, or on this machine."""
    assert may == may_be_asked(url)

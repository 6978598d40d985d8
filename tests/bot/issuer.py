"""An OIDC issuer on loopback, with keys of its own: what GitHub is to the runs of its workflows."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from bot.github import RunPins
from tests.bot.bluesky.scripted import Answer, Call, ScriptedPds, answered, scripted_pds

DISCOVERY = "/.well-known/openid-configuration"
REPOSITORY = "olga/lanes"
WORKFLOW_REF = f"{REPOSITORY}/.github/workflows/builder-lane.yml@refs/heads/main"
_numbers = count(1)


@dataclass
class Issuer:
    """Signs tokens of runs; `keys` are those that it tells, and `down` is what it answers while it is away."""

    server: ScriptedPds
    keys: dict[str, Any] = field(default_factory=dict)
    down: Answer | None = None
    discovery: dict[str, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def pins(self) -> RunPins:
        return RunPins(self.url, "skywright", REPOSITORY, "builder-lane.yml", "main", "lanes")

    def answer(self, call: Call) -> Answer:
        if self.down is not None:
            return self.down
        if call.path == DISCOVERY:
            return answered({"issuer": self.url, "jwks_uri": f"{self.url}/jwks", **self.discovery})
        return answered({"keys": [_public(kid, key) for kid, key in self.keys.items()]})

    def claims(self, **changes: Any) -> dict[str, Any]:
        """What the token of a good run says, but for what a test wants otherwise; None leaves a claim out."""
        now = int(time.time())
        said = {
            "iss": self.url,
            "aud": "skywright",
            "sub": f"repo:{REPOSITORY}:environment:lanes",
            "iat": now,
            "nbf": now - 600,
            "exp": now + 300,
            "jti": f"jti-{next(_numbers)}",
            "repository": REPOSITORY,
            "environment": "lanes",
            "ref": "refs/heads/main",
            "workflow_ref": WORKFLOW_REF,
            "job_workflow_ref": WORKFLOW_REF,
            "run_id": "4711",
            "run_attempt": "1",
            "event_name": "schedule",
            **changes,
        }
        return {name: value for name, value in said.items() if value is not None}

    def token(self, **changes: Any) -> str:
        """The token of a run, but for what a test wants otherwise."""
        return self.signed("first", **changes)

    def signed(self, kid: str, key: Any = None, algorithm: str = "RS256", **changes: Any) -> str:
        """The same, signed with the key of that id unless another is given."""
        return jwt.encode(self.claims(**changes), key or self.keys[kid], algorithm, headers={"kid": kid})

    @property
    def readings(self) -> int:
        """How often its keys were read."""
        return sum(call.path == "/jwks" for call in self.server.calls)


@contextmanager
def issuing() -> Iterator[Issuer]:
    """An issuer with one RSA key, up for the length of the block."""
    with scripted_pds(lambda _: Answer(503)) as server:
        issuer = Issuer(server, {"first": rsa_key("first")})
        server.answer = issuer.answer
        yield issuer


@cache
def rsa_key(name: str, bits: int = 2048) -> rsa.RSAPrivateKey:
    """One key a name; making one takes a while."""
    return rsa.generate_private_key(65537, bits)


@cache
def ec_key(name: str) -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _public(kid: str, key: Any) -> Any:
    if isinstance(key, rsa.RSAPrivateKey):
        told = RSAAlgorithm.to_jwk(key.public_key())
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        told = ECAlgorithm.to_jwk(key.public_key())
    else:
        return key
    return {**json.loads(told), "kid": kid, "use": "sig"}

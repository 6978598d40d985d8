"""What a CI run shows for itself: an OIDC token of its provider, believed word for word or not at all."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

import jwt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.api.issuer import ALGORITHMS, IssuerKeys
from bot.errors import BotError
from bot.github import RunPins
from guardrails.documents import DeviceId

# Two clocks are seldom the same.
LEEWAY = timedelta(seconds=30)
# A provider's tokens live for minutes; what is good for longer is not one of them.
LONGEST_LIFE = timedelta(days=1)
# The times are compared here, by the bot's clock.
_OPTIONS: jwt.types.Options = {
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "strict_aud": True,
    "require": ["aud", "iss"],
}
_Moment = Annotated[int, Field(ge=0, le=2**40)]
_Number = Annotated[str, Field(pattern=r"^[0-9]{1,20}$")]


class RunRefused(BotError):
    """What was shown is not believed; why, for the log. `is_signed`: by the issuer, so that it may be a mistake."""

    def __init__(self, why: str, *, is_signed: bool = False) -> None:
        super().__init__(why)
        self.is_signed = is_signed


@dataclass(frozen=True)
class Run:
    """One attempt of a run of the workflow, and the id of the token that said so, which is good once."""

    repository: str
    run_id: str
    attempt: str
    jti: str

    @property
    def device(self) -> DeviceId:
        """The name that the run goes by; all of its jobs are the same device."""
        return DeviceId(f"github:{self.repository}:{self.run_id}:{self.attempt}")


class RunTokens:
    """Reads the tokens of runs by what is pinned, the issuer's keys and the bot's clock."""

    def __init__(self, pins: RunPins, keys: IssuerKeys, now: Callable[[], datetime]) -> None:
        self._pins = pins
        self._keys = keys
        self._now = now

    def run_of(self, id_token: str) -> Run:
        """Whose token this is. RunRefused when anything about it is not as it should be; IssuerAway."""
        claims = self._claims(id_token)
        _check_times(claims, self._now())
        for name, pinned in self._pinned().items():
            if getattr(claims, name) != pinned:
                raise RunRefused(f"its {name} is another", is_signed=True)
        return Run(claims.repository, claims.run_id, claims.run_attempt, claims.jti)

    def _claims(self, id_token: str) -> "_Claims":
        try:
            header = jwt.get_unverified_header(id_token)
        except (jwt.PyJWTError, RecursionError):
            raise RunRefused("it is no token") from None
        algorithm, kid = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS or not isinstance(kid, str):
            raise RunRefused("it is not signed in a way that is taken")
        key = self._keys.key(kid)
        if key is None or key.algorithm_name != algorithm:
            raise RunRefused("it is signed with a key that the issuer does not have")
        try:
            said = jwt.decode(
                id_token,
                key,
                algorithms=[algorithm],
                audience=self._pins.audience,
                issuer=self._pins.issuer,
                options=_OPTIONS,
            )
        except jwt.InvalidSignatureError:
            raise RunRefused("it is not signed by the issuer") from None
        except (jwt.PyJWTError, RecursionError) as problem:
            raise RunRefused(type(problem).__name__, is_signed=True) from None
        try:
            return _Claims.model_validate(said)
        except ValidationError as problems:
            names = {str(problem["loc"][0]) for problem in problems.errors(include_input=False)}
            raise RunRefused(f"it does not say {', '.join(sorted(names))} as it should", is_signed=True) from None

    def _pinned(self) -> dict[str, str]:
        pins = self._pins
        return {
            "repository": pins.repository,
            "environment": pins.environment,
            "ref": pins.ref,
            "workflow_ref": pins.workflow_ref,
            # The job itself, too: a workflow can call one that lies in another repository.
            "job_workflow_ref": pins.workflow_ref,
        }


class _Claims(BaseModel):
    """What a token has to say; whatever else it says is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    exp: _Moment
    nbf: _Moment
    iat: _Moment
    jti: str = Field(min_length=1, max_length=200)
    repository: str
    environment: str
    ref: str
    workflow_ref: str
    job_workflow_ref: str
    run_id: _Number
    run_attempt: _Number


def _check_times(claims: _Claims, now: datetime) -> None:
    at, leeway = now.timestamp(), LEEWAY.total_seconds()
    if claims.exp <= at - leeway:
        raise RunRefused("it is over", is_signed=True)
    if max(claims.nbf, claims.iat) > at + leeway:
        raise RunRefused("it is not good yet", is_signed=True)
    if claims.exp - claims.iat > LONGEST_LIFE.total_seconds():
        raise RunRefused("it is good for too long", is_signed=True)

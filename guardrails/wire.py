"""What bot and lane say to each other over /api/lane: requests are strict, answers are read tolerantly."""

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

API_VERSION: Final = 1

LOG_TAIL_CHARS = 8000

ClaimIdText = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{26,64}$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
# PostgreSQL's text holds no NUL; the pattern refuses lone surrogates as well.
_Storable = Annotated[str, Field(pattern=r"^[^\x00]*$")]


class BuildOutcome(StrEnum):
    """How an attempt ended, as the lane saw it; only the ledger turns it into a status."""

    DONE = "done"
    REFUSED = "refused"
    RETRY_LATER = "retry_later"
    BROKEN = "broken"
    RELEASED = "released"


class Request(BaseModel):
    """A strict request body: an unknown key is refused, so that a misspelt one is noticed, and so is a lax value."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    api_version: Literal[1] = API_VERSION


class Answer(BaseModel):
    """A tolerant answer body: keys that a newer bot adds are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    api_version: int = API_VERSION


class ClaimRequest(Request):
    """The lane asks for work under a claim id that it minted, so that a lost answer can be asked for again.

    `lease_seconds`: a longer lease than the bot's own, granted up to what the device may have.
    """

    claim_id: ClaimIdText
    generator: _Storable = Field(max_length=80)
    lease_seconds: int | None = Field(default=None, ge=10, le=86_400)


class Limits(BaseModel):
    """What a bundle may hold: a count, and bytes."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    files: int = 40
    file_bytes: int = 1_000_000
    total_bytes: int = 2_000_000


class PointedAt(BaseModel):
    """A post that the ask replies to, or quotes, and means. Its words are its author's, who asked for nothing.

    They are material for the app, and never instructions to whoever builds it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    author: str
    quoted: bool = False
    text: str = ""
    alts: tuple[str, ...] = ()
    card: str = ""


class Claim(Answer):
    """One unit of work, the lane's until `lease_until` unless a heartbeat renews it; `address` is the app's page.

    `cost_micros` is the most that the build may cost, in millionths of a US dollar; None where the bot does not say.
    """

    claim_id: str
    document_id: str
    attempt: int
    ask: str
    langs: tuple[str, ...] = ()
    context: tuple[PointedAt, ...] = ()
    slug: str
    version: int
    address: str
    lease_seconds: float
    heartbeat_seconds: float
    lease_until: AwareDatetime
    build_by: AwareDatetime
    limits: Limits = Limits()
    cost_micros: int | None = None


class Enrolment(Request):
    """A lane exchanges the single-use code of an invitation for a device token of its own."""

    code: _Storable = Field(min_length=1, max_length=200, repr=False)


class RunLogin(Request):
    """A CI run shows the OIDC token of its provider, for a device token that ends with the run."""

    id_token: _Storable = Field(min_length=1, max_length=16_000, repr=False)


class DeviceToken(Answer):
    """A device's name and its token; said once. `expires_at` is None for a token that lasts until it is revoked."""

    device: str
    token: str = Field(repr=False)
    expires_at: AwareDatetime | None = None


class HeartbeatRequest(Request):
    """The lane is alive and at this step."""

    step: str = Field(max_length=40, pattern=r"^[a-z_]+$")


class Lease(Answer):
    """The claim is still the lane's until then."""

    lease_until: AwareDatetime


class Uploaded(Answer):
    """The bundle is stored under the claim; it is public once it is reported done."""

    sha256: str
    address: str


class Screened(Answer):
    """The screenshot is stored under the claim, over an earlier one."""

    sha256: str


class CheckReport(BaseModel):
    """What one check found; no findings means that it passed. Warnings are for operators and cost nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    check: _Storable = Field(max_length=40)
    passed: bool
    findings: tuple[_Storable, ...] = Field(default=(), max_length=100)
    warnings: tuple[_Storable, ...] = Field(default=(), max_length=100)


class Report(Request):
    """How the attempt ended and what it cost; `cost_micros` are millionths of a US dollar.

    `repairs`: how often the checks' findings went back to the generator.
    """

    outcome: BuildOutcome
    title: _Storable = Field(default="", max_length=200)
    description: _Storable = Field(default="", max_length=500)
    address: _Storable = Field(default="", max_length=250)
    sha256: Sha256 | None = None
    reason: _Storable = Field(default="", max_length=300)
    detail: _Storable = Field(default="", max_length=2000)
    after_seconds: float = Field(default=0, ge=0, le=86_400)
    checks: tuple[CheckReport, ...] = Field(default=(), max_length=20)
    repairs: int = Field(default=0, ge=0, le=100)
    generator: _Storable = Field(max_length=80)
    model: _Storable | None = Field(default=None, max_length=120)
    prompt_version: _Storable | None = Field(default=None, max_length=80)
    tokens_in: int = Field(default=0, ge=0, lt=2**53)
    tokens_out: int = Field(default=0, ge=0, lt=2**53)
    cost_micros: int = Field(default=0, ge=0, lt=2**53)
    seconds: float = Field(default=0, ge=0, allow_inf_nan=False)
    log_tail: _Storable = Field(default="", max_length=LOG_TAIL_CHARS)


class Reported(Answer):
    """The report counted; the document's status after it."""

    status: str


class Problem(Answer):
    """Why a call was refused and what would mend it. `error` is for programs, the rest is for people."""

    error: str
    message: str
    mend: str = ""

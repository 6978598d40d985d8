"""What operators may ask for over HTTP, strictly: an unknown key is refused, in a query as in a body."""

from typing import Annotated, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator, model_validator

from bot.ledger.feed import Filter
from bot.ledger.selection import Place, Selection
from bot.operations.charts import check_span
from bot.operations.doing import Act
from bot.operations.enrolling import NewDevice
from bot.operations.port import Settling
from bot.operations.stretches import Every
from guardrails.documents import AtUri, Did, DocId, Kind
from guardrails.facts import Standing
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from guardrails.wire import Request

MOST_DOCUMENTS = 500
MOST_ACTS = 500
MOST_MOVES = 500
MOST_EXPORTED = 1_000
MOST_CHARACTERS = 2_000
# PostgreSQL's text holds no NUL; the pattern refuses lone surrogates as well.
Words = Annotated[str, Field(max_length=MOST_CHARACTERS, pattern=r"^[^\x00]*$")]
Name = Annotated[str, Field(min_length=1, max_length=4_000, pattern=r"^[^\x00]*$")]
Sequence = Annotated[int, Field(ge=0, lt=2**63)]


class Query(BaseModel):
    """The query of a reading call."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Which(Query):
    """Which documents."""

    status: list[Status] = []
    author: Words | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    text: Words | None = None
    reason: list[Reason] = []
    lane: Words | None = None
    kind: Kind | None = None

    @property
    def selection(self) -> Selection:
        """As the ledger takes it."""
        return Selection(
            tuple(self.status),
            self.author,
            self.since,
            self.until,
            self.text,
            tuple(self.reason),
            self.lane,
            self.kind,
        )


class WhichPage(Which):
    """Which documents, and from where on."""

    limit: int = Field(default=50, ge=1, le=MOST_DOCUMENTS)
    after_at: AwareDatetime | None = None
    after_id: Name | None = None

    @property
    def place(self) -> Place | None:
        """The place after which the page begins; only a whole one counts."""
        if self.after_at is None or self.after_id is None:
            return None
        return Place(self.after_at, DocId(self.after_id))


class WhichMoves(Query):
    """Which moves."""

    after: Sequence = 0
    limit: int = Field(default=100, ge=1, le=MOST_MOVES)
    status: list[Status] = []
    kind: Kind | None = None
    document: Name | None = None
    author: Words | None = None
    reason: list[Reason] = []
    lane: Words | None = None

    @property
    def wanted(self) -> Filter:
        """As the feed takes it."""
        return Filter(self.kind, tuple(self.status), self.document, self.author, tuple(self.reason), self.lane)


class Moment(Query):
    """A moment."""

    moment: AwareDatetime


class Called(Query):
    """What something is called: a document, a person, a send."""

    name: Name


class CalledRecord(Query):
    """A send and the record that it is said to be."""

    key: Name
    link: Name


class WhichSends(Query):
    """Which sends: the unsettled ones, or the newest of all."""

    everything: bool = False
    limit: int = Field(default=50, ge=1, le=1_000)


class WhichParked(Query):
    """How many of what could not be read."""

    limit: int = Field(default=100, ge=1, le=1_000)


class WhichHandles(Query):
    """Whose handles."""

    did: list[Annotated[str, Field(max_length=2_048)]] = Field(max_length=100)

    @property
    def dids(self) -> list[Did]:
        """As the operations take them."""
        return [Did(did) for did in self.did]


class WhichCosts(Query):
    """Since when, and for what each."""

    since: AwareDatetime
    by: Annotated[str, Field(pattern="^(day|author|model|lane)$")] = "day"


class WhichFigures(Query):
    """Of which time, in how long stretches."""

    since: AwareDatetime
    until: AwareDatetime
    every: Every = Every.DAY

    @model_validator(mode="after")
    def _is_told(self) -> Self:
        check_span(self.since, self.until, self.every)
        return self


class WhichExport(Query):
    """Which part of the history."""

    after: Sequence = 0
    limit: int = Field(default=MOST_EXPORTED, ge=1, le=MOST_EXPORTED)


class WhichAudit(Query):
    """Which part of the audit log."""

    before: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    limit: int = Field(default=50, ge=1, le=500)


class Acts(Request):
    """Deeds on documents."""

    acts: list[Act] = Field(min_length=1, max_length=MOST_ACTS)

    @field_validator("acts")
    @classmethod
    def _can_be_kept(cls, acts: list[Act]) -> list[Act]:
        if any("\x00" in f"{act.on.id}{act.action_id}{act.why}" or len(act.why) > MOST_CHARACTERS for act in acts):
            raise ValueError(f"words without NUL, of {MOST_CHARACTERS} characters at most")
        return acts


class Settle(Request):
    """A decision about a send."""

    key: Name
    settling: Settling
    tries: int = Field(ge=0)
    uri: AtUri | None = None


class Ask(Request):
    """A post."""

    link: Name


class Pause(Request):
    """Switches to turn on."""

    switches: list[Switch] = Field(min_length=1, max_length=len(Switch))
    why: Words
    now: bool = False


class Resume(Request):
    """Switches to turn off."""

    switches: list[Switch] = Field(min_length=1, max_length=len(Switch))


class LayDown(Request):
    """What is to be laid down about somebody."""

    who: Name
    standing: Standing
    why: Words = ""
    until: AwareDatetime | None = None


class Lift(Request):
    """Whose deny or allow is to be taken back."""

    who: Name


class Unpublished(Request):
    """Which app is gone where a lane had published it."""

    slug: Name


class TakeDownAuthor(Request):
    """Whose apps are to be taken down."""

    who: Name
    why: Words = ""
    action_id: Name
    keep_replies: bool = False


class Enrol(Request):
    """A device, or an invitation for one."""

    device: NewDevice


class Revoke(Request):
    """A device whose token is to be worthless."""

    device: Name

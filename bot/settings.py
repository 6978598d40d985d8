"""The bot's settings: SKYWRIGHT_* in the environment, or in a file that `skywright --env-file` names."""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.addresses import AN_ADDRESS, Listen, Url, secrets_in
from bot.alert_settings import AlertSettings
from bot.bluesky.config import AccountConfig
from bot.database_settings import DatabaseSettings, a_database
from bot.errors import BadSettings
from bot.github_settings import GitHubSettings
from bot.hosts import is_loopback
from bot.ledger.policy import Budgets, Caps, LanePolicy, LedgerPolicy
from bot.retention_settings import RetentionSettings
from bot.stream_settings import StreamSettings

PREFIX = "SKYWRIGHT_"


def _only_a_host(value: str) -> str:
    parts = urlsplit(value)
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("each app is a host name below it, so it has no path, query or user name")
    return value


def _key(value: SecretStr) -> SecretStr:
    # Only the running bot has a session to seal; whoever looks at the ledger need not wait for it.
    from cryptography.fernet import Fernet  # noqa: PLC0415

    try:
        Fernet(value.get_secret_value())
    except ValueError:
        raise ValueError("not a key: make one with `skywright new-key`") from None
    return value


class LedgerSettings(AlertSettings, DatabaseSettings, RetentionSettings, BaseSettings):
    """What it takes to open the ledger; enough for operators and for whoever tails it.

    Like its parts it is prepared for validating by whoever reads it: no command reads all of them.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, hide_input_in_errors=True, extra="ignore"
    )

    database_url: Annotated[str, AfterValidator(a_database), AN_ADDRESS] = Field(
        default="sqlite:///skywright.db", description="The ledger: `sqlite:///FILE` or `postgresql+psycopg://…`"
    )
    apps_url: Annotated[Url, AfterValidator(_only_a_host)] = Field(
        default="http://localhost:8100", description="Public address of the apps; each app is a host name below it"
    )
    lease_seconds: float = Field(
        default=120, ge=1, le=86_400, description="How long a claim stands without a heartbeat"
    )
    retry_seconds: float = Field(default=30, ge=0, le=86_400, description="The wait after a failed attempt, doubling")
    failures: int = Field(default=3, ge=1, le=100, description="How many failed attempts a build is given")
    build_hours: float = Field(default=24, gt=0, le=24 * 30, description="How long an ask waits for a lane in all")
    approval_hours: float = Field(default=72, gt=0, le=24 * 30, description="How long an ask waits for a person")
    rules: Path | None = Field(
        default=None,
        description="File with the rules: who may ask, how much, for what; "
        "see `deploy/guardrails.example.toml`. Without one, as built in",
    )
    lane_wait_minutes: float = Field(
        default=30,
        gt=0,
        le=60 * 24 * 30,
        description="Operators are told when work waits longer than that, and no lane asks",
    )
    lane_schedule_minutes: float | None = Field(
        default=None,
        gt=0,
        le=60 * 24 * 30,
        description="How often a lane is to come by, where one runs on a schedule; what is late is shown",
    )
    admin_listen: Listen = Field(
        default="127.0.0.1:8102", description="Where the admin listener listens; keep it on the loopback"
    )
    admin_url: Url | None = Field(default=None, description="Address of the admin listener, if not where it listens")
    write_points_per_hour: int = Field(
        default=4500,
        ge=3,
        description="How many of the account's 5000 write points the bot may use in an hour (put 2, delete 1)",
    )
    write_points_per_day: int = Field(default=31_500, ge=3, description="The same in a day, of 35000")
    call_deadline_seconds: float = Field(
        default=30, ge=0.5, le=300, description="The longest that one call to the network may take in all"
    )

    @property
    def lane_schedule(self) -> timedelta | None:
        """How often a lane is to come by; None where no schedule is known."""
        return timedelta(minutes=self.lane_schedule_minutes) if self.lane_schedule_minutes is not None else None

    @property
    def admin_address(self) -> str:
        """Where operators find the admin listener."""
        return self.admin_url or f"http://{self.admin_listen}"

    @property
    def secrets(self) -> frozenset[str]:
        """Every text in these settings that nobody is to read, for those who keep them out of what they write."""
        given = [getattr(self, name) for name in type(self).model_fields]
        hidden = {value.get_secret_value() for value in given if isinstance(value, SecretStr)}
        # Whoever writes a password into an address has one there, whatever the address is of.
        return frozenset(hidden.union(*(secrets_in(value) for value in given if isinstance(value, str))))

    def __repr_args__(self) -> Iterable[tuple[str | None, object]]:
        """What is set, by name alone: any value may be, or hold, what nobody is to read."""
        return [(None, name) for name in type(self).model_fields if name in self.model_fields_set]

    @property
    def is_admin_open(self) -> bool:
        """Whether other machines may reach the admin listener."""
        listens_at = self.admin_listen.rpartition(":")[0].strip("[]")
        return not is_loopback(listens_at) or not is_loopback(urlsplit(self.admin_address).hostname or "")

    @property
    def policy(self) -> LedgerPolicy:
        """The numbers that the ledger works by."""
        return LedgerPolicy(
            budgets=Budgets(
                failures=self.failures,
                build_window=timedelta(hours=self.build_hours),
                approval_window=timedelta(hours=self.approval_hours),
            ),
            lane=LanePolicy(
                lease=timedelta(seconds=self.lease_seconds),
                retry_after=timedelta(seconds=self.retry_seconds),
            ),
            # A try is an upload and a put, each with a deadline; later it is over, and others look what became of it.
            try_lease=timedelta(seconds=2 * self.call_deadline_seconds + 5),
            keep_apps=self.keep_apps,
            write_points=Caps(self.write_points_per_hour, self.write_points_per_day),
        )


class Settings(GitHubSettings, StreamSettings, LedgerSettings):
    """Everything that a host sets. Secrets are never shown, not by errors either."""

    identifier: str = Field(min_length=1, description="The bot's handle or DID; a leading @ is dropped")
    password: SecretStr = Field(description="An app password of the bot's account")
    session_key: Annotated[SecretStr, AfterValidator(_key)] = Field(
        description="Seals the session in the ledger; `skywright new-key` makes one"
    )
    pds_url: Url | None = Field(default=None, description="The account's PDS, if not the one of its DID document")
    plc_url: Url = Field(default="https://plc.directory", description="Where did:plc documents are read")
    web_url: Url = Field(default="https://bsky.app", description="Where links to posts lead people")
    apps_listen: Listen = Field(default="127.0.0.1:8100", description="Where the apps listener listens")
    lane_listen: Listen = Field(default="127.0.0.1:8101", description="Where the lane listener listens")
    lane_url: Url | None = Field(
        default=None, description="Public address of the lane listener, if not where it listens"
    )
    moderation_key: SecretStr | None = Field(
        default=None, description="The key of the moderation service, where the rules name one that wants a key"
    )
    contact: str = Field(default="", description="Who answers for this bot: a mail address or a link")
    poll_seconds: float = Field(default=5, ge=0.1, le=3600, description="How often mentions are asked for")
    tick_seconds: float = Field(default=2, ge=0.1, le=60, description="How often waiting work is looked at")
    sweep_seconds: float = Field(default=600, ge=1, le=86_400, description="How often the last day is read again")
    replies_per_hour: int = Field(
        default=120, ge=1, le=1600, description="How many new replies go out in an hour at most"
    )
    hold_reply_hours: float = Field(
        default=24, gt=0, le=24 * 30, description="An answer to an older ask waits for a person"
    )
    watch_seconds: float = Field(
        default=60,
        ge=1,
        le=3600,
        description="How often the post of an open ask is looked at: deleted, edited, still there",
    )
    likes: bool = Field(default=True, description="Whether an ask that is taken on gets a like")
    notes: bool = Field(default=True, description="Whether an ask that ends without an app is told so in one line")
    status_pages: bool = Field(
        default=True, description="Whether anybody with the link of a post may see how what it asks for stands"
    )
    look_back_hours: float = Field(
        default=48, ge=1, le=24 * 60, description="How far a fresh ledger looks for its own replies at the start"
    )
    standing_seconds: float = Field(
        default=300, ge=1, le=86_400, description="How often the account's own state and labels are asked for"
    )
    logins_per_hour: int = Field(
        default=10, ge=1, le=300, description="How many logins may be tried in an hour, in all processes and restarts"
    )
    logins_per_day: int = Field(default=50, ge=1, le=300, description="The same in a day; the network allows 300")
    log: Literal["console", "json"] = Field(default="console", description="How log lines are written")

    @property
    def lane_address(self) -> str:
        """Where lanes find the lane listener."""
        return self.lane_url or f"http://{self.lane_listen}"

    @property
    def login_caps(self) -> Caps:
        """The budget of logins."""
        return Caps(self.logins_per_hour, self.logins_per_day)

    @property
    def account(self) -> AccountConfig:
        """How the account is reached."""
        return AccountConfig(
            identifier=self.identifier,
            password=self.password,
            pds_url=self.pds_url,
            plc_url=self.plc_url,
            call_deadline_seconds=self.call_deadline_seconds,
        )


Loaded = TypeVar("Loaded", bound=LedgerSettings)


def load_settings(kind: type[Loaded], **given: str) -> Loaded:
    """Read settings from the environment, but for those that are given; BadSettings names each wrong one, no value."""
    try:
        return kind(**given)  # type: ignore[arg-type]  # fields, and none of its options
    except ValidationError as problems:
        raise BadSettings([_said(dict(problem)) for problem in problems.errors()]) from None


def _said(problem: dict[str, object]) -> str:
    where = problem["loc"]
    name = PREFIX + "_".join(str(part) for part in where).upper() if isinstance(where, tuple) else PREFIX
    return f"{name}: {'is not set' if problem['type'] == 'missing' else problem['msg']}"

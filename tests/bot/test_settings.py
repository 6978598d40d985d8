"""The bot's settings: what is set to nothing is not set, and addresses are what the bot can work with."""

from collections.abc import Callable

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.errors import BadSettings
from bot.notices import Shape
from bot.settings import Settings, load_settings

Load = Callable[..., Settings]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """The settings of a host that sets these beside what has to be set."""

    def load(**settings: str) -> Settings:
        told = {"identifier": "wright.test", "password": "pw", "session_key": Fernet.generate_key().decode()}
        for name, value in (told | settings).items():
            monkeypatch.setenv(f"SKYWRIGHT_{name.upper()}", value)
        return load_settings(Settings)

    return load


def test_what_is_set_to_nothing_has_its_default(load: Load) -> None:
    """As in a compose file, or in the example file with a line's sign taken away."""
    settings = load(pds_url="", poll_seconds="", log="")

    assert (None, 5, "console") == (settings.pds_url, settings.poll_seconds, settings.log)


@pytest.mark.parametrize("name", ["identifier", "password", "session_key"])
def test_what_is_required_and_set_to_nothing_is_named(load: Load, name: str) -> None:
    """A login with an empty password would cost a login."""
    with pytest.raises(BadSettings, match=f"^SKYWRIGHT_{name.upper()}: is not set$"):
        load(**{name: ""})


@pytest.mark.parametrize("address", ["https://apps.example", "https://apps.example/", "http://localhost:8100"])
def test_the_apps_address_has_a_host_of_its_own(load: Load, address: str) -> None:
    """A slug goes behind it and a host name before it."""
    assert address.rstrip("/") == load(apps_url=address).apps_url


@pytest.mark.parametrize(
    "address",
    ["https://example.org/apps", "https://example.org?x", "https://example.org#x", "https://me:pw@example.org"],
)
def test_the_apps_address_is_nothing_but_a_host(load: Load, address: str) -> None:
    """Below a path the bot would answer with links that lead nowhere."""
    with pytest.raises(BadSettings, match=r"^SKYWRIGHT_APPS_URL: .*so it has no "):
        load(apps_url=address)


GITHUB = {"github_repository": "olga/lanes", "github_environment": "lanes", "github_audience": "skywright"}


def test_runs_are_let_in_where_all_of_it_is_pinned(load: Load) -> None:
    """Word for word: the repository, the workflow's file at its branch, the environment and the audience."""
    pins = load(**GITHUB).run_pins

    assert pins is not None
    assert "olga/lanes/.github/workflows/builder-lane.yml@refs/heads/main" == pins.workflow_ref
    assert ("https://token.actions.githubusercontent.com", "skywright", "lanes") == (
        pins.issuer,
        pins.audience,
        pins.environment,
    )
    for missing in GITHUB:
        assert load(**GITHUB | {missing: ""}).run_pins is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("github_repository", "olga/*"),
        ("github_repository", "olga"),
        ("github_workflow", "*.yml"),
        ("github_workflow", "../other.yml"),
        ("github_branch", "*"),
        ("github_issuer", "http://issuer.example"),
        ("github_api_url", "http://api.example"),
    ],
)
def test_a_pin_is_no_pattern_and_no_secret_goes_over_an_open_wire(load: Load, name: str, value: str) -> None:
    """Wider trust than was meant is named at the start, and not met later."""
    with pytest.raises(BadSettings, match=f"^SKYWRIGHT_{name.upper()}: "):
        load(**GITHUB | {name: value})


def test_a_workflow_is_called_where_there_is_a_token_for_it(load: Load) -> None:
    """Which is never shown."""
    without = load(**GITHUB)
    settings = load(**GITHUB, github_token="canary-token")

    assert without.workflow is None
    assert settings.workflow is not None
    assert "olga/lanes:builder-lane.yml" == settings.workflow.target
    assert "canary" not in repr(settings) + repr(settings.workflow)


def test_leases_and_waits_have_the_designs_defaults(load: Load) -> None:
    """Two minutes without a heartbeat, and three failures."""
    policy = load().policy

    assert (120, 3) == (policy.lane.lease.total_seconds(), policy.budgets.failures)


HOOK = "https://hooks.slack.com/services/T0/B0/canary"


@pytest.mark.parametrize(
    ("url", "told", "shape"),
    [
        (HOOK, "", Shape.SLACK),
        ("https://discord.com/api/webhooks/1/canary", "", Shape.DISCORD),
        ("https://canary.discord.com/api/webhooks/1/canary", "", Shape.DISCORD),
        ("https://notdiscord.com/canary", "", Shape.JSON),
        ("http://127.0.0.1:9/canary", "", Shape.JSON),
        ("https://chat.example/hooks/canary", "slack", Shape.SLACK),
        (HOOK, "json", Shape.JSON),
    ],
)
def test_a_channel_is_told_in_its_shape(load: Load, url: str, told: str, shape: Shape) -> None:
    """By its host, or as it is set; its address is shown by nothing and is among the secrets."""
    settings = load(alert_url=url, alert_format=told)
    channel = settings.alert_channel

    assert channel is not None
    assert (url, shape) == (channel.url.get_secret_value(), channel.shape)
    assert "canary" not in repr(settings).replace("canary.discord", "")
    assert url in settings.secrets


@pytest.mark.parametrize("url", ["http://hooks.example/canary", "ftp://canary", "canary", "https://" + "canary" * 400])
def test_what_is_no_channel_is_refused_unshown(load: Load, url: str) -> None:
    """A plain address would show its token to everybody on the way."""
    with pytest.raises(BadSettings, match=r"^SKYWRIGHT_ALERT_URL: ") as refused:
        load(alert_url=url)

    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("name", ["database_url", "database_direct_url"])
@pytest.mark.parametrize("password", ["pass@of:canary", "pass@canary", "pass:word@host:canary"])
def test_a_password_that_breaks_an_address_is_not_shown(load: Load, name: str, password: str) -> None:
    """What stands behind its sign is read as a host or a port, and an error of the driver repeats it."""
    with pytest.raises(BadSettings, match=f"^SKYWRIGHT_{name.upper()}: .*%40 stands for @") as refused:
        load(**{name: f"postgresql://me:{password}@db.example/x"})

    assert "canary" not in str(refused.value)


def test_every_secret_is_known_as_one(load: Load) -> None:
    """Also the password in the database's address, as it stands there and as it is meant."""
    settings = load(database_url="postgresql+psycopg://me:p%40ssword@db.example/x", moderation_key="key-1")

    assert {"pw", "key-1", "p%40ssword", "p@ssword", settings.session_key.get_secret_value()} == settings.secrets


def test_what_any_address_hides_is_known_as_a_secret(load: Load) -> None:
    """The way round a pooler, a stream's password and query, a token in the place of a user."""
    direct = load(
        database_direct_url="postgresql://me:direct-pw@db.example/x", stream_url="wss://token-1@s.example/x?a=b"
    )
    stream = load(stream_url="wss://me:stream-pw@stream.example/subscribe", contact="https://x.example/?key=1")

    assert {"direct-pw", "token-1", "a=b"} <= direct.secrets
    assert {"stream-pw", "key=1"} <= stream.secrets


@pytest.mark.parametrize(
    "name", ["apps_url", "admin_url", "lane_url", "web_url", "plc_url", "pds_url", "github_prefix"]
)
def test_an_address_that_is_shown_holds_no_secret(load: Load, name: str) -> None:
    """It stands on pages, in commands and in records."""
    for wrong in ("https://me:canary@x.example", "https://x.example/?canary", "https://x.example/#canary"):
        with pytest.raises(BadSettings, match=f"^SKYWRIGHT_{name.upper()}: .*so it has no ") as refused:
            load(**{name: wrong})
        assert "canary" not in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "is_open"),
    [
        ({}, False),
        ({"admin_listen": "[::1]:8102", "admin_url": "http://localhost:9000"}, False),
        ({"admin_listen": "0.0.0.0:8102"}, True),
        ({"admin_url": "https://admin.example"}, True),
    ],
)
def test_an_admin_listener_that_others_reach_is_known(load: Load, settings: dict[str, str], is_open: bool) -> None:
    """By where it listens, or through a proxy."""
    assert is_open == load(**settings).is_admin_open


@pytest.mark.parametrize("name", Settings.model_fields)
def test_no_refusal_of_a_setting_repeats_it(load: Load, name: str) -> None:
    """Whatever is wrong with it: a secret may have been set in the place of anything."""
    for wrong in ("canary", "canary://me:canary@x/\x1b", "-1 canary", "https://" + "canary" * 500):
        told = load_or_refusal(load, name, wrong)
        assert "canary" not in told
        assert not told or f"SKYWRIGHT_{name.upper()}: " in told


def load_or_refusal(load: Load, name: str, value: str) -> str:
    """Why a setting is refused, or how a secret one is shown; nothing for another."""
    try:
        settings = load(**{name: value})
    except BadSettings as refused:
        return str(refused)
    secret = getattr(settings, name)
    return f"SKYWRIGHT_{name.upper()}: {secret!r}" if isinstance(secret, SecretStr) else ""

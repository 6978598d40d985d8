"""The doctor's look at the settings: where each came from, and what only looks like one."""

import socket
from pathlib import Path

import pytest

from bot.terminal.misspelt import misspelt
from builder.settings import PREFIX, Settings
from guardrails.misspelt import Misspelt
from tests.bot.terminal.prompt import CANARY, Prompt, findings

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
NOBODY = {f"SKYWRIGHT_{name}_URL": "http://127.0.0.1:1" for name in ("ADMIN", "LANE", "APPS")}


def lines(prompt: Prompt, *options: str) -> list[str]:
    """What the doctor says of each setting."""
    told = prompt.run(*options, "doctor").stdout
    assert CANARY not in told
    return [line.split(maxsplit=2)[2] for line in told.splitlines() if line.startswith("ok    setting ")]


def test_each_setting_has_an_origin(prompt: Prompt, tmp_path: Path) -> None:
    """The environment before the file, and else the default; of what may hold a secret, only that it is set.

    An empty one is not set.
    """
    file = tmp_path / "bot.env"
    file.write_text(
        f"SKYWRIGHT_PASSWORD={CANARY}\nSKYWRIGHT_LIKES=false\nSKYWRIGHT_IDENTIFIER=other.test\n"
        f"SKYWRIGHT_STREAM_URL=ws://u:{CANARY}@127.0.0.1:1/x?{CANARY}\nSKYWRIGHT_CONTACT=https://x.example/?key={CANARY}\n"
    )
    file.chmod(0o600)
    prompt = prompt.having(**NOBODY, SKYWRIGHT_IDENTIFIER="wright.test", SKYWRIGHT_NOTES="")
    prompt = prompt.having(SKYWRIGHT_SESSION_KEY="A" * 43 + "=", SKYWRIGHT_PDS_URL="http://127.0.0.1:1")

    told = lines(prompt, "--env-file", str(file))

    assert "SKYWRIGHT_IDENTIFIER is wright.test, from the environment" in told
    assert f"SKYWRIGHT_LIKES is False, from {file}" in told
    for name in ("PASSWORD", "STREAM_URL", "CONTACT"):
        assert f"SKYWRIGHT_{name} is set, from {file}" in told
    assert "SKYWRIGHT_DATABASE_URL is set, from the environment" in told
    assert "SKYWRIGHT_NOTES" in told[-1].removeprefix("by default: ").split(", ")
    assert "SKYWRIGHT_LIKES" not in told[-1]


def test_of_settings_that_are_wrong_no_value_is_told(prompt: Prompt) -> None:
    """What they are cannot be read; that they are there can."""
    told = lines(prompt.having(**NOBODY, SKYWRIGHT_IDENTIFIER=CANARY, SKYWRIGHT_POLL_SECONDS="often"))

    assert "SKYWRIGHT_POLL_SECONDS is set, from the environment" in told


def test_a_misspelt_setting_is_named_with_the_one_that_is_meant(prompt: Prompt) -> None:
    """A name that is like none is only named."""
    one = findings(prompt.having(**NOBODY, SKYWRIGHT_APPS_ULR="http://x"))["settings"]
    told = prompt.having(**NOBODY, SKYWRIGHT_APPS_ULR="http://x", SKYWRIGHT_FAVOURITE="x").run("doctor").stdout

    assert one["state"] == "fail"  # the rest is missing
    assert "SKYWRIGHT_APPS_ULR is no setting; SKYWRIGHT_APPS_URL is  → write SKYWRIGHT_APPS_URL" in told
    assert "SKYWRIGHT_FAVOURITE is no setting  → take it away" in told


def test_a_misspelt_setting_is_named_when_the_bot_starts(host: Prompt) -> None:
    """In its log, before anything else; here it cannot start, since its port is taken."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        with host.having(SKYWRIGHT_APPS_ULR=CANARY, SKYWRIGHT_APPS_LISTEN=listen).started("run") as bot:
            _, said = bot.communicate(timeout=60)

    assert "unknown_setting" in said
    assert "SKYWRIGHT_APPS_URL" in said
    assert CANARY not in said


def test_a_misspelt_setting_is_named_where_it_is_missed(prompt: Prompt, tmp_path: Path) -> None:
    """The one that is required is told as not set, so what stands in a file under another name is told beside it."""
    file = tmp_path / "bot.env"
    file.write_text(f"SKYWRIGHT_PASWORD={CANARY}\n")
    file.chmod(0o600)
    said = prompt.having(SKYWRIGHT_IDENTIFIER="wright.test").run("--env-file", str(file), "run")

    assert 78 == said.exit_code
    assert "SKYWRIGHT_PASSWORD: is not set" in said.stderr
    assert "SKYWRIGHT_PASWORD is no setting; SKYWRIGHT_PASSWORD is: write SKYWRIGHT_PASSWORD" in said.stderr
    assert CANARY not in said.output


def test_a_ledger_that_is_not_there_may_be_a_misspelt_one(
    ledger_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command then works on the default ledger, which is not there."""
    monkeypatch.chdir(tmp_path)
    said = Prompt({"SKYWRIGHT_DATABASE_ULR": "sqlite:///elsewhere.db"}).run("list")

    assert (78, True) == (
        said.exit_code,
        "SKYWRIGHT_DATABASE_ULR is no setting; SKYWRIGHT_DATABASE_URL is" in said.stderr,
    )


def test_a_setting_of_a_lane_is_none_of_the_bots_misspelt(ledger_url: str) -> None:
    """Both may stand in one environment."""
    assert [] == list(misspelt({f"{PREFIX}{name.upper()}": "" for name in Settings.model_fields}))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SKYWRIGHT_LANE_LISTN", Misspelt("SKYWRIGHT_LANE_LISTN", "SKYWRIGHT_LANE_LISTEN")),
        ("skywright_pasword", Misspelt("skywright_pasword", "SKYWRIGHT_PASSWORD")),
        ("skywright_password", None),
        ("SKYWRIGHT_TOKEN", None),
        ("SKYWRIGHT_TOKEN_FILE", None),
        ("SKYWRIGHT_SERVER", None),
        ("SKYWRITE_PASSWORD", Misspelt("SKYWRITE_PASSWORD", "SKYWRIGHT_PASSWORD")),
        ("SKYWRITE_FAVOURITE", None),
        ("SKYWRIGHT_CADDY_TLS", None),
        ("SKYWRIGHT_APPS_HOST", None),
        ("SKYLINE_URL", None),
    ],
)
def test_names_that_are_no_settings(ledger_url: str, name: str, expected: Misspelt | None) -> None:
    """Case does not matter, as to the settings themselves; what clusters and commands put there is left alone."""
    assert ([expected] if expected else []) == list(misspelt({name: ""}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SKYWRIGHT_SERVICE_HOST", "10.96.0.11"),
        ("SKYWRIGHT_SERVICE_PORT", "8100"),
        ("SKYWRIGHT_BOT_SERVICE_PORT_APPS", "8100"),
        ("SKYWRIGHT_PORT", "tcp://10.96.0.11:8100"),
        ("SKYWRIGHT_BOT_PORT", "udp://10.96.0.11:8100"),
        ("SKYWRIGHT_BOT_PORT_8100_TCP", "tcp://10.96.0.11:8100"),
        ("SKYWRIGHT_BOT_PORT_8100_TCP_PROTO", "tcp"),
        ("SKYWRIGHT_PORT_8100_TCP_PORT", "8100"),
        ("SKYWRIGHT_PORT_8100_SCTP_ADDR", "10.96.0.11"),
    ],
)
def test_what_a_cluster_says_of_a_service_is_no_setting(ledger_url: str, name: str, value: str) -> None:
    """Whatever the service is called, as long as its name begins as ours do."""
    assert [] == list(misspelt({name: value}))


@pytest.mark.parametrize(
    "name",
    [
        *("SKYWRIGHT_PORT", "SKYWRIGHT_ADMIN_PORT", "SKYWRIGHT_APPS_PORT", "SKYWRIGHT_PORT_8100"),
        *("SKYWRIGHT_ADMIN_PORT_TCP", "SKYWRIGHT_PORT_8100_TCP_HOST"),
    ],
)
def test_a_port_that_somebody_meant_to_set_is_named(ledger_url: str, name: str) -> None:
    """A cluster writes an address of a service there, and no number."""
    assert [name] == [wrong.name for wrong in misspelt({name: "8102"})]

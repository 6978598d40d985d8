"""`skywright init` by flags: what it writes, what it refuses, and what it changes when it is run again."""

import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.rules import load_rules
from bot.sandbox.faults import Fault
from bot.sandbox.state import PROFILE
from bot.terminal.init_places import apps_names_found, name_found
from guardrails.rules import Approval
from tests.bot.terminal.prompt import CANARY, Prompt
from tests.bot.terminal.setting_up import LOGIN, MADE, OWN_PASSWORD, Folder, folder

__all__ = ["folder"]
PUT = "com.atproto.repo.putRecord"


def flat(told: str) -> str:
    """Words that were folded into a box, in a line."""
    return " ".join(told.replace("│", " ").split())


def test_flags_are_enough(folder: Folder) -> None:
    """One login; files for nobody else to read, but the rules; who asks first waits; the profile says what it is."""
    result = folder.by_flags()
    rules, (profile,) = load_rules(folder.path / "guardrails.toml"), folder.network.repo(folder.account.did, PROFILE)

    assert (0, "", 1) == (result.exit_code, result.stderr, folder.logins)
    assert MADE == folder.files()
    assert {name: 0o644 if name == "guardrails.toml" else 0o600 for name in MADE} == {
        name: folder.mode(name) for name in MADE
    }
    assert (Approval.FIRST_TIME, 5) == (rules.approval.policy, rules.money.day_usd)
    assert ("Bot operator: ops@wright.example", [{"val": "bot"}]) == (
        profile["value"]["description"],
        profile["value"]["labels"]["values"],
    )
    assert {
        "SKYWRIGHT_IDENTIFIER": folder.account.did,
        "SKYWRIGHT_PASSWORD": CANARY,
        "SKYWRIGHT_RULES": f"{folder.path}/guardrails.toml",
        "SKYWRIGHT_DATABASE_URL": f"sqlite:///{folder.path}/skywright.db",
    }.items() <= folder.settings().items()


def test_the_session_is_kept_and_the_doctor_has_nothing_to_say(folder: Folder) -> None:
    """But for the listeners of a bot that does not run yet, and the lane that has not come by."""
    folder.by_flags(SKYWRIGHT_ALERT_URL=f"http://127.0.0.1:1/{CANARY}")
    told = Prompt().run("--env-file", "skywright.env", "doctor").stdout.splitlines()

    wrong = {line[6:22].strip() for line in told if not line.startswith("ok ")}
    assert {"admin listener", "apps listener", "app hosts", "lane listener", "lanes"} == wrong
    assert 1 == folder.logins


def test_no_secret_is_shown(folder: Folder) -> None:
    """Neither the password nor the webhook, the session key or the lane's token."""
    result = folder.by_flags(SKYWRIGHT_ALERT_URL=f"http://127.0.0.1:1/{CANARY}")

    assert 0 == result.exit_code
    for secret in (
        CANARY,
        folder.settings()["SKYWRIGHT_SESSION_KEY"],
        folder.settings("lane.env")["SKYWRIGHT_LANE_TOKEN"],
    ):
        assert secret not in result.output


@pytest.mark.parametrize("way", ["--password-stdin", "--password-file"])
def test_the_password_comes_by_a_file_or_standard_input(folder: Folder, tmp_path: Path, way: str) -> None:
    """And in a new settings file it is the one that was given, not one that lies about."""
    secret = tmp_path / "secret"
    secret.write_text(f"{CANARY}\n")
    secret.chmod(0o600)
    flags = ("init", "--yes", "--handle", "@Wright.test", "--contact", "me@wright.example")

    if way == "--password-file":
        result = folder.prompt.run(*flags, way, str(secret))
    else:
        result = folder.prompt.typing(f"{CANARY}\n", *flags, way)

    assert (0, CANARY) == (result.exit_code, folder.settings()["SKYWRIGHT_PASSWORD"])
    assert folder.account.did == folder.settings()["SKYWRIGHT_IDENTIFIER"]


@pytest.mark.parametrize("content", ["", "two\nlines", "x" * 1001], ids=["nothing", "lines", "long"])
def test_a_password_file_holds_one_password(folder: Folder, tmp_path: Path, content: str) -> None:
    """Told without what it holds; the network is not asked."""
    (tmp_path / "secret").write_text(content)

    result = folder.by_flags("--password-file", str(tmp_path / "secret"))

    assert (2, []) == (result.exit_code, folder.files())
    assert "holds no password" in flat(result.stderr)


def test_what_is_missing_is_named_at_once(folder: Folder) -> None:
    """All of it, before anything is asked of the network; and without --yes nobody is there."""
    missing, nobody = folder.prompt.run("init", "--yes"), folder.prompt.run("init")

    assert [2, 2] == [missing.exit_code, nobody.exit_code]
    for flag in ("--handle", "--password-stdin", "--contact"):
        assert flag in missing.stderr
    assert "--yes" in nobody.stderr
    assert ([], []) == (folder.files(), folder.network.calls)


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--handle", "wright"], "--handle: neither a handle"),
        (["--purse", "0"], "--purse: more than nothing"),
        (["--purse", "much"], "--purse: an amount"),
        (["--database", "mongodb://x/y"], "--database: it is kept in SQLite or PostgreSQL"),
        (["--database", "postgresql+psycopg://me:canary-7f3a9c@127.0.0.1:1/x"], "leave the password out"),
        (["--apps-url", "https://apps.example/below"], "--apps-url: "),
        (["--lane-url", "ftp://x"], "--lane-url: "),
        (["--domain", "https://example.org"], "--domain: "),
        (["--admin-listen", "8102"], "--admin-listen: "),
        (["--lanes", "github"], "--repository: as OWNER/NAME"),
        (["--contact", ""], "--contact: somebody has to answer"),
    ],
)
@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_an_answer_that_is_none_ends_it(folder: Folder, ledger_url: str, flags: list[str], told: str) -> None:
    """With its flag, and nothing is written."""
    result = folder.by_flags(*flags, SKYWRIGHT_DATABASE_URL=ledger_url)

    assert (2, []) == (result.exit_code, folder.files()), result.output
    assert told in result.stderr
    assert CANARY not in result.output


def test_a_handle_that_nobody_has(folder: Folder) -> None:
    """It costs no login."""
    result = folder.by_flags("--handle", "nobody.test")

    assert (1, [], 0) == (result.exit_code, folder.files(), folder.logins)
    assert "look at its spelling" in result.stdout


def test_a_wrong_password(folder: Folder) -> None:
    """One login, and an end."""
    result = folder.by_flags(SKYWRIGHT_PASSWORD=f"{CANARY}-wrong")

    assert (1, [], 1) == (result.exit_code, folder.files(), folder.logins)
    assert "Invalid identifier or password" in result.stdout
    assert CANARY not in result.output


def test_the_accounts_own_password_is_refused(folder: Folder) -> None:
    """By what its token may do; its session ends at the server, and it is said how to make another password."""
    result = folder.by_flags(SKYWRIGHT_PASSWORD=OWN_PASSWORD)

    assert (1, [], 1) == (result.exit_code, folder.files(), folder.logins)
    assert "the account's own password" in result.stdout
    assert "App passwords" in result.stdout
    assert [200] == [call.status for call in folder.network.calls_to("com.atproto.server.deleteSession")]


def test_a_second_factor_is_the_own_passwords(folder: Folder) -> None:
    """An app password needs none."""
    body = {"error": "AuthFactorTokenRequired", "message": "A sign in code has been sent to your email address"}
    folder.network.faults.append(Fault(LOGIN, "status", status=401, body=body))

    result = folder.by_flags(SKYWRIGHT_PASSWORD=OWN_PASSWORD)

    assert (1, []) == (result.exit_code, folder.files())
    assert "an app password needs none" in result.stdout
    assert "App passwords" in result.stdout


@pytest.mark.parametrize("name", ["nowhere/skywright.env", "file/skywright.env"])
def test_a_folder_that_cannot_be_written_to(folder: Folder, name: str) -> None:
    """It is told first of all."""
    (folder.path / "file").touch()

    result = folder.by_flags("--file", name)

    assert (1, ["file"], []) == (result.exit_code, folder.files(), folder.network.calls)
    assert "cannot be written to" in result.stderr


@pytest.mark.parametrize("name", ["skywright.env", "lane.env"])
def test_a_file_that_is_there_and_cannot_be_read(folder: Folder, name: str) -> None:
    """Nothing takes its place."""
    (folder.path / name).write_bytes(b"\xff\xfe")

    result = folder.by_flags()

    assert (1, [name], []) == (result.exit_code, folder.files(), folder.network.calls)
    assert f"{name} cannot be read: it is not UTF-8 text" in result.stderr


def test_a_profile_that_cannot_be_written_is_told_and_the_rest_stands(folder: Folder) -> None:
    """The command that does it later is named."""
    folder.network.faults.append(Fault(PUT, "status", status=503, times=9))

    result = folder.by_flags()

    assert (0, MADE) == (result.exit_code, folder.files())
    assert "`skywright --env-file skywright.env profile apply` tries it again" in result.stdout


def test_without_a_profile_nobody_needs_to_be_named(folder: Folder) -> None:
    given = folder.prompt.having(SKYWRIGHT_PASSWORD=CANARY)
    result = given.run("init", "--yes", "--handle", "wright.test", "--no-profile")

    assert (0, []) == (result.exit_code, folder.network.calls_to(PUT))
    assert "SKYWRIGHT_CONTACT" not in folder.settings()


def test_a_lane_on_githubs_runners(folder: Folder) -> None:
    """Whose they are is set as deploy/github has it; that nobody reaches this machine is told."""
    result = folder.by_flags("--lanes", "github", "--repository", "olga/lanes")

    assert (0, False) == (result.exit_code, "lane.env" in folder.files())
    assert {"SKYWRIGHT_GITHUB_REPOSITORY": "olga/lanes", "SKYWRIGHT_GITHUB_ENVIRONMENT": "skywright-lane"}.items() <= (
        folder.settings().items()
    )
    assert "from elsewhere nobody reaches" in result.stdout


def test_a_port_that_somebody_has(folder: Folder) -> None:
    """It is found out now and not by `run`."""
    taken = urlsplit(folder.prompt.env["SKYWRIGHT_PDS_URL"]).netloc

    result = folder.by_flags("--apps-listen", taken)

    assert (1, []) == (result.exit_code, folder.files())
    assert f"{taken} cannot be had: Address already in use" in result.stdout


def test_what_is_set_here_and_counts_before_the_file_is_told(folder: Folder) -> None:
    """`run` in this shell would not go by the file."""
    result = folder.by_flags("--admin-listen", f"127.0.0.1:{_free()}")

    assert "SKYWRIGHT_ADMIN_LISTEN is set to something else here" in result.stdout


@pytest.mark.postgres
@pytest.mark.parametrize("empty_url", ["postgresql"], indirect=True)
def test_an_empty_postgresql_gets_its_tables(folder: Folder, empty_url: str) -> None:
    """And keeps the session."""
    result = folder.by_flags(SKYWRIGHT_DATABASE_URL=empty_url)

    assert (0, False) == (result.exit_code, "skywright.db" in folder.files())
    assert ["ok"] == [line[:2] for line in result.stdout.splitlines() if " schema " in line]


def test_the_ledger_is_found_from_every_folder(folder: Folder) -> None:
    """Its file is written down with its whole path."""
    result = folder.by_flags("--database", "sqlite:///here.db")

    assert (0, f"sqlite:///{folder.path}/here.db") == (result.exit_code, folder.settings()["SKYWRIGHT_DATABASE_URL"])


def test_a_database_that_is_away(folder: Folder) -> None:
    """Its password is not told."""
    result = folder.by_flags(SKYWRIGHT_DATABASE_URL=f"postgresql+psycopg://me:{CANARY}@127.0.0.1:1/x")

    assert (1, [], True) == (result.exit_code, folder.files(), "does not answer" in result.stdout)
    assert CANARY not in result.output


@pytest.mark.parametrize(
    ("known", "states"),
    [
        ({"apps.wright.example": ["192.0.2.1"], "skywright-doctor.apps.wright.example": ["192.0.2.1"]}, ["ok", "ok"]),
        ({"apps.wright.example": ["192.0.2.1"]}, ["ok", "warn"]),
        ({"apps.wright.example": ["192.0.2.1"], "skywright-doctor.apps.wright.example": ["192.0.2.9"]}, ["ok", "warn"]),
        ({}, ["warn", "warn"]),
    ],
)
def test_what_dns_knows_of_the_apps(known: dict[str, list[str]], states: list[str]) -> None:
    """The domain itself, and any name below it: records that are missing are told."""
    found = list(apps_names_found("https://apps.wright.example", lambda host: known.get(host, [])))

    assert states == [finding.state for finding in found]
    assert all("*.apps.wright.example" in finding.mend for finding in found[1:] if finding.state == "warn")


@pytest.mark.parametrize(("known", "state"), [(["192.0.2.1"], "ok"), ([], "warn")])
def test_what_dns_knows_of_the_lanes(known: list[str], state: str) -> None:
    (finding,) = name_found("https://lane.wright.example", lambda _: known)

    assert state == finding.state


def _free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port: int = held.getsockname()[1]
        return port

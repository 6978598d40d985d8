"""The compose files: what Compose itself would refuse, what they rely on, and that a bot starts by what init leaves."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from bot.terminal.init_draft import LANE_NAME, LEDGER_NAME
from tests.deploy.composed import DEPLOY, WHOLE, loaded
from tests.deploy.part_lock import ROOT
from tests.missing import missing
from tests.network.fixtures import SECONDS
from tests.network.install import NotInstallable, install

COMPOSE = sorted(DEPLOY.glob("compose*.yaml"))
# Both names are wanted: what is built has one. The others are about the order of lines and about quotes.
UNWANTED = (
    "no-build-and-image",
    "no-quotes-in-volumes",
    "require-quotes-in-ports",
    "service-dependencies-alphabetical-order",
    "service-keys-order",
    "services-alphabetical-order",
    "top-level-properties-order",
)
Change = Callable[[Any], object]


def dclint(*files: Path) -> subprocess.CompletedProcess[str]:
    """What it says of compose files, which it holds to Compose's own schema."""
    try:
        npm = install(os.environ)
    except NotInstallable as error:
        missing(str(error))
    told: list[str | Path] = [npm.node, npm.packages / "dclint" / "bin" / "dclint.cjs", *files]
    told += ["--color=false", "--max-warnings", "0", "--disable-rule", *UNWANTED]
    return subprocess.run(told, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.timeout(SECONDS)
def test_dclint_finds_nothing() -> None:
    done = dclint(*COMPOSE)

    assert 2 == len(COMPOSE)
    assert (0, "") == (done.returncode, done.stdout.strip())


CARELESS: dict[str, tuple[Change, str]] = {
    "misspelt": (lambda it: it["services"]["bot"].update(read_onli=True), "invalid-schema"),
    "of another kind": (lambda it: it["services"]["bot"].update(pids_limit=[1]), "invalid-schema"),
    "open to others": (lambda it: it["services"]["bot"].update(ports=["8100:8100"]), "no-unbound-port-interfaces"),
    "any version": (lambda it: it["services"]["database"].update(image="postgres"), "explicit-tag"),
}


@pytest.mark.timeout(SECONDS)
def test_dclint_sees_what_would_go_wrong(tmp_path: Path) -> None:
    """Each in a file of its own."""
    files = {tmp_path / f"compose.{number}.yaml": told for number, told in enumerate(CARELESS.values())}
    for file, (change, _) in files.items():
        compose = loaded(WHOLE)
        change(compose)
        file.write_text(yaml.safe_dump(compose))
    done = dclint(*files)

    assert 1 == done.returncode
    said = dict(zip(files, done.stdout.split("\n\n"), strict=False))
    assert [] == [file.name for file, (_, rule) in files.items() if rule not in said[file]], done.stdout


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.name)
def test_compose_s_services_are_shut_in(file: Path) -> None:
    """What each relies on, since no engine is here to ask; and that no port is open to other machines."""
    compose = loaded(file)
    for name, service in compose["services"].items():
        assert service["read_only"], name
        assert ["ALL"] == service["cap_drop"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert {"mem_limit", "pids_limit"} <= set(service), name
        assert all(str(port).startswith("127.0.0.1:") for port in service.get("ports", ())), name
        build = service.get("build")
        assert build is None or (file.parent / build["context"] / build["dockerfile"]).is_file(), name
        for option in service["security_opt"]:
            kind, _, path = option.partition(":")
            assert kind != "seccomp" or (file.parent / path).is_file(), name


def test_compose_keeps_the_lane_from_the_database() -> None:
    """They share no network, the database's leads nowhere, and the ledger is migrated before the bot begins."""
    compose = loaded(WHOLE)
    services = compose["services"]
    networks = {name: set(service["networks"]) for name, service in services.items()}

    assert set() == networks["lane"] & networks["database"]
    assert networks["database"] == {"database"}
    assert compose["networks"]["database"]["internal"]
    assert {
        "migrate": {"condition": "service_completed_successfully"},
        "database": {"condition": "service_healthy"},
    } == (services["bot"]["depends_on"])
    assert set().union(*networks.values()) == set(compose["networks"])


def test_git_leaves_out_what_is_set_up_in_a_clone(tmp_path: Path) -> None:
    """What compose.yaml is given, and what `init` and `backup` leave: whoever adds all that there is adds no secret."""
    bot, lane = (loaded(WHOLE)["services"][name] for name in ("bot", "lane"))
    given = [*bot["env_file"], *lane["env_file"], ".env", "bot/guardrails.toml"]
    left = [
        "skywright.env",
        LANE_NAME,
        LEDGER_NAME,
        f"{LEDGER_NAME}-wal",
        f"{LEDGER_NAME}.replaced-1",
        "backups/1.dump",
    ]
    secret = [*(f"deploy/{name}" for name in given), *left]
    ours = ["deploy/env.example", "deploy/caddy/caddy.env", "deploy/guardrails.example.toml"]
    (tmp_path / ".gitignore").write_text((ROOT / ".gitignore").read_text())
    for name in (*secret, *ours):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    git = ["/bin/sh", "-ec", "git init --quiet; git add --verbose ."]
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    added = subprocess.run(git, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout

    assert {f"add '{name}'" for name in (".gitignore", *ours)} == set(added.splitlines())

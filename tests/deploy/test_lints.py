"""Lints of what is deployed: container files, the cluster's files, compose files, shell scripts."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml  # type: ignore[import-untyped]
from pydantic_settings import BaseSettings

from bot.settings import Settings
from builder.settings import Settings as LaneSettings
from guardrails.rules import Approval, read_rules
from tests.deploy.part_lock import ROOT

BIN = Path(sys.executable).parent
DEPLOY = ROOT / "deploy"
MANIFESTS = sorted([*(DEPLOY / "kubernetes").glob("*.yaml"), DEPLOY / "kubernetes" / "secrets.yaml.example"])
COMPOSE = sorted(DEPLOY.glob("compose*.yaml"))
# What KEDA's own schema knows of a ScaledJob and of a trigger; what is misspelt there is dropped without a word.
SCALED_JOB = {"jobTargetRef", "pollingInterval", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"} | {
    "maxReplicaCount",
    "minReplicaCount",
    "scalingStrategy",
    "rollout",
    "triggers",
    "envSourceContainerName",
}
# The calls of the kernel with which a host is changed or another process read: no lane has a use for them.
REFUSED = {"mount", "umount2", "pivot_root", "bpf", "ptrace", "init_module", "finit_module", "kexec_load", "keyctl"} | {
    "io_uring_setup",
    "perf_event_open",
    "process_vm_readv",
    "open_by_handle_at",
    "userfaultfd",
    "reboot",
    "settimeofday",
}
NAMESPACES = {"clone", "clone3", "unshare", "chroot"}


def documents(*files: Path) -> Iterator[Any]:
    for file in files:
        yield from yaml.safe_load_all(file.read_text(encoding="utf-8"))


def of_kind(kind: str) -> list[Any]:
    return [each for each in documents(*MANIFESTS) if each["kind"] == kind]


def pods() -> Iterator[Any]:
    """The pod of each workload."""
    yield from (each["spec"]["template"] for kind in ("Deployment", "Job") for each in of_kind(kind))
    yield from (each["spec"]["jobTargetRef"]["template"] for each in of_kind("ScaledJob"))


def test_hadolint_finds_nothing() -> None:
    files = sorted((DEPLOY / "containers").glob("*.Dockerfile"))
    done = subprocess.run([BIN / "hadolint", *files], capture_output=True, text=True, timeout=60, check=False)

    assert 2 == len(files)
    assert (0, "") == (done.returncode, done.stdout)


def test_shellcheck_finds_nothing() -> None:
    """In every shell script that git knows, by name or by first line."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, timeout=30, check=True)
    scripts = [name for name in listed.stdout.split("\0") if name and _is_shell(ROOT / name)]
    done = subprocess.run(
        [BIN / "shellcheck", *scripts], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )

    assert ".ci/run" in scripts
    assert (0, "") == (done.returncode, done.stdout)


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.name)
def test_the_cluster_s_files_fit_its_api(file: Path) -> None:
    """Strictly: what the API does not know is a mistake. Of KEDA's kind the job within, and the names around it."""
    for each in documents(file):
        validated = each
        if each["kind"] == "ScaledJob":
            assert set(each["spec"]) <= SCALED_JOB
            job = each["spec"]["jobTargetRef"]
            validated = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}, "spec": job}
        kubernetes_validate.validate(validated, kubernetes_validate.latest_version(), strict=True)


def test_every_pod_is_restricted() -> None:
    """As the namespace demands, and with nothing to write to but its volumes."""
    for pod in pods():
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert spec["securityContext"]["seccompProfile"]["type"] in ("RuntimeDefault", "Localhost")
        assert not spec["automountServiceAccountToken"]
        # Else a Service's name would be a setting.
        assert not spec["enableServiceLinks"]
        for container in spec["containers"]:
            demanded = {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert demanded == container["securityContext"]
            assert "memory" in container["resources"]["limits"]


def test_a_lane_reaches_the_bot_s_lane_listener_and_no_database() -> None:
    """All that a policy allows to its pods; names aside, which everybody may look up."""
    lane = {"app.kubernetes.io/component": "lane"}
    rules = [
        (rule.get("to"), [port["port"] for port in rule["ports"]])
        for policy in of_kind("NetworkPolicy")
        if policy["spec"]["podSelector"].get("matchLabels") == lane
        for rule in policy["spec"].get("egress", ())
    ]
    [bot, outside] = rules
    [block] = outside[0]
    deny = next(each["spec"] for each in of_kind("NetworkPolicy") if each["metadata"]["name"] == "default-deny")

    assert {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]} == deny
    assert ([{"podSelector": {"matchLabels": {"app.kubernetes.io/component": "bot"}}}], [8101]) == bot
    assert [443] == outside[1]
    assert {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"} <= set(block["ipBlock"]["except"])


def test_what_the_cluster_sets_is_a_setting() -> None:
    """And the rules that it holds are rules."""
    shapes: dict[str, type[BaseSettings]] = {"bot": Settings, "lane": LaneSettings}
    for each in (*of_kind("ConfigMap"), *of_kind("Secret")):
        shape = shapes.get(each["metadata"]["name"])
        given = each.get("data") or each["stringData"]
        if shape is None:
            assert [["guardrails.toml"]] == [list(given)]
            assert Approval.FIRST_TIME is read_rules(given["guardrails.toml"]).approval.policy
            continue
        prefix = shape.model_config["env_prefix"]
        assert {name.removeprefix(prefix).lower() for name in given} <= set(shape.model_fields)


def test_the_scaler_reads_what_the_bot_tells() -> None:
    """From the address that the admin listener is known by, at a field of its health."""
    [job], [bot, *_] = of_kind("ScaledJob"), of_kind("ConfigMap")
    [trigger] = job["spec"]["triggers"]
    health = (ROOT / "bot" / "api" / "health.py").read_text(encoding="utf-8")

    assert "metrics-api" == trigger["type"]
    assert f"{bot['data']['SKYWRIGHT_ADMIN_URL']}/health" == trigger["metadata"]["url"]
    assert f'"{trigger["metadata"]["valueLocation"]}"' in health


@pytest.mark.parametrize("file", COMPOSE, ids=lambda file: file.name)
def test_compose_s_services_are_shut_in(file: Path) -> None:
    """What each relies on, since no engine is here to ask; and that no port is open to other machines."""
    [compose] = documents(file)
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
    [compose] = documents(DEPLOY / "compose.yaml")
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


def test_the_lane_s_seccomp_profile_allows_a_sandbox_and_nothing_of_a_host_s() -> None:
    """It names what it allows; what a newer kernel has besides is refused."""
    profile = json.loads((DEPLOY / "containers" / "lane-seccomp.json").read_text(encoding="utf-8"))
    [rule] = profile["syscalls"]

    assert ("SCMP_ACT_ERRNO", "SCMP_ACT_ALLOW") == (profile["defaultAction"], rule["action"])
    assert set(rule["names"]) >= NAMESPACES
    assert set() == REFUSED & set(rule["names"])


def test_no_file_switches_a_sandbox_off() -> None:
    files = [*(DEPLOY / "containers").iterdir(), *COMPOSE, *MANIFESTS]
    careless = re.compile(
        r"no-sandbox|BROWSER_SANDBOX=off|BROWSER_SANDBOX: .?off|privileged: true|--privileged|ISOLATION.*none"
    )

    assert [] == [file.name for file in files if careless.search(file.read_text(encoding="utf-8"))]


def _is_shell(file: Path) -> bool:
    if file.suffix == ".sh" or not file.is_file():
        return file.suffix == ".sh"
    with file.open("rb") as content:
        return re.match(rb"#!.*\b(sh|bash)\b", content.readline(100)) is not None

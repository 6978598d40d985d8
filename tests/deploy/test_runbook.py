"""The runbook knows every alert, every condition and every line of the doctor, and says nothing that there is not."""

import ast
import re
import shlex
from collections import Counter
from collections.abc import Iterator

import pytest
import yaml  # type: ignore[import-untyped]

from bot.alerting import KNOWN, UNTOLD
from bot.ledger import piles
from tests.bot.terminal.commands import APPS, is_whole
from tests.deploy.part_lock import ROOT
from tests.drills.__main__ import drills
from tests.drills.runbook import RUNBOOK, anchor_of, lines_of, parts_of, sections

ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
DOCTOR = sorted((ROOT / "bot" / "terminal").glob("doctor*.py"))
OF_TABLES = {"which-section", "running-it-and-what-to-do-at-three-in-the-morning"}
# Programs of the systems that it runs on.
ELSEWHERE = {"systemctl", "journalctl", "timedatectl", "resolvectl", "df", "du", "ss", "cat", "pip", "psql", "sudoedit"}
_ROW = re.compile(r"^\| ([^|]+) \| (.+) \|$", re.MULTILINE)


def rows(heading: str) -> dict[str, str]:
    """One of the tables of names: where each leads, as it is written."""
    (table,) = re.findall(
        rf"^\| {heading} \| look at \|\n\|---\|---\|\n((?:\|.*\n)+)", RUNBOOK.read_text(), re.MULTILINE
    )
    found = [(name, place) for names, place in _ROW.findall(table) for name in names.split(", ")]
    assert [] == [name for name, n in Counter(name for name, _ in found).items() if n > 1]
    return dict(found)


def doctor_lines() -> set[str]:
    """What the doctor calls its lines, read from its code; of what is put together, the word that it begins with."""
    return {name for file in DOCTOR for name in _names(ast.parse(file.read_text()))}


def _names(tree: ast.Module) -> Iterator[str]:
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Name) and call.func.id in ("ok", "warn", "fail", "_told", "_given_away"):
                yield from _first_word(call.args[0], function)


def _first_word(argument: ast.expr, function: ast.FunctionDef) -> Iterator[str]:
    match argument:
        case ast.Constant(value=str(name)):
            yield name
        case ast.JoinedStr(values=[ast.Constant(value=str(name)), *_]):
            yield name.strip()
        case ast.Name(id="name"):
            for each in ast.walk(function):
                match each:
                    case ast.Assign(targets=[ast.Name(id="name")], value=ast.Constant(value=str(name))):
                        yield name
                    case ast.Assign(
                        targets=[ast.Tuple(elts=[ast.Name(id="name"), *_])],
                        value=ast.Tuple(elts=[ast.Constant(value=str(name)), *_]),
                    ):
                        yield name


def test_every_alert_of_prometheus_has_its_section() -> None:
    rules = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    told = {rule["alert"]: rule["annotations"]["section"] for rule in rules}
    written = {name: re.findall(r"\]\((#[^)]+)\)", place) for name, place in rows("alert of Prometheus").items()}

    assert written.keys() == told.keys()
    assert {
        name: f"deploy/README.md{place[0] if place else '#which-section'}" for name, place in written.items()
    } == told


def test_every_alert_of_the_bot_has_its_section() -> None:
    assert {*KNOWN, *UNTOLD, *piles.NAMES} == rows("alert of the bot's own, or condition").keys()


def test_every_line_of_the_doctor_has_its_section() -> None:
    assert doctor_lines() == rows("line of the doctor").keys()


def test_every_link_leads_somewhere() -> None:
    """Within the page, and to files beside it; and whatever is beside it is named."""
    text = RUNBOOK.read_text()
    links = set(re.findall(r"\]\(([^)]+)\)", text))
    within = {link.removeprefix("#") for link in links if link.startswith("#")}
    files = {link.partition("#")[0] for link in links} - {""}
    beside = {entry.name for entry in RUNBOOK.parent.iterdir()} - {RUNBOOK.name}

    assert set() == within - sections().keys()
    assert [] == [name for name in files if not (RUNBOOK.parent / name).exists()]
    assert set() == beside - {name.partition("/")[0] for name in files}
    assert sections().keys() - OF_TABLES - within == set()


@pytest.mark.parametrize("anchor", sections().keys() - {"which-section"})
def test_a_section_begins_with_commands_that_there_are(anchor: str) -> None:
    """Those within its sentences, too."""
    lines = lines_of(anchor)
    within = re.findall(r"`((?:skywright|skywright-builder) [^`…]+)`", sections()[anchor])

    assert lines
    for line in [*lines, *within]:
        program = shlex.split(line)[0].rpartition("/")[2]
        assert program in ELSEWHERE | {"git", "install"} or (program in APPS and is_whole(line)), line


def test_the_clock_s_section_has_every_line_of_the_log_that_a_jump_leaves() -> None:
    """Whoever finds one in the log finds here what it says."""
    tree = ast.parse((ROOT / "bot" / "jumps.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    events = {ast.literal_eval(call.args[0]) for call in calls if ast.unparse(call.func) in ("log.info", "log.warning")}

    assert {"clock_jumped", "machine_slept"} == events
    assert [] == [event for event in events if f"`{event}`" not in sections()["clock-jumped"]]


def test_every_section_is_carried_out_by_tests_that_there_are() -> None:
    """By the list that `make drills` goes by."""
    named = [tests.partition("::") for of_section in drills().values() for tests in of_section.values()]

    assert sections().keys() - OF_TABLES == drills().keys()
    for file, _, test in named:
        text = (ROOT / file).read_text()
        assert not test or f"\ndef {test}(" in text, (file, test)


def test_every_key_that_may_leak_has_a_drill_of_its_name() -> None:
    """As its part of the section begins."""
    tree = ast.parse((ROOT / "tests" / "drills" / "keys_leaked.py").read_text())
    drilled = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
    parts = [part.partition(",")[0].lower().replace("'", "") for part in parts_of("key-leaked")]

    assert {f"test_{part.replace(' ', '_')}" for part in parts} == drilled


def test_an_anchor_is_what_github_makes_of_a_heading() -> None:
    assert ("several-bots-no-rounds", "dns-gone") == (anchor_of("Several bots, no rounds"), anchor_of("DNS gone"))

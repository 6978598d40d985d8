"""The alert rules and the dashboard go by metrics, labels, values and commands that there are."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from bot.metrics.catalogue import CATALOGUE, PROCESS, Kind
from guardrails.transitions import Reason, Status
from tests.bot.terminal.commands import is_command
from tests.deploy.part_lock import ROOT

RULES = ROOT / "deploy" / "prometheus" / "alerts.yml"
SCRAPE = ROOT / "deploy" / "prometheus" / "scrape.example.yml"
DASHBOARD = ROOT / "deploy" / "grafana" / "skywright.json"
# What Prometheus puts on every series, and what the tests of histograms and of its own target look at.
OF_PROMETHEUS = {"job", "instance", "le"}
SERIES = {
    "up": set(),
    **{name: set() for name in PROCESS},
    **{metric.name: set(metric.labels) for metric in CATALOGUE if metric.kind is not Kind.HISTOGRAM},
    **{
        f"{metric.name}_{part}": set(metric.labels)
        for metric in CATALOGUE
        if metric.kind is Kind.HISTOGRAM
        for part in ("bucket", "sum", "count")
    },
}
VALUES = {"status": {*Status, "2xx", "3xx", "4xx", "5xx", "none"}, "reason": set(Reason)}
_FUNCTIONS = {"absent", "by", "count", "histogram_quantile", "increase", "max", "or", "rate", "sum", "vector"}
_SELECTOR = re.compile(r"([a-z_]\w*)\s*(\{[^}]*\})?")


def faults(expression: str) -> Iterator[str]:
    """What in a query names a series, a label or a value that there is not."""
    by = {label for group in re.findall(r"\bby \(([^)]*)\)", expression) for label in re.split(r",\s*", group)}
    known = set(OF_PROMETHEUS)
    rest = re.sub(r"\bby \([^)]*\)|\[[^\]]*\]|\$\w+", "", expression)
    for name, selected in _SELECTOR.findall(re.sub(r"\b\d[\d.e]*\b", "", rest)):
        if name in _FUNCTIONS:
            continue
        if name not in SERIES:
            yield f"there is no {name}"
            continue
        known |= SERIES[name]
        for label, value in re.findall(r'(\w+)\s*(?:=~|!=|!~|=)\s*"([^"]*)"', selected):
            if label not in SERIES[name] | OF_PROMETHEUS:
                yield f"{name} has no label {label}"
            yield from (f"{label} is never {one}" for one in value.split("|") if one not in VALUES.get(label, {one}))
    yield from (f"nothing here has a label {label}" for label in by - known)


def panels() -> list[dict[str, Any]]:
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


RULE_LIST = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("rule", RULE_LIST, ids=lambda rule: rule["alert"])
def test_an_alert_rule_goes_by_what_there_is(rule: dict[str, Any]) -> None:
    """And says what it means, which command shows it, and what to do."""
    told = rule["annotations"]
    labels = {label for text in told.values() for label in re.findall(r"\$labels\.(\w+)", text)}

    assert [] == list(faults(rule["expr"]))
    assert {"summary", "command", "runbook", "section"} == told.keys()
    assert all(len(text) > 10 and "\n" not in text for text in told.values())
    assert is_command(told["command"]), told["command"]
    assert all(is_command(f"skywright {name}") for name in re.findall(r"\bskywright ([a-z]+)", told["runbook"]))
    assert labels <= set(re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", rule["expr"]))))
    assert rule["labels"]["severity"] in ("page", "ticket")


def test_the_rules_are_named_once_and_are_read_by_the_example() -> None:
    names = [rule["alert"] for rule in RULE_LIST]
    scrape = yaml.safe_load(SCRAPE.read_text())

    assert sorted(set(names)) == sorted(names)
    assert ["alerts.yml"] == scrape["rule_files"]
    assert ["skywright"] == [job["job_name"] for job in scrape["scrape_configs"]]


def test_what_is_counted_by_reason_is_added_up_where_only_the_status_is_told() -> None:
    """Of several bots the one that has counted most is taken, but of several reasons none alone."""
    told = [rule["expr"] for rule in RULE_LIST]
    told += [target["expr"] for panel in panels() for target in panel["targets"]]
    by_status = [query for query in told if "skywright_moves_total" in query and "max by (status)" in query]

    assert by_status
    assert all("sum by (instance, status)" in query for query in by_status)


@pytest.mark.parametrize("panel", panels(), ids=lambda panel: panel["title"])
def test_a_panel_goes_by_what_there_is(panel: dict[str, Any]) -> None:
    """With words for what it shows, and the data source that its reader has chosen."""
    assert panel["description"].endswith(".")
    assert panel["targets"]
    assert [] == [fault for target in panel["targets"] for fault in faults(target["expr"])]
    assert {"${source}"} == {target["datasource"]["uid"] for target in panel["targets"]}
    labels = {label for target in panel["targets"] for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])}
    assert all(
        re.search(rf"\b{label}\b", panel["targets"][0]["expr"]) or label in ("instance", "name") for label in labels
    )


def test_the_panels_lie_beside_each_other() -> None:
    """None over another, none off the grid."""
    taken: set[tuple[int, int]] = set()
    everything = json.loads(DASHBOARD.read_text())["panels"]
    for panel in everything:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not taken & cells, panel["title"]
        taken |= cells
    assert len(everything) == len({panel["id"] for panel in everything})


@pytest.mark.parametrize(
    "expression",
    [
        "max(skywright_nothing)",
        "skywright_reply_seconds",
        'skywright_pile{heap="x"}',
        'skywright_moves_total{status="exploded"}',
        "max by (pile) (skywright_documents)",
    ],
)
def test_what_there_is_not_is_found(expression: str) -> None:
    """The checks above would see it."""
    assert 1 == len(list(faults(expression)))

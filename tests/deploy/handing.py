"""What the job that nobody trusts leaves to the next one, as a test wants it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from builder.handover import Built, hand_over, read_claim
from guardrails.wire import BuildOutcome, Claim, Report
from tests.deploy.actions import Run
from tests.deploy.conftest import Lane

PAGE = b"<!doctype html><html lang=en><meta charset=utf-8><title>Wheel</title><h1>Pizza or sushi</h1></html>"
Tamper = Callable[[Path], None]


def claimed(lane: Lane, run: Run) -> Claim:
    """The claim that the first job has made."""
    lane.through(run, "claim")
    [(_, folder)] = run.artifacts.values()
    return read_claim(folder / "claim.json")


def hands_over(run: Run, claim: Claim, tamper: Tamper = lambda _: None) -> None:
    """The second job has left a page, or what it was talked into."""
    built = run.place / "made"
    report = Report(outcome=BuildOutcome.DONE, title="Wheel", generator="template")
    hand_over(claim, Built(report, {"index.html": PAGE}), built)
    tamper(built)
    kept = run.place / "artifacts" / "1001"
    shutil.copytree(built, kept, symlinks=True)
    run.artifacts["1001"] = "built", kept
    run.lose("build", artifact="1001")


def manifest_of(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())


def change(folder: Path, **fields: object) -> None:
    (folder / "manifest.json").write_text(json.dumps(manifest_of(folder) | fields))

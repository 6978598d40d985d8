"""Runs the drills of the runbook one after the other, and prints what came of each; a skip is not green."""

import argparse
import subprocess
import sys
import time
import tomllib
from collections import Counter

from tests.deploy.part_lock import ROOT

DRILLS = ROOT / "deploy" / "drills" / "drills.toml"
OK = "ok"
QUIET = ("-q", "--no-header", "-p", "no:cacheprovider")


def drills() -> dict[str, dict[str, str]]:
    """By the sections of the runbook: what is drilled, and the tests that do it."""
    return tomllib.loads(DRILLS.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.drills", description=__doc__)
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help="only these, as links into the runbook have them"
    )
    wanted, found = parser.parse_args().sections, drills()
    unknown = set(wanted) - found.keys()
    if unknown:
        parser.error(f"there is no section {', '.join(sorted(unknown))}")
    came = Counter[str]()
    for section in wanted or found:
        print(f"\n{section}")
        came.update(_outcome(told, tests) for told, tests in found[section].items())
    print("\n" + (", ".join(f"{came[state]} {state}" for state in sorted(came)) if set(came) - {OK} else "all green"))
    return 1 if set(came) - {OK} else 0


def _outcome(told: str, tests: str) -> str:
    begun = time.monotonic()
    command = [sys.executable, "-m", "pytest", *QUIET, tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    tally = (done.stdout.strip().splitlines() or [""])[-1]
    state = "FAILED" if done.returncode else "skipped" if " skipped" in tally or " passed" not in tally else OK
    print(f"  {state:<7} {time.monotonic() - begun:4.0f} s  {told}: {tests}", flush=True)
    if state != OK:
        print(done.stdout + done.stderr, flush=True)
    return state


if __name__ == "__main__":
    sys.exit(main())

"""Runs the drills of the runbook one after the other, and prints the list with what came of each."""

import argparse
import subprocess
import sys
import time
import tomllib

from tests.deploy.part_lock import ROOT

DRILLS = ROOT / "deploy" / "drills" / "drills.toml"
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
    failed = 0
    for section in wanted or found:
        print(f"\n{section}")
        failed += sum(not _passes(told, tests) for told, tests in found[section].items())
    print(f"\n{failed} failed" if failed else "\nall green")
    return 1 if failed else 0


def _passes(told: str, tests: str) -> bool:
    begun = time.monotonic()
    command = [sys.executable, "-m", "pytest", *QUIET, tests]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    tally = (done.stdout.strip().splitlines() or [""])[-1]
    fine = done.returncode == 0
    state = "FAILED" if not fine else "ok" if " passed" in tally else "skipped"
    print(f"  {state:<7} {time.monotonic() - begun:4.0f} s  {told}: {tests}", flush=True)
    if state != "ok":
        print(done.stdout + done.stderr, flush=True)
    return fine


if __name__ == "__main__":
    sys.exit(main())

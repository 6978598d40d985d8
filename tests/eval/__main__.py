"""How a generator does on the forty asks: python -m tests.eval --generator template [--repairs 2] [--json].

Models, keys, the command and the browser are those of the lane's settings: SKYWRIGHT_LANE_….
"""

import argparse
import io
import json
import os
import sys
from dataclasses import asdict
from typing import get_args

from builder.errors import BadSettings, LaneUnfit
from builder.logs import make_log
from builder.main import no_bot
from builder.settings import BuildSettings, read_settings
from builder.wiring.parts import open_tools
from guardrails.text import visible
from tests.browser import NoChromium, started_chromium
from tests.eval.asks import cases
from tests.eval.score import Result, Score, evaluate

GENERATORS = get_args(BuildSettings.model_fields["generator"].annotation)


def main() -> int:
    """Run them all; 0 whatever the score is, 78 for wrong settings, 69 when a part is missing here."""
    told = _arguments()
    log = make_log(sys.stderr if told.log else io.StringIO(), as_json=False)
    try:
        settings = read_settings(BuildSettings).model_copy(
            update={"generator": told.generator, "repairs": told.repairs, "publisher": "hosted"}
        )
        with no_bot() as client, open_tools(settings, client) as tools, started_chromium() as browser:
            tell = _tell if not told.json else lambda _: None
            score = evaluate(cases(), tools, browser, log, told.parallel, tell)
    except BadSettings as problem:
        print(problem, file=sys.stderr)
        return os.EX_CONFIG
    except (LaneUnfit, NoChromium) as missing:
        print(missing, file=sys.stderr)
        return os.EX_UNAVAILABLE
    print(_as_json(score) if told.json else f"{score.spent}\n{score.summary}")
    return 0


def _tell(result: Result) -> None:
    ending = "ok" if result.problem is None else f"failed: {visible(result.problem)}"
    repaired = f" after {result.repairs} repairs" if result.repairs else ""
    print(f"{result.seconds:7.2f} s  {visible(result.ask)[:60]:60}  {ending}{repaired}", flush=True)


def _as_json(score: Score) -> str:
    return json.dumps({
        "generator": score.generator,
        "first_try_percent": score.first_try,
        "after_repair_percent": score.after_repair,
        "results": [asdict(result) for result in score.results],
    })  # fmt: skip


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.eval", description=__doc__)
    parser.add_argument("--generator", choices=GENERATORS, default="template")
    parser.add_argument("--repairs", type=int, choices=range(11), metavar="0…10", default=2)
    parser.add_argument(
        "--parallel", type=int, choices=range(1, 33), metavar="1…32", default=2, help="builds at a time"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document in place of the lines")
    parser.add_argument("--log", action="store_true", help="the lane's own log on standard error")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

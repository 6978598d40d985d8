"""Runs a network in the foreground: one JSON line says where it is, SIGINT or SIGTERM stops it."""

import argparse
import json
import os
import signal
import sys
from dataclasses import asdict
from types import FrameType

from tests.network.install import NotInstallable, install
from tests.network.process import running_node
from tests.postgres import running_postgres


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate-limits", action="store_true", help="turn the PDS's rate limits on")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    try:
        installed = install(os.environ)
        with (
            running_postgres() as server,
            running_node(installed, server, rate_limits=arguments.rate_limits) as endpoints,
        ):
            print(json.dumps(asdict(endpoints)), flush=True)
            signal.signal(signal.SIGCHLD, _note)  # without a handler it would not end the pause
            signal.pause()
            print("a part of the network has ended", file=sys.stderr)
    except NotInstallable as error:
        print(error, file=sys.stderr)
    except KeyboardInterrupt:
        return 0
    return 1


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _note(_number: int, _frame: FrameType | None) -> None:
    return


if __name__ == "__main__":
    sys.exit(main())

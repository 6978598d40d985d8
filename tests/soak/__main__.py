"""The soak at any length: python -m tests.soak --mentions 300 --seed 1 [--bots 3 --lanes 8 --pooler --restarts 5]."""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

from tests.network.install import NotInstallable, install
from tests.network.net import running_network
from tests.pooler import PoolerUnavailable, running_pooler
from tests.postgres import PostgresUnavailable, running_postgres
from tests.soak.soak import Database, Plan, report, soak


def main() -> int:
    """Run it on a network of its own; 0 when it was good, 69 when a part is missing here."""
    told = _arguments()
    on_postgresql = told.ledger == "postgresql" or told.bots > 1 or told.pooler or told.restarts
    try:
        installed = install(os.environ)
        with (
            running_postgres() as server,
            running_network(installed, server) as network,
            _database(pooled=told.pooler) if on_postgresql else nullcontext() as database,
            _folder(told.keep) as folder,
        ):
            plan = Plan(told.mentions, told.seed, told.bots, told.lanes, database, told.restarts)
            outcome = soak(plan, network, folder)
    except (NotInstallable, PostgresUnavailable, PoolerUnavailable) as missing:
        print(missing, file=sys.stderr)
        return os.EX_UNAVAILABLE
    report(outcome)
    return 1 if outcome.problems else 0


@contextmanager
def _database(*, pooled: bool) -> Iterator[Database]:
    """The ledger's, on a server of its own, which comes back after each end; the network has another one."""
    with running_postgres(restarts=True) as server, ExitStack() as stack:
        pooler = stack.enter_context(running_pooler(server)) if pooled else None
        yield Database(server, server.create_database("soak"), pooler.url("soak") if pooler else None)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="skywright-soak-") as folder:
            yield Path(folder)
    else:
        keep.mkdir(parents=True, exist_ok=True)
        yield Path(tempfile.mkdtemp(dir=keep))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--mentions", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bots", type=int, default=1, help="more than one share a ledger on PostgreSQL")
    parser.add_argument("--ledger", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--lanes", type=int, help="one for each bot if not given")
    parser.add_argument("--pooler", action="store_true", help="bots reach PostgreSQL through a pooler")
    parser.add_argument("--restarts", type=int, default=0, help="how often PostgreSQL is restarted in immediate mode")
    parser.add_argument("--keep", type=Path, help="keep the ledger and the logs in a new folder in this one")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

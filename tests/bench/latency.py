"""How soon a post is acknowledged and a built app's reply is seen, on the real network, with the real processes.

Against a bare loop: a record is put, and the AppView is asked until it shows it, a reply by its thread. `acknowledged`:
the ask is a document in the ledger. By polling that takes half a poll's interval and more; by the stream what the
network itself takes.
"""

import os
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from pydantic import SecretStr

from bot.errors import NoSuchDocument
from bot.ledger.ledger import Ledger
from builder.client import BotClient
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.bench.lane_cycle import BUNDLE, report_of
from tests.bench.places import SQLITE
from tests.bench.table import Line, compared
from tests.network.install import install
from tests.network.jetstream import jetstream_of
from tests.network.net import Account, Network, running_network
from tests.postgres import running_postgres
from tests.rules_file import write_rules
from tests.scenarios.processes import TOKEN, machine
from tests.scenarios.world import LENIENT

ASKS, QUICK_ASKS = 24, 4
WARM_UP = 2
AIM = 1.5
PATIENCE = 60.0
LOOK_EVERY = 0.02
# As a host gets them: the machine's own are quicker, for tests.
AS_BUILT_IN = {"poll_seconds": "5", "tick_seconds": "2", "call_deadline_seconds": "30", "lease_seconds": "120"}


@dataclass
class Times:
    """Seconds, one for each ask."""

    acknowledged: list[float] = field(default_factory=list)
    replied: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    put_and_shown: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Scene:
    """A running bot with its account, somebody who asks, a lane, and the ledger beside it."""

    network: Network
    wright: Account
    alice: Account
    lane: BotClient
    ledger: Ledger
    numbers: Iterator[int] = field(default_factory=count)


def lines(quick: bool) -> Iterator[Line]:
    """By polling, and by the stream."""
    with running_postgres() as server, running_network(install(os.environ), server) as network:
        for source, settings in sources(network):
            with scene(network, settings) as here:
                yield from told(source, times_of(here, QUICK_ASKS if quick else ASKS))


def sources(network: Network) -> Iterator[tuple[str, dict[str, str]]]:
    """The name and the settings of each way to hear of a mention."""
    yield "polling", {}
    with jetstream_of(network.endpoints.pds) as stream:
        yield "stream", {"stream_url": stream.url}


def told(source: str, times: Times) -> Iterator[Line]:
    """The lines of one source."""
    aim = AIM if source == "stream" else None
    for name, ours, bare in (
        ("accepted to acknowledged", times.acknowledged, times.shown),
        ("built to reply seen", times.replied, times.put_and_shown),
    ):
        for part, value in (("p50", 0.5), ("p95", 0.95)):
            pair = (at(ours, value) * 1e3, at(bare, value) * 1e3)
            yield compared(f"{name}, by {source}, {part}", SQLITE, "ms", [pair], at_most=aim)


def times_of(here: Scene, asks: int) -> Times:
    """Asks one after another, the bare loops before each; each of the four writes after as long a rest.

    Without one an ask would come just after a round. And the longer nothing was written, the later a PDS tells its
    stream of what comes then, by up to a second: whoever wrote soon after somebody else would be the quicker.
    """
    chance, found = random.Random(3), Times()
    for number in range(asks + WARM_UP):
        rest = partial(threading.Event().wait, chance.uniform(0, 2))
        bare = bare_loops(here, rest)
        ours = one_ask(here, rest)
        if number >= WARM_UP:
            for times, one in zip((found.shown, found.put_and_shown), bare, strict=True):
                times.append(one)
            for times, one in zip((found.acknowledged, found.replied), ours, strict=True):
                times.append(one)
    return found


def bare_loops(here: Scene, rest: Callable[[], object]) -> tuple[float, float]:
    """The seconds until the AppView shows a post that was put, and to put a reply and to see it in the thread."""
    rest()
    post = here.network.post(here.alice.did, f"nothing number {next(here.numbers)}")
    shown = seen_after(lambda: is_shown(here, post))
    refs = {"root": post.model_dump(), "parent": post.model_dump()}
    rest()
    began = time.perf_counter()
    here.network.post(here.wright.did, f"nothing number {next(here.numbers)}", reply=refs)
    seen_after(lambda: has_reply(here.network, post))
    return shown, time.perf_counter() - began


def one_ask(here: Scene, rest: Callable[[], object]) -> tuple[float, float]:
    """Ask; the seconds until the document was there, and from its app's end until the thread shows the reply."""
    text = f"@{here.wright.handle} make me a timer for {next(here.numbers)} minutes"
    rest()
    post = here.network.post(here.alice.did, text, mentions=[here.wright.did])
    acknowledged = seen_after(lambda: stands(here.ledger, post) is not None)
    # No lane is as quick as to be done before the ask is liked.
    seen_after(lambda: stands(here.ledger, post) is Status.PENDING_BUILD and is_liked(here.ledger, post))
    claim_id = f"{next(here.numbers):026}"
    claim = here.lane.claim(claim_id, "template")
    assert claim is not None
    here.lane.upload(claim_id, BUNDLE)
    rest()
    here.lane.report(claim_id, report_of(claim.address))
    return acknowledged, seen_after(lambda: has_reply(here.network, post))


def is_liked(ledger: Ledger, post: StrongRef) -> bool:
    """Whether the like of an ask is out."""
    return not ledger.queries.find(post.uri).like_due


def has_reply(network: Network, post: StrongRef) -> bool:
    """Whether the thread of a post shows a reply to anybody."""
    return bool(network.get_post_thread(post.uri).get("replies"))


def seen_after(is_there: Callable[[], bool]) -> float:
    """The seconds until something is so."""
    began = time.perf_counter()
    while not is_there():
        assert time.perf_counter() - began < PATIENCE, "it never came"
        threading.Event().wait(LOOK_EVERY)
    return time.perf_counter() - began


def stands(ledger: Ledger, post: StrongRef) -> Status | None:
    """The status of an ask, None before it is known."""
    try:
        return ledger.queries.find(post.uri).status
    except NoSuchDocument:
        return None


def is_shown(here: Scene, post: StrongRef) -> bool:
    """Whether the AppView shows a post to the bot's account, asked as the bot asks: through its PDS."""
    return bool(here.network.query(here.wright.did, "app.bsky.feed.getPosts", {"uris": [post.uri]})["posts"])


def at(times: Sequence[float], part: float) -> float:
    """The time that so large a part of them did not exceed."""
    return statistics.quantiles(times, n=20, method="inclusive")[round(part * 20) - 1]


@contextmanager
def scene(network: Network, settings: dict[str, str]) -> Iterator[Scene]:
    """A bot that has read and looked all once, and is let in by nobody but alice."""
    wright = network.create_account(network.fresh_handle("wright"), self_labels=["bot"])
    alice = network.create_account(network.fresh_handle("alice"), display_name="Alice")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="skywright-bench-")))
        rules = str(write_rules(LENIENT, folder / "guardrails.toml"))
        account = {"identifier": wright.did, "password": wright.password, "plc_url": network.endpoints.plc}
        here = stack.enter_context(machine(folder, **(AS_BUILT_IN | account | {"rules": rules} | settings)))
        here.bot()
        here.enrol()
        ledger = stack.enter_context(here.ledger())
        http = stack.enter_context(httpx.Client(base_url=here.lane_url, trust_env=False))
        yield Scene(network, wright, alice, BotClient(http, SecretStr(TOKEN), 20, time.monotonic), ledger)

"""Every test of this folder runs twice: against the sandbox, and against the real network, whose word counts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from pydantic import SecretStr

from bot.bluesky.config import AccountConfig
from bot.bluesky.session import Account, KeptSession, open_account
from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.documents import RecordKey
from guardrails.tid import TidClock
from tests.bot.bluesky.accounts import MemoryKeeper
from tests.contract.target import NetworkTarget, Person, SandboxTarget, Target
from tests.contract.wire import Wire

SECRET = b"contract"
# One network for all, so all in one worker.
REAL = pytest.param("network", marks=[pytest.mark.network, pytest.mark.xdist_group("network")])


@pytest.fixture(scope="session")
def sandbox_target() -> Iterator[Target]:
    network = SandboxNetwork(Clock(), secret=SECRET)
    with SandboxServer(network) as server:
        yield SandboxTarget(network, server, SECRET)


@pytest.fixture(scope="session", params=["sandbox", REAL])
def target(request: pytest.FixtureRequest) -> Target:
    if request.param == "sandbox":
        sandbox: Target = request.getfixturevalue("sandbox_target")
        return sandbox
    return NetworkTarget(request.getfixturevalue("network"))


@pytest.fixture(scope="session")
def alice(target: Target) -> Person:
    """Shared by all tests: they leave her as she is."""
    return target.sign_up("alice")


@pytest.fixture(scope="session")
def writer(target: Target) -> Iterator[Account]:
    """Shared by all tests that do not mind what the others wrote: each under a `key` of its own."""
    person = target.sign_up("writer")
    config = AccountConfig(person.did, SecretStr(person.password), target.pds_url)
    account = open_account(config, MemoryKeeper(now=Clock()), Clock())
    yield account
    account.close()


@pytest.fixture(scope="session")
def keys() -> TidClock:
    return TidClock(Clock(), clock_id=9)


@pytest.fixture
def key(keys: TidClock) -> RecordKey:
    return keys.mint()


@pytest.fixture(scope="session")
def wire(target: Target) -> Iterator[Wire]:
    opened = Wire(target.pds_url)
    yield opened
    opened.close()


@pytest.fixture
def bot(target: Target) -> Person:
    return target.sign_up("wright")


@pytest.fixture
def mallory(target: Target) -> Person:
    """Somebody to whom a test may do anything."""
    return target.sign_up("mallory")


@dataclass(frozen=True)
class Opener:
    """Opens the bot's account in all the ways that there are; sessions are kept in `keeper`."""

    config: AccountConfig
    keeper: MemoryKeeper
    opened: list[Account]

    def __call__(self, **changes: object) -> Account:
        account = open_account(replace(self.config, **changes), self.keeper, Clock())  # type: ignore[arg-type]
        self.opened.append(account)
        return account

    def keep(self, bot: Person, access: str, refresh: str) -> None:
        """Leave a session behind as an earlier process would have."""
        text = f"{bot.handle}:::{bot.did}:::{access}:::{refresh}:::{self.config.pds_url}"
        self.keeper.kept[bot.did] = KeptSession(text, 1)

    def kept(self, bot: Person) -> KeptSession:
        """The session that is stored now."""
        return self.keeper.kept[bot.did]


@pytest.fixture
def opener(target: Target, bot: Person) -> Iterator[Opener]:
    config = AccountConfig(bot.did, SecretStr(bot.password), target.pds_url, target.plc_url)
    made = Opener(config, MemoryKeeper(now=Clock()), [])
    yield made
    for account in made.opened:
        account.close()


@pytest.fixture
def account(opener: Callable[[], Account]) -> Account:
    return opener()

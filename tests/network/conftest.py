"""What the tests on the real network share."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.clock import Clock
from bot.ledger.ledger import open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.rounds import Bot
from bot.settings import Settings
from tests.ledger_fixtures import slug_for
from tests.network.here import Here
from tests.network.net import Network


@pytest.fixture
def here(network: Network, sqlite_template: Path, tmp_path: Path) -> Iterator[Here]:
    """The bot, alice and bob; nobody has said anything yet."""
    wright, alice, bob = (network.create_account(network.fresh_handle(name)) for name in ("wright", "alice", "bob"))
    shutil.copyfile(sqlite_template, tmp_path / "ledger.db")
    clock = Clock()
    ledger = open_ledger(f"sqlite:///{tmp_path}/ledger.db", clock, LedgerPolicy(), slug_for)
    settings = Settings(
        identifier=wright.did,
        password=SecretStr(wright.password),
        session_key=SecretStr(Fernet.generate_key().decode()),
        plc_url=network.endpoints.plc,
        apps_url="http://localhost:8100",
    )
    bot = Bot(settings, ledger, clock, timedelta())
    bot.ingest()
    yield Here(network, wright, alice, bob, ledger, clock, bot)
    bot.close()
    ledger.close()

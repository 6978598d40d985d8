"""The bot is put together, taken down in order, and is alone with its ledger."""

import os
import socket
import threading
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.errors import LedgerInUse
from bot.holding import sole_holder
from bot.listeners import CannotListen
from bot.main import run_bot
from bot.settings import Settings
from tests.scenarios.processes import free_ports


def settings(folder: Path, ports: list[int]) -> Settings:
    """The settings of a bot whose network is away."""
    apps, lane, admin = ports
    return Settings(
        identifier="did:plc:wright",
        password=SecretStr("wright.test-pw"),
        session_key=SecretStr(Fernet.generate_key().decode()),
        pds_url="http://127.0.0.1:1",
        plc_url="http://127.0.0.1:1",
        database_url=f"sqlite:///{folder / 'ledger.db'}",
        apps_listen=f"127.0.0.1:{apps}",
        lane_listen=f"127.0.0.1:{lane}",
        admin_listen=f"127.0.0.1:{admin}",
        tick_seconds=0.1,
    )


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_it_is_ready_when_its_ports_are_open_and_leaves_them_free(tmp_path: Path) -> None:
    """A network that is away is no reason not to start."""
    ports = free_ports(3)
    stop = threading.Event()
    while_ready: list[bool] = []

    def ready() -> None:
        while_ready.extend(is_free(port) for port in ports)
        stop.set()

    run_bot(settings(tmp_path, ports), stop, ready=ready)

    assert [False] * 3 == while_ready
    assert [True] * 3 == [is_free(port) for port in ports]
    with sole_holder(f"sqlite:///{tmp_path / 'ledger.db'}"):
        pass


def test_a_port_that_is_taken_is_named_and_nothing_stays(tmp_path: Path) -> None:
    """The listeners before it are given back, and so is the ledger."""
    ports = free_ports(3)
    with socket.create_server(("127.0.0.1", ports[1])), pytest.raises(CannotListen, match=f"lane .*:{ports[1]}"):
        run_bot(settings(tmp_path, ports), threading.Event())

    assert [True] * 3 == [is_free(port) for port in ports]
    with sole_holder(f"sqlite:///{tmp_path / 'ledger.db'}"):
        pass


@pytest.mark.parametrize("name", ["ledger.db", "link.db"])
def test_a_ledger_has_one_bot(tmp_path: Path, name: str) -> None:
    """The second one is told whose it is, also when it knows the file by another name; afterwards it is free."""
    (tmp_path / "link.db").symlink_to(tmp_path / "ledger.db")
    url = f"sqlite:///{tmp_path / name}"
    with (
        sole_holder(f"sqlite:///{tmp_path / 'ledger.db'}"),
        pytest.raises(LedgerInUse, match=rf"{name} is in use by another bot \(process {os.getpid()}\)"),
        sole_holder(url),
    ):
        pass
    with sole_holder(url):
        pass


def test_a_ledger_on_postgresql_may_have_several(tmp_path: Path) -> None:
    """They share it."""
    url = f"postgresql+psycopg:///{tmp_path / 'ledger'}"
    with sole_holder(url), sole_holder(url):
        assert [] == list(tmp_path.iterdir())

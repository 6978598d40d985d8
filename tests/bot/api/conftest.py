"""What the tests of the API share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.api.lane import lane_app
from tests.bot.api.lanes import APPS_URL, House, Lane
from tests.bot.serving import client, served
from tests.bot.stage import Stage, staged


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as stage:
        yield stage


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
def lane(stage: Stage, house: House) -> Iterator[Lane]:
    """A lane with a good token, at a bot that goes by the house's rules; nothing is asked for yet."""
    stage.device("right-token", prefix=APPS_URL)
    app = lane_app(stage.ledger, APPS_URL, rules=lambda: house.rules, moderate=house.moderate)
    with served(lambda _: app) as port, client(port) as http:
        yield Lane(http, stage)

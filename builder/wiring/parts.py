"""Chooses a lane's parts by its settings, and loads them."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Protocol, cast

from builder.build import Tools
from builder.checks.files import FilesCheck
from builder.client import BotClient
from builder.errors import LaneUnfit
from builder.outcomes import Budget
from builder.ports import Check, Generator, Publisher
from builder.settings import BuildSettings


class GeneratorModule(Protocol):
    """What a wiring module of a generator offers."""

    def why_not(self, settings: BuildSettings) -> str | None:
        """Why it cannot work on this machine or with these settings, and the mend; None when it can."""
        ...

    def make(self, settings: BuildSettings) -> Generator:
        """The generator; BadSettings when a setting of its own is wrong."""
        ...


class PublisherModule(Protocol):
    """What a wiring module of a publisher offers."""

    def make(self, settings: BuildSettings, client: BotClient) -> Publisher:
        """The publisher; BadSettings when a setting of its own is wrong."""
        ...


def generator_module(settings: BuildSettings) -> GeneratorModule:
    """The wiring of the generator that the settings name."""
    return cast(GeneratorModule, _load(settings.generator))


def make_publisher(settings: BuildSettings, client: BotClient) -> Publisher:
    """The publisher that the settings name."""
    return cast(PublisherModule, _load(settings.publisher)).make(settings, client)


def why_not(settings: BuildSettings) -> str | None:
    """Why a lane with these settings can build nothing here, and the mend; None when it can."""
    return generator_module(settings).why_not(settings)


@contextmanager
def open_tools(settings: BuildSettings, client: BotClient) -> Iterator[Tools]:
    """All that one worker builds with, closed at the end; LaneUnfit when it can build nothing here."""
    problem = why_not(settings)
    if problem is not None:
        raise LaneUnfit(problem)
    checks: list[Check] = [FilesCheck()]
    generator = generator_module(settings).make(settings)
    yield Tools(generator, checks, make_publisher(settings, client), budget_of(settings), settings.repairs)


def budget_of(settings: BuildSettings) -> Budget:
    """What one build may use."""
    return Budget(settings.build_seconds, settings.build_tokens, round(settings.build_cost_usd * 1_000_000))


def _load(name: str) -> object:
    # At run time and by name: a lane without a model client or a browser never loads one.
    return import_module(f"builder.wiring.{name.replace('-', '_')}")

"""Chooses a lane's parts by its settings, and loads them."""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from typing import Protocol, cast

from builder.build import Tools
from builder.checks.static import static_checks
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

    def opened(self, settings: BuildSettings, client: BotClient) -> AbstractContextManager[Publisher]:
        """The publisher, its connections closed with the block; BadSettings when a setting of its own is wrong."""
        ...


class CheckModule(Protocol):
    """What a wiring module of a check with a program of its own offers."""

    def why_not(self, settings: BuildSettings) -> str | None:
        """Why it cannot work on this machine or with these settings, and the mend; None when it can."""
        ...

    def opened(self, settings: BuildSettings) -> AbstractContextManager[Check]:
        """The check, its program ended with the block."""
        ...


def generator_module(settings: BuildSettings) -> GeneratorModule:
    """The wiring of the generator that the settings name."""
    return cast(GeneratorModule, _load(settings.generator))


def check_modules(settings: BuildSettings) -> Sequence[CheckModule]:
    """The wiring of the checks that the settings add to those that run nothing."""
    return [cast(CheckModule, _load("browser"))] if settings.browser == "on" else []


def opened_publisher(settings: BuildSettings, client: BotClient) -> AbstractContextManager[Publisher]:
    """The publisher that the settings name."""
    return cast(PublisherModule, _load(settings.publisher)).opened(settings, client)


@contextmanager
def open_tools(settings: BuildSettings, client: BotClient) -> Iterator[Tools]:
    """All that a lane builds with, for any number of threads, closed at the end; LaneUnfit when it could build nothing.

    What is wrong is known before the first claim.
    """
    _raise_for(why_not_as_root(settings, os.geteuid()))
    with opened_checks(settings) as checks, opened_publisher(settings, client) as publisher:
        generator = generator_module(settings)
        _raise_for(generator.why_not(settings))
        yield Tools(generator.make(settings), checks, publisher, budget_of(settings), settings.repairs)


@contextmanager
def opened_checks(settings: BuildSettings) -> Iterator[Sequence[Check]]:
    """The checks, cheap ones first, their programs ended with the block; LaneUnfit when one cannot work here."""
    with ExitStack() as stack:
        checks = list(static_checks())
        for module in check_modules(settings):
            _raise_for(module.why_not(settings))
            checks.append(stack.enter_context(module.opened(settings)))
        yield checks


def why_not_as_root(settings: BuildSettings, user_id: int) -> str | None:
    """Why these settings are not for root, and the mend: strangers' pages and programs are not run with all rights."""
    runs_others = settings.browser == "on" or settings.generator == "command"
    if user_id != 0 or not runs_others or settings.as_root == "allow":
        return None
    mend = "run it as a user of its own, or set SKYWRIGHT_LANE_AS_ROOT=allow"
    return f"a lane of root's opens no app and runs no command; {mend}"


def budget_of(settings: BuildSettings) -> Budget:
    """What one build may use."""
    return Budget(settings.build_seconds, settings.build_tokens, round(settings.build_cost_usd * 1_000_000))


def parts_of(settings: BuildSettings) -> dict[str, str]:
    """What a lane works with, for its log."""
    return {"generator": settings.generator, "browser": settings.browser, "publisher": settings.publisher}


def _raise_for(problem: str | None) -> None:
    if problem is not None:
        raise LaneUnfit(problem)


def _load(name: str) -> object:
    # At run time and by name: a lane without a model client or a browser never loads one.
    return import_module(f"builder.wiring.{name.replace('-', '_')}")

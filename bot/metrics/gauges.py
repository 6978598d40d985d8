"""The metrics that are read when somebody asks: from the ledger by a few reads, from the job board without any."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from bot.jobs.board import JobBoard
from bot.jobs.stream import StreamState
from bot.keeper import ALONE
from bot.ledger.alerts import Alert
from bot.metrics import catalogue
from bot.metrics.catalogue import Kind, Metric
from bot.operations.present import Overview
from guardrails.documents import Kind as DocumentKind
from guardrails.transitions import is_terminal, statuses

Labelled = tuple[tuple[str, ...], float]
Told = tuple[Metric, Iterable[Labelled]]
_OPEN = tuple(status for kind in DocumentKind for status in statuses(kind) if not is_terminal(kind, status))


@dataclass(frozen=True)
class Sources:
    """Where the gauges are read: how the bot is now, what operators are told of, rules, jobs, rounds, the stream."""

    overview: Callable[[], Overview]
    alerts: Callable[[], list[Alert]]
    rules: Callable[[], str]
    board: JobBoard
    now: Callable[[], datetime]
    is_here: Callable[[], bool] = ALONE.is_here
    stream: Callable[[], StreamState | None] = lambda: None
    compared: Callable[[], Mapping[str, int]] = dict
    backed_up: Callable[[], datetime | None] = lambda: None


class Gauges(Collector):
    """Reads the sources at each scrape. Where the ledger does not answer, what comes from it is left out."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def describe(self) -> list[Family]:
        """Nothing: a registry that asked would have the ledger read."""
        return []

    def collect(self) -> Iterator[Family]:
        """Every gauge as it is now."""
        sources = self._sources
        yield from (_family(*told) for told in _of_the_process(sources))
        try:
            told = [*_of_the_ledger(sources.overview()), *_of_alerts(sources.alerts()), *_of_two_sources(sources)]
            told.append(_of_backups(sources))
            told.append((catalogue.UP, [((), 1)]))
        except SQLAlchemyError:
            told = [(catalogue.UP, [((), 0)])]
        yield from (_family(*each) for each in told)


def _of_the_process(sources: Sources) -> Iterator[Told]:
    yield catalogue.INFO, [((version("skywright"), sources.rules()), 1)]
    yield catalogue.ROUNDS, [((), sources.is_here())]
    jobs, now = sorted(sources.board.snapshot().items()), sources.now()
    yield catalogue.JOB_AGE, [((name,), job.age(now).total_seconds()) for name, job in jobs]
    yield catalogue.JOB_LATE, [((name,), job.is_late(now)) for name, job in jobs]
    yield catalogue.JOB_RUNS, [((name,), job.runs) for name, job in jobs]
    yield catalogue.JOB_FAILURES, [((name,), job.failures) for name, job in jobs]
    yield from _of_stream(sources.stream())


def _of_stream(stream: StreamState | None) -> Iterator[Told]:
    counts = stream.counts if stream is not None else {}
    yield catalogue.STREAM_FRAMES, [((name,), n) for name, n in sorted(counts.items())]
    silent = stream.silent_seconds if stream is not None else None
    yield catalogue.STREAM_AGE, [((), silent)] if silent is not None else []


def _of_two_sources(sources: Sources) -> Iterator[Told]:
    """Where no stream is set there is nothing to compare."""
    compared = sources.compared() if sources.stream() is not None else {}
    yield catalogue.HEARD, [((by,), n) for by, n in sorted(compared.items())]


def _of_backups(sources: Sources) -> Told:
    last = sources.backed_up()
    age = max((sources.now() - last).total_seconds(), 0) if last is not None else None
    return catalogue.BACKUP_AGE, [((), age)] if age is not None else []


def _of_the_ledger(now: Overview) -> Iterator[Told]:
    def age(since: datetime) -> float:
        return max((now.at - since).total_seconds(), 0)

    yield catalogue.LAST_MOVE, [((), now.last_move)]
    yield catalogue.DOCUMENTS, [((each.value,), now.counts[each].n) for each in _OPEN if each in now.counts]
    yield catalogue.OLDEST, [((status.value,), age(since)) for status, since in now.oldest.items()]
    yield catalogue.PILES, [((pile.name,), pile.n) for pile in now.piles]
    yield catalogue.PILES_OLDEST, [((pile.name,), age(pile.oldest)) for pile in now.piles if pile.oldest is not None]
    # The oldest of a kind: the rest of a name is a lane's, and a label has few values.
    first = {each.kind: each.since for each in sorted(now.conditions, key=lambda each: each.since, reverse=True)}
    yield catalogue.CONDITIONS, [((kind,), age(since)) for kind, since in sorted(first.items())]
    yield catalogue.SWITCHES, [((each.switch.value,), age(each.since)) for each in now.switches]
    yield catalogue.LANES_WORKING, [((), len(now.at_work))]
    yield catalogue.WAITING, [((), now.waiting.documents if now.waiting is not None else 0)]
    yield catalogue.WAITING_AGE, [((), age(now.waiting.since) if now.waiting is not None else 0)]
    seen_at, late_by = now.visits.seen_at, now.visits.late_by
    yield catalogue.LANE_AGE, [((), age(seen_at))] if seen_at is not None else []
    yield catalogue.LANE_LATE, [((), late_by.total_seconds())] if late_by is not None else []
    yield catalogue.BUDGET_USED, [((budget.name,), budget.used) for budget in now.budgets]
    yield catalogue.BUDGET_LIMIT, [((budget.name,), budget.of) for budget in now.budgets]


def _of_alerts(alerts: list[Alert]) -> Iterator[Told]:
    yield catalogue.ALERTS, [((), sum(alert.cleared_at is None for alert in alerts))]
    yield catalogue.ALERTS_UNDELIVERED, [((), sum(alert.failures > 0 for alert in alerts))]


def _family(metric: Metric, values: Iterable[Labelled]) -> Family:
    kind = CounterMetricFamily if metric.kind is Kind.COUNTER else GaugeMetricFamily
    family = kind(metric.name, metric.help, labels=metric.labels)
    for labels, value in values:
        family.add_metric(labels, value)
    return family

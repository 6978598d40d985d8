"""The metrics that are counted as things happen, and the text of all of them."""

from collections.abc import Sequence

import structlog
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import choose_encoder
from sqlalchemy.exc import SQLAlchemyError

from bot.ledger.timings import Stage, Timings
from bot.ledger.views import Moved
from bot.metrics import catalogue
from bot.metrics.catalogue import Metric
from guardrails.documents import Kind
from guardrails.transitions import ways_to_stand

_STAGES = {
    Stage.ACKNOWLEDGE: catalogue.ACKNOWLEDGE,
    Stage.BUILD: catalogue.BUILD,
    Stage.REPLY: catalogue.REPLY,
}
# All that there can be are there from the start: a series that begins with 1 has not increased, as Prometheus sees it.
_MOVES = sorted({way for kind in Kind for way in ways_to_stand(kind)})
log = structlog.get_logger()


class Metrics:
    """The metrics of one bot, in a registry of its own. Safe to use from several threads."""

    def __init__(self, registry: CollectorRegistry) -> None:
        # When a series began is not what anybody asks; it would double the lines.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = registry
        self._moves = _counter(catalogue.MOVES, registry)
        for told in _MOVES:
            self._moves.labels(*(each.value for each in told))
        self._stages = {stage: _histogram(metric, registry) for stage, metric in _STAGES.items()}
        self._cost = _counter(catalogue.COST, registry)
        self._followed = Gauge(catalogue.FOLLOWED.name, catalogue.FOLLOWED.help, registry=registry)
        self._calls = _counter(catalogue.HTTP, registry)
        self._call_times = _histogram(catalogue.HTTP_TIME, registry)
        ProcessCollector(registry=registry)

    def begin(self, sequence: int) -> None:
        """Moves are counted from here on."""
        self._followed.set(sequence)

    def moved(self, timings: Timings, moves: Sequence[Moved]) -> None:
        """Count what has moved, how long what has ended took, and what it cost.

        Of moves whose times cannot be read, since the database is away, only the moves are counted.
        """
        for move in moves:
            self._moves.labels(move.to_status.value, move.reason.value).inc()
            self._followed.set(move.seq)
        try:
            took, cost = timings.of(moves), timings.cost_micros(moves)
        except SQLAlchemyError as problem:
            log.warning("times_not_counted", moves=len(moves), error=type(problem).__name__)
            return
        for each in took:
            self._stages[each.stage].observe(each.time.total_seconds())
        self._cost.inc(cost)

    def called(self, listener: str, route: str, method: str, status: str, seconds: float) -> None:
        """Count a call of a listener whose answer began after so many seconds."""
        self._calls.labels(listener, route, method, status).inc()
        self._call_times.labels(listener, route, method).observe(seconds)

    def text(self, accept: str) -> tuple[bytes, str]:
        """All metrics as they are now, and the media type that they are written in, by what the reader accepts."""
        encode, media_type = choose_encoder(accept)
        return encode(self.registry), media_type


def _counter(metric: Metric, registry: CollectorRegistry) -> Counter:
    return Counter(metric.name, metric.help, metric.labels, registry=registry)


def _histogram(metric: Metric, registry: CollectorRegistry) -> Histogram:
    return Histogram(metric.name, metric.help, metric.labels, buckets=metric.buckets, registry=registry)

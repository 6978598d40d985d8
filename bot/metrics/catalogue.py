"""Every metric that the bot tells: its name, kind, labels and help. The dashboards and alert rules go by this file."""

from dataclasses import dataclass
from enum import StrEnum

_MINUTE, _HOUR = 60.0, 3600.0
_DAY = 24 * _HOUR


class Kind(StrEnum):
    """The kinds of metric, as Prometheus names them."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True)
class Metric:
    """One metric. Labels have few values: never an id, an address or a word that somebody wrote.

    No label is called `job` or `instance`, which Prometheus puts on every series itself.
    """

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


def _counter(name: str, told: str, *labels: str) -> Metric:
    return Metric(f"skywright_{name}_total", Kind.COUNTER, told, labels)


def _gauge(name: str, told: str, *labels: str) -> Metric:
    return Metric(f"skywright_{name}", Kind.GAUGE, told, labels)


def _histogram(name: str, told: str, buckets: tuple[float, ...], *labels: str) -> Metric:
    return Metric(f"skywright_{name}_seconds", Kind.HISTOGRAM, told, labels, buckets)


_SHARED = (
    "Counted since this process began, whoever made the moves: of several bots on one ledger each counts all of them, "
    "so take max and not sum over instances."
)
_SOON = (1, 2, 5, 10, 20, 30, _MINUTE, 2 * _MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR, 6 * _HOUR, _DAY)
_LATER = (10, 30, _MINUTE, 2 * _MINUTE, 5 * _MINUTE, 10 * _MINUTE, 30 * _MINUTE, _HOUR, 3 * _HOUR, 12 * _HOUR, 3 * _DAY)

UP = _gauge("ledger_up", "1 when the ledger's database answered this scrape, else 0 and nothing read from it is told.")
INFO = _gauge(
    "info", "Always 1; the program's version, and the version of the rules that are in force.", "version", "rules"
)

MOVES = _counter("moves", f"Moves of documents to a status, by reason. {_SHARED}", "status", "reason")
ACKNOWLEDGE = _histogram(
    "acknowledge", f"From an ask's coming until it was let through or held; its like follows at once. {_SHARED}", _SOON
)
BUILD = _histogram("build", f"From the moment that an ask was let through until its app was built. {_SHARED}", _LATER)
REPLY = _histogram("reply", f"From an ask's coming until its answer was out. {_SHARED}", _LATER)
COST = _counter("cost_micro_usd", f"What the attempts that ended have cost, in millionths of a US dollar. {_SHARED}")
FOLLOWED = _gauge("followed_sequence", "The last move of the history that this process has counted.")
LAST_MOVE = _gauge("ledger_sequence", "The last move of the history.")

DOCUMENTS = _gauge("documents", "Documents that stand in an open status, counted up to 10,000.", "status")
OLDEST = _gauge("oldest_document_seconds", "Age of the oldest document in an open status; none when empty.", "status")
PILES = _gauge("pile", "How much work wants a person, by pile.", "pile")
PILES_OLDEST = _gauge("pile_oldest_seconds", "Since when the oldest of a pile waits for a person.", "pile")
CONDITIONS = _gauge("condition_seconds", "For how long something that is wrong has been so, while it is.", "condition")
SWITCHES = _gauge("switch_on_seconds", "For how long a switch has been on, while it is.", "switch")

ROUNDS = _gauge(
    "rounds", "1 while this bot does the rounds of its ledger, 0 while it stands by: the sum over instances is to be 1."
)
JOB_AGE = _gauge("job_success_age_seconds", "Since when a job of this process has not succeeded.", "name")
JOB_LATE = _gauge("job_late", "1 when that is longer than three intervals and its deadline, else 0.", "name")
JOB_RUNS = _counter("job_runs", "Runs of a job of this process that have ended, however they did.", "name")
JOB_FAILURES = _counter("job_failures", "Runs of a job of this process that have failed.", "name")

STREAM_AGE = _gauge(
    "stream_event_age_seconds", "Since when the live stream has brought no event; none before the first."
)
STREAM_FRAMES = _counter(
    "stream_frames",
    "Frames of the live stream that this process has read, and what became of those that it looked at.",
    "what",
)
HEARD = _gauge(
    "mentions_heard",
    "Mentions of the last day, but not of the last ten minutes, by what found them: notifications alone, stream alone, "
    "or both; none where no stream is set.",
    "by",
)

LANE_AGE = _gauge("lane_seen_age_seconds", "Since when no lane has come by; none before the first.")
LANE_LATE = _gauge("lane_late_seconds", "How late the next visit of a lane is; none where no schedule is set.")
LANES_WORKING = _gauge("lane_claims", "Claims that stand: so many documents are being built.")
WAITING = _gauge("lane_waiting_documents", "Documents that a lane could claim now.")
WAITING_AGE = _gauge("lane_waiting_seconds", "Since when the first of them has waited; 0 when none does.")

BUDGET_USED = _gauge("budget_used", "What is used of a budget: points, tries or millionths of a US dollar.", "budget")
BUDGET_LIMIT = _gauge("budget_limit", "What of a budget may be used, in the same unit.", "budget")

ALERTS = _gauge("alerts", "Things that operators were told of, or are to be told of, and that have not cleared.")
ALERTS_UNDELIVERED = _gauge("alerts_undelivered", "Messages to the alert channel that have failed and are tried again.")

BACKUP_AGE = _gauge(
    "backup_age_seconds", "Since when the last good `skywright backup` was made; none before the first."
)

HTTP = _counter(
    "http_requests",
    "Calls by listener, template of the route (or none), method and class of the status.",
    "listener",
    "route",
    "method",
    "status",
)
HTTP_TIME = _histogram(
    "http_request",
    "How long a call took until its answer began.",
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    "listener",
    "route",
    "method",
)

CATALOGUE = (
    *(UP, INFO),
    *(MOVES, ACKNOWLEDGE, BUILD, REPLY, COST, FOLLOWED, LAST_MOVE),
    *(DOCUMENTS, OLDEST, PILES, PILES_OLDEST, CONDITIONS, SWITCHES),
    *(ROUNDS, JOB_AGE, JOB_LATE, JOB_RUNS, JOB_FAILURES),
    *(STREAM_AGE, STREAM_FRAMES, HEARD),
    *(LANE_AGE, LANE_LATE, LANES_WORKING, WAITING, WAITING_AGE),
    *(BUDGET_USED, BUDGET_LIMIT),
    *(ALERTS, ALERTS_UNDELIVERED, BACKUP_AGE),
    *(HTTP, HTTP_TIME),
)

PROCESS = (
    "process_cpu_seconds_total",
    "process_max_fds",
    "process_open_fds",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
    "process_virtual_memory_bytes",
)
"""What the library tells of the process itself, where the system shows it."""

"""The doctor's look at the lanes: when one last came by, and whether GitHub would run the one that lives there."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from bot.github import Workflow
from bot.ledger.lanes import Visits
from bot.ledger.ledger import Ledger
from bot.outgoing import Failed
from bot.settings import LedgerSettings, Settings
from bot.terminal.moments import ago
from bot.terminal.reaching import LOOK_SECONDS
from bot.workflows import WorkflowCalls
from guardrails.findings import Finding, fail, ok, warn

LANE_LATE = timedelta(hours=1)
ACTIVE = "active"


def lanes_finding(ledger: Ledger, settings: LedgerSettings) -> Finding:
    """When a lane last came by, and how late the next one is."""
    return visits_finding(ledger.lanes.visits(settings.lane_schedule), settings.lane_schedule, ledger.db.time())


def visits_finding(visits: Visits, schedule: timedelta | None, now: datetime) -> Finding:
    """The same of visits that are known."""
    if visits.seen_at is None:
        mend = "`skywright devices invite` or `devices add NAME --role lane`, then start one"
        return warn("lanes", "no lane has ever come by", mend)
    told = f"the last one came by {ago(visits.seen_at, now)} ago"
    if schedule is not None:
        told += f", one is to come every {ago(now - schedule, now)}"
    if visits.late_by:
        return warn("lanes", f"{told}; the schedule is late by {ago(now - visits.late_by, now)}", "look at its runs")
    if schedule is None and now - visits.seen_at > LANE_LATE:
        return warn("lanes", told, "look at the lanes' logs")
    return ok("lanes", told)


def workflow_findings(settings: Settings) -> Iterator[Finding]:
    """Whether the workflow that is called when work waits is switched on; nothing where none is called."""
    flow = settings.workflow
    if flow is None or flow.event is not None:
        return
    calls = WorkflowCalls(flow, min(settings.call_deadline_seconds, LOOK_SECONDS))
    try:
        yield _of_state(calls.state(), flow)
    finally:
        calls.close()


def _of_state(state: str | Failed, flow: Workflow) -> Finding:
    if isinstance(state, Failed):
        return fail("workflow", f"{flow.target}: {state.detail}", "mend SKYWRIGHT_GITHUB_TOKEN and its neighbours")
    if state != ACTIVE:
        # GitHub switches a schedule off after 60 days without a commit, and off it stays.
        mend = f"`gh workflow enable {flow.workflow} --repo {flow.repository}`"
        return fail("workflow", f"{flow.target} is switched off at GitHub ({state}): it runs for nobody", mend)
    return ok("workflow", f"{flow.target} is switched on")

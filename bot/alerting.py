"""What operators are told of: which facts are wrong for how long, in which words, with which page and command."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.exc import SQLAlchemyError

from bot.jobs.alert import Alerted, LedgerAway, alert_once
from bot.jobs.backed_up import backed_up_once
from bot.jobs.board import JobBoard
from bot.jobs.catching_up import DEAF
from bot.jobs.ingest import CROWDED, UNREAD
from bot.jobs.reload import RULES
from bot.jobs.room import room_once
from bot.jobs.sending import PUT_ONCE
from bot.ledger import conditions, piles
from bot.ledger.alerts import Message, Telling, Wrong
from bot.ledger.ledger import Ledger
from bot.notices import Event, Notice, told
from bot.operations.present import Overview
from bot.outgoing import Failed
from bot.settings import LedgerSettings
from bot.webhook import Webhook

JOBS_LATE = "jobs_late"
LEDGER_AWAY = "ledger_away"
# What mostly settles by itself is left alone for so long; what waits for a decision, for as long as is set.
SETTLES = {piles.UNKNOWN_SENDS: timedelta(minutes=15), piles.STUCK_BUILDS: timedelta(minutes=15)}
DECIDED = frozenset({piles.HELD_ASKS, piles.HELD_REPLIES})
# A channel that takes no message cannot be told of by one; with a PDS that writes twice the bot copes by itself.
UNTOLD = frozenset({conditions.ALERTS, PUT_ONCE})
NOW = "/console/"
PAGES = {
    piles.UNKNOWN_SENDS: "/console/sends",
    piles.CONFLICTS: "/console/sends",
    piles.HELD_ASKS: "/console/documents?status=awaiting-approval",
    piles.HELD_REPLIES: "/console/documents?status=built",
    piles.STUCK_BUILDS: "/console/lanes",
    piles.ERRORS: "/console/documents?status=error&status=build-failed",
    piles.PARKED: "/console/parked",
}


@dataclass(frozen=True)
class Known:
    """What is said of something that is wrong, and where it is seen and settled."""

    summary: str
    command: str
    page: str = NOW


KNOWN = {
    conditions.ACCOUNT: Known("the account is closed or labelled, and nothing is said in public", "skywright doctor"),
    conditions.PURSE: Known("the day's money for builds is spent", "skywright costs", "/console/charts"),
    conditions.LANE_COST: Known("a lane has spent more on a build than it may", "skywright lanes", "/console/lanes"),
    conditions.NO_LANE: Known("work waits and no lane comes for it", "skywright lanes", "/console/lanes"),
    conditions.DISPATCH: Known("the lane's workflow cannot be called", "skywright doctor", "/console/lanes"),
    conditions.STREAM: Known("the live stream brings nothing", "skywright doctor"),
    conditions.STREAM_GAP: Known("the live stream has a gap that is not filled yet", "skywright doctor"),
    conditions.LOOP: Known("a conversation, or everything, goes round in circles", "skywright pause"),
    DEAF: Known("what was said while no bot ran is not read yet, and new replies wait", "skywright doctor"),
    UNREAD: Known("mentions of a while are not read yet", "skywright doctor"),
    CROWDED: Known("notifications of one moment were too many to be listed whole", "skywright doctor"),
    RULES: Known("the new rules cannot be used, and the old ones are in force", "skywright rules", "/console/rules"),
    conditions.DISK: Known("the ledger's disk is nearly full", "skywright doctor"),
    conditions.CLOCK: Known("this machine's clock is wrong", "skywright doctor"),
    conditions.BACKUP: Known("there was no good backup of the ledger for days", "skywright doctor"),
    conditions.ELSEWHERE: Known("an app of somebody who is forgotten stands elsewhere", "skywright doctor"),
    LEDGER_AWAY: Known("the ledger's database does not answer, or takes nothing", "skywright doctor"),
    JOBS_LATE: Known("jobs do not succeed any more", "skywright doctor"),
}


class Alerting:
    """The alerts of one bot process: what is wrong by its ledger and its jobs, and the channel that is told."""

    def __init__(
        self,
        settings: LedgerSettings,
        ledger: Ledger,
        overview: Callable[[], Overview],
        board: JobBoard,
        now: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._ledger = ledger
        self._overview = overview
        self._board = board
        channel = settings.alert_channel
        self._webhook = Webhook(channel, settings.call_deadline_seconds) if channel is not None else None
        self._away = LedgerAway(now)

    def once(self) -> Alerted:
        """Note what is wrong and tell what is due; that the ledger is away, too, and it is raised on."""
        try:
            alerted = self._by_the_ledger()
        except SQLAlchemyError:
            self._look(away=True)
            raise
        self._look(away=False)
        return alerted

    def _look(self, *, away: bool) -> None:
        webhook = self._webhook
        if webhook is not None:
            self._away.look(lambda telling, since: webhook.tell(self._of_the_ledger(telling, since)), away=away)

    def _of_the_ledger(self, telling: Telling, since: datetime) -> Notice:
        return _notice(self._settings, telling, LEDGER_AWAY, KNOWN[LEDGER_AWAY], "", since)

    def _by_the_ledger(self) -> Alerted:
        # What it writes shows, too, that the ledger takes something.
        room_once(self._ledger)
        backed_up_once(self._ledger, self._settings.alert_backup_days)
        now, webhook = self._overview(), self._webhook

        def tell(message: Message) -> Failed | None:
            return webhook.tell(notice_of(message, now, self._settings)) if webhook is not None else None

        lease = timedelta(seconds=2 * self._settings.call_deadline_seconds)
        return alert_once(self._ledger, self._wrongs(now), tell if webhook is not None else None, lease)

    def close(self) -> None:
        """Close the connections."""
        if self._webhook is not None:
            self._webhook.close()

    def _wrongs(self, now: Overview) -> list[Wrong]:
        held = timedelta(hours=self._settings.alert_held_hours)
        found = {wrong.name: wrong for wrong in _in_the_ledger(now, held)}
        late = sorted(name for name, job in self._board.snapshot().items() if job.is_late(now.at))
        if late:
            found[JOBS_LATE] = Wrong(JOBS_LATE, ", ".join(late))
        return list(found.values())


def known_of(name: str, now: Overview) -> Known:
    """What is said of something that is wrong, by its name; a pile is called what the overview calls it."""
    of_a_pile = {pile.name: Known(pile.told, pile.command, PAGES.get(name, NOW)) for pile in now.piles}
    return (
        KNOWN.get(conditions.kind_of(name))
        or of_a_pile.get(name)
        or Known(f"something is wrong: {name}", "skywright doctor")
    )


def notice_of(message: Message, now: Overview, settings: LedgerSettings) -> Notice:
    """The words of a message."""
    alert = message.alert
    return _notice(settings, message.telling, alert.name, known_of(alert.name, now), alert.detail, alert.since)


def send_test(settings: LedgerSettings) -> Failed | None:
    """Send a message that says that it is one to try the channel; None once it was taken."""
    channel = settings.alert_channel
    if channel is None:
        return Failed("SKYWRIGHT_ALERT_URL is not set")
    notice = Notice(
        event=Event.TEST,
        name="test",
        summary="this message tries the alert channel, and nothing is wrong",
        detail="",
        since=None,
        command="skywright alerts",
        link=f"{settings.admin_address}{NOW}",
        bot=settings.apps_url,
    )
    webhook = Webhook(channel, settings.call_deadline_seconds)
    try:
        return webhook.tell(notice)
    finally:
        webhook.close()


def _notice(
    settings: LedgerSettings, telling: Telling, name: str, known: Known, detail: str, since: datetime
) -> Notice:
    return Notice(
        event=Event.CLEARED if telling is Telling.CLEARED else Event.RAISED,
        name=name,
        summary=known.summary,
        detail=detail,
        since=since,
        command=known.command,
        link=f"{settings.admin_address}{known.page}",
        bot=settings.apps_url,
    )


def _in_the_ledger(now: Overview, held: timedelta) -> Iterator[Wrong]:
    # Its detail may quote others; what follows the kind is the name of a device.
    yield from (Wrong(each.name, each.name.partition(":")[2]) for each in now.conditions if each.name not in UNTOLD)
    for pile in now.piles:
        patience = held if pile.name in DECIDED else SETTLES.get(pile.name, timedelta())
        if pile.n and (pile.oldest is None or now.at - pile.oldest >= patience):
            oldest = f", the oldest since {told(pile.oldest)}" if pile.oldest is not None else ""
            yield Wrong(pile.name, f"{pile.how_many}{oldest}")

"""What makes a reported app the one that people get."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, case, update

from bot.errors import LostRace
from bot.ledger.tables import app_screens, apps
from bot.ledger.views import Document
from guardrails.documents import Built
from guardrails.said import Said
from guardrails.transitions import Reason
from guardrails.wire import Report

_BACK_WITH_A_PERSON = (Reason.APPROVAL_EXPIRED, Reason.DENIED)


@dataclass(frozen=True)
class Inspected:
    """What the bot itself says of a finished app, and the picture that it has looked at.

    A skip refuses the app, anything but a pass leaves its reply to a person; any other picture is let go of.
    `page`: what people get a link to, of an app that lives elsewhere; None where that is the reported address.
    """

    said: Said
    picture: bytes | None = None
    page: str | None = None


def check_same_bundle(uploaded: str | None, report: Report) -> None:
    """Nothing goes live but what was reported; that something was uploaded at all is for the API to see."""
    if uploaded not in (None, report.sha256):
        raise LostRace("another bundle was uploaded under the claim meanwhile")


def result_of(report: Report, page: str | None) -> dict[str, object]:
    """What the document keeps of a finished build; its address is what people get a link to."""
    built = Built(
        title=report.title, description=report.description, address=page or report.address, sha256=report.sha256 or ""
    )
    return built.model_dump(mode="json")


_BACK = (
    update(apps)
    .where(
        apps.c.document_id == bindparam("the_document"),
        apps.c.gone_reason.in_([reason.value for reason in _BACK_WITH_A_PERSON]),
    )
    .values(gone_at=None, gone_reason=None)
)


def put_up_again(connection: Connection, document: Document) -> None:
    """Show an app again that went with a document which a person has opened since; one taken down for good stays so."""
    connection.execute(_BACK, {"the_document": document.id})


def make_live(
    connection: Connection,
    document: Document,
    report: Report,
    inspected: Inspected | None,
    kept_until: ColumnElement[datetime] | None = None,
) -> None:
    """Show the version that was just built, and no picture of it but the one that was looked at.

    `kept_until`: when a new app's time is over, None for never. What an earlier version's page has promised is not cut
    short, whatever is set since.
    """
    elsewhere = report.address if inspected is not None and inspected.page is not None else None
    put_up_again(connection, document)
    shown = {"the_document": document.id, "the_version": document.attempt, "the_address": elsewhere}
    connection.execute(_SHOWING if kept_until is None else _SHOWING.values(kept_until=_promised(kept_until)), shown)
    if inspected is not None:
        of_it = (app_screens.c.slug == document.slug) & (app_screens.c.version == document.attempt)
        others = of_it if inspected.picture is None else of_it & (app_screens.c.content != inspected.picture)
        connection.execute(app_screens.delete().where(others))


_SHOWING = (
    update(apps)
    .where(apps.c.document_id == bindparam("the_document"), apps.c.gone_at.is_(None))
    .values(live_version=bindparam("the_version"), address=bindparam("the_address"), kept_until=None)
)


def _promised(kept_until: ColumnElement[datetime]) -> ColumnElement[datetime]:
    """The later of what is promised now and what was before, where something was."""
    c = apps.c
    return case((c.live_version.is_(None), kept_until), (c.kept_until < kept_until, kept_until), else_=c.kept_until)

"""The files of apps, kept in the ledger, so that every bot process serves the same and a backup holds them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, insert, select, update

from bot.errors import ClaimLost
from bot.ledger.engine import Database
from bot.ledger.tables import app_files, app_screens, apps, attempts, documents
from guardrails.access import Action, Caller
from guardrails.documents import ClaimId, DocId, Slug, post_of
from guardrails.slugs import burnt

# Whoever only looks at an app need not wait for what claims.
if TYPE_CHECKING:
    from bot.ledger.claims import Claimed, Claims


@dataclass(frozen=True)
class App:
    """A slug and what stands there: a live version, or gone with the reason, or nothing yet.

    `address` is where the live version's own page is, None where this bot serves it. `kept_until` is None for ever.
    """

    slug: Slug
    document_id: DocId
    live_version: int | None
    address: str | None
    kept_until: datetime | None
    gone_at: datetime | None
    gone_reason: str | None
    title: str
    description: str
    source_uri: str


@dataclass(frozen=True)
class AppFile:
    """One file of an app's version."""

    path: str
    content: bytes
    sha256: str


@dataclass(frozen=True)
class Upload:
    """A bundle under a claim: the digest of the archive, and its files by path."""

    sha256: str | None
    files: Mapping[str, bytes]


class Hosting:
    """Stores uploads under a claim, and reads what is live."""

    def __init__(self, db: Database, claims: "Claims") -> None:
        self._db = db
        self._claims = claims

    def store(self, caller: Caller, claim_id: ClaimId, bundle_sha256: str, files: Mapping[str, bytes]) -> None:
        """Keep a bundle under a standing claim, over an earlier one of the same claim; public once reported done."""
        claimed = self._claims.standing(caller, Action.UPLOAD, claim_id)
        rows = [
            {
                "slug": claimed.slug,
                "version": claimed.version,
                "path": path,
                "content": content,
                "sha256": hashlib.sha256(content).hexdigest(),
            }
            for path, content in files.items()
        ]
        with self._db.write() as connection:
            _still_held(connection, claimed, claim_id, "uploaded")
            old = (app_files.c.slug == claimed.slug) & (app_files.c.version == claimed.version)
            connection.execute(app_files.delete().where(old))
            connection.execute(insert(app_files), rows)
            connection.execute(
                update(attempts).where(attempts.c.claim_id == claim_id).values(upload_sha256=bundle_sha256)
            )

    def store_screen(self, caller: Caller, claim_id: ClaimId, content: bytes) -> None:
        """Keep a picture of the app under a standing claim, over an earlier one of the same claim."""
        claimed = self._claims.standing(caller, Action.UPLOAD, claim_id)
        row = {"slug": claimed.slug, "version": claimed.version, "content": content}
        with self._db.write() as connection:
            _still_held(connection, claimed, claim_id, "pictured")
            old = (app_screens.c.slug == claimed.slug) & (app_screens.c.version == claimed.version)
            connection.execute(app_screens.delete().where(old))
            connection.execute(insert(app_screens).values(row))

    def screened(self, slug: Slug) -> frozenset[int]:
        """The versions of an app, which are the attempts at it, that there is a picture of."""
        with self._db.read() as connection:
            return frozenset(connection.scalars(select(app_screens.c.version).where(app_screens.c.slug == slug)))

    def uploaded(self, claim_id: ClaimId) -> Upload:
        """The bundle that was stored under a claim, as one upload left it: its digest, None for none, and its files."""
        query = (
            select(attempts.c.upload_sha256, app_files.c.path, app_files.c.content)
            .join(apps, apps.c.document_id == attempts.c.document_id)
            .join(app_files, (app_files.c.slug == apps.c.slug) & (app_files.c.version == attempts.c.attempt))
            .where(attempts.c.claim_id == claim_id)
            .order_by(app_files.c.path)
        )
        with self._db.read() as connection:
            rows = connection.execute(query).all()
        return Upload(rows[0].upload_sha256 if rows else None, {row.path: row.content for row in rows})

    def app(self, slug: str) -> App | None:
        """The app at a slug, also one that was forgotten, or whose ask is past; None when it was never given out."""
        query = (
            select(apps, documents.c.result)
            .outerjoin(documents, documents.c.id == apps.c.document_id)
            .where(apps.c.slug.in_([slug, burnt(slug)]))
        )
        with self._db.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        values = dict(row._mapping)
        result = values.pop("result") or {}
        told = {name: result.get(name, "") for name in ("title", "description")}
        return App(**values, **told, source_uri=post_of(values["document_id"]))

    def files(self, slug: str, version: int) -> list[AppFile]:
        """Every file of a version, by path."""
        query = (
            select(app_files.c.path, app_files.c.content, app_files.c.sha256)
            .where(app_files.c.slug == slug, app_files.c.version == version)
            .order_by(app_files.c.path)
        )
        with self._db.read() as connection:
            return [AppFile(**row._mapping) for row in connection.execute(query)]

    def file(self, slug: str, version: int, path: str) -> AppFile | None:
        """One file of a version, None when there is none."""
        query = select(app_files.c.path, app_files.c.content, app_files.c.sha256).where(
            app_files.c.slug == slug, app_files.c.version == version, app_files.c.path == path
        )
        with self._db.read() as connection:
            row = connection.execute(query).one_or_none()
        return AppFile(**row._mapping) if row is not None else None


def _still_held(connection: Connection, claimed: "Claimed", claim_id: ClaimId, step: str) -> None:
    """Note the step in the transaction of the upload; ClaimLost when the claim was voided since it was looked at."""
    held = connection.execute(
        update(documents)
        .where(documents.c.id == claimed.document.id, documents.c.claim_id == claim_id)
        .values(step=step)
    )
    if not held.rowcount:
        raise ClaimLost("the claim was voided")

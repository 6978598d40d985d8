"""From the job that builds to the job that publishes: a folder with a manifest, of which nothing has to be trusted.

The first has the model's key and no token, the second the token and no key. `manifest.json` says how the build ended
and names every file by size and hash; the app lies in `app/`, its picture in `screenshot.png`.
"""

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from builder.build import Attempt, Build, Candidate, Tools
from builder.errors import BadHandover
from builder.logs import BuildLog
from builder.outcomes import Done, Published
from builder.reports import how_it_ended, report_of, report_text
from builder.stopping import Stop
from builder.workspace import Workspace, pack, sha256_of
from guardrails.pictures import SCREENSHOT_BYTES, picture_type
from guardrails.wire import BuildOutcome, Claim, ClaimIdText, Report, Sha256

MANIFEST = "manifest.json"
APP = "app"
SCREENSHOT = "screenshot.png"
MANIFEST_BYTES = 500_000
CLAIM_BYTES = 1_000_000
# A pipe or a link in the place of a file must neither hang the lane nor lead it elsewhere.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class HandedFile(_Shape):
    """One file of the app."""

    name: str = Field(max_length=200)
    size: int = Field(ge=0, le=100_000_000)
    sha256: Sha256


class Manifest(_Shape):
    """How a build ended; `report` has no address and no hash, which are the publishing job's to say."""

    manifest_version: Literal[1] = 1
    claim_id: ClaimIdText
    document_id: Annotated[str, Field(max_length=300)]
    report: Report
    files: tuple[HandedFile, ...] = Field(default=(), max_length=1000)
    screenshot: Sha256 | None = None


@dataclass(frozen=True)
class Built:
    """A build's report, and what of it is handed over: nothing but for one that is done."""

    report: Report
    files: Mapping[str, bytes]
    screenshot: bytes | None = None


def read_claim(file: Path) -> Claim:
    """The bot's answer to a claim, from a file; BadHandover when it is none."""
    try:
        return Claim.model_validate_json(_read(file, CLAIM_BYTES))
    except ValidationError:
        # from None: a validation error quotes its input.
        raise BadHandover(f"{file.name}: not a bot's answer to a claim") from None


def build_for_handover(
    claim: Claim, tools: Tools, workspace: Workspace, stop: Stop, log: BuildLog, now: Callable[[], float]
) -> Built:
    """Generate, check and repair, whatever comes of it; the files are those before a publisher prepares them."""
    build = Build(claim, tools, workspace, stop, lambda _: None, log, now)
    attempt = how_it_ended(lambda: _published(build.passing(), claim), log)
    report = report_of(attempt, build, log).model_copy(update={"address": "", "sha256": None})
    if attempt is None or report.outcome is not BuildOutcome.DONE:
        return Built(report, {})
    return Built(report, workspace.snapshot(claim.limits).files, attempt.screenshot)


def given_back(generator: str, why: str) -> Built:
    """What is handed over when the lane can build nothing: the document goes back, with the reason."""
    detail = report_text(why, "detail")
    return Built(Report(outcome=BuildOutcome.RELEASED, generator=generator, detail=detail), {})


def hand_over(claim: Claim, built: Built, folder: Path) -> None:
    """Write the new folder, the manifest last: without one nothing of it counts. BadHandover if it is there."""
    try:
        (folder / APP).mkdir(parents=True, mode=0o700)
        app = Workspace(folder / APP)
        for name, content in built.files.items():
            app.write(name, content)
        if built.screenshot is not None:
            (folder / SCREENSHOT).write_bytes(built.screenshot)
        files = tuple(
            HandedFile(name=name, size=len(content), sha256=sha256_of(content)) for name, content in built.files.items()
        )
        manifest = Manifest(
            claim_id=claim.claim_id,
            document_id=claim.document_id,
            report=built.report,
            files=files,
            screenshot=sha256_of(built.screenshot) if built.screenshot is not None else None,
        )
        (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    except FileExistsError:
        raise BadHandover(f"{folder.name}: is there already; name a new folder") from None


def read_manifest(folder: Path, claim: Claim) -> Manifest:
    """The manifest of this claim; BadHandover when there is none, or one of another claim."""
    try:
        manifest = Manifest.model_validate_json(_read(folder / MANIFEST, MANIFEST_BYTES))
    except ValidationError as problem:
        fields = {".".join(map(str, error["loc"][:2])) for error in problem.errors(include_input=False)}
        known = sorted(field for field in fields if field.isascii() and field.replace(".", "").isidentifier())
        raise BadHandover(f"{MANIFEST}: not a manifest ({', '.join(known)[:200]})") from None
    if manifest.claim_id != claim.claim_id:
        raise BadHandover(f"{MANIFEST}: of another claim")
    return manifest


def read_app(folder: Path, manifest: Manifest, claim: Claim) -> Mapping[str, bytes]:
    """The app's files, each the very bytes that the manifest names and none beside them; BadHandover otherwise."""
    try:
        snapshot = Workspace(folder / APP).snapshot(claim.limits)
    except OSError as problem:
        raise BadHandover(f"{APP}: cannot be read ({type(problem).__name__})") from None
    if snapshot.problems:
        raise BadHandover(f"{APP}: {'; '.join(snapshot.problems)}")
    named = tuple(sorted((each.name, each.size) for each in manifest.files))
    if named != snapshot.entries or set(snapshot.files) != {name for name, _ in named}:
        raise BadHandover(f"{APP}: not the files that the manifest names")
    if any(sha256_of(snapshot.files[each.name]) != each.sha256 for each in manifest.files):
        raise BadHandover(f"{APP}: not the bytes that the manifest names")
    return snapshot.files


def read_screenshot(folder: Path, manifest: Manifest) -> bytes | None:
    """The picture that the manifest names; None when it names none. BadHandover when it is no picture, or another."""
    if manifest.screenshot is None:
        return None
    picture = _read(folder / SCREENSHOT, SCREENSHOT_BYTES)
    if sha256_of(picture) != manifest.screenshot or picture_type(picture) is None:
        raise BadHandover(f"{SCREENSHOT}: not the picture that the manifest names")
    return picture


def _published(made: Candidate | Attempt, claim: Claim) -> Attempt:
    if not isinstance(made, Candidate):
        return made
    # As if it were published: what is said of the place is taken out of the report again.
    published = Published(claim.address, sha256_of(pack(made.snapshot.files)))
    return Attempt(Done(published), made.app, made.reports, made.screenshot)


def _read(file: Path, most: int) -> bytes:
    try:
        with os.fdopen(os.open(file, _READ), "rb") as opened:
            content = opened.read(most + 1) if stat.S_ISREG(os.fstat(opened.fileno()).st_mode) else None
    except OSError as problem:
        raise BadHandover(f"{file.name}: cannot be read ({type(problem).__name__})") from None
    if content is None or len(content) > most:
        raise BadHandover(f"{file.name}: no plain file, or one that is far too large")
    return content

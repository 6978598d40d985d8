"""What a bundle may hold: the same rules for the lane before the upload and for the bot after it."""

import re
import stat
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from struct import error as StructError
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo

from guardrails.wire import Limits

INDEX = "index.html"
MAX_DEPTH = 5
MAX_NAME = 120
ZIP_OVERHEAD_PER_FILE = 512

CONTENT_TYPES: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8",
    "json": "application/json",
    "webmanifest": "application/manifest+json",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "ico": "image/x-icon",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "wav": "audio/wav",
    "webm": "video/webm",
    "mp4": "video/mp4",
    "wasm": "application/wasm",
}

_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{n}" for port in ("com", "lpt") for n in ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")]
)
_UNREADABLE = (
    BadZipFile,
    LargeZipFile,
    zlib.error,
    StructError,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,
    IndexError,
)


@dataclass(frozen=True)
class BundleFiles:
    """A bundle that keeps every rule: file contents by name, sorted."""

    files: Mapping[str, bytes]


@dataclass(frozen=True)
class BundleProblems:
    """Why a bundle is refused, in sentences that are safe to print."""

    problems: Sequence[str]


def content_type(name: str) -> str:
    """The content type that a name is served with; bytes for a name that no bundle may hold."""
    return CONTENT_TYPES.get(_extension(name), "application/octet-stream")


def check_names(entries: Iterable[tuple[str, int]], limits: Limits) -> list[str]:
    """Every broken rule about names, sizes, count and types, in sentences that are safe to print."""
    listed = list(entries)
    problems: list[str] = []
    if len(listed) > limits.files:
        problems.append(f"{len(listed)} files, more than the {limits.files} allowed")
        listed = listed[: limits.files]
    for name, size in listed:
        problems += [f"{printable(name)}: {problem}" for problem in _name_problems(name)]
        if not 0 <= size <= limits.file_bytes:
            problems.append(f"{printable(name)}: {size} bytes, more than the {limits.file_bytes} allowed for a file")
    total = sum(size for _, size in listed)
    if total > limits.total_bytes:
        problems.append(f"{total} bytes in all, more than the {limits.total_bytes} allowed")
    names = [name for name, _ in listed]
    problems += _clashes(names)
    if INDEX not in names:
        problems.append(f"there is no {INDEX}")
    return problems


def name_problem(name: str) -> str | None:
    """The first rule that one file name breaks, or None; nothing else of the bundle is looked at."""
    return next(iter(_name_problems(name)), None)


def read_bundle(archive: bytes, limits: Limits) -> BundleFiles | BundleProblems:
    """Read a zip's files if every rule is kept; never unpacks more than the limits allow, whatever it declares."""
    if len(archive) > limits.total_bytes + limits.files * ZIP_OVERHEAD_PER_FILE:
        return BundleProblems([f"the archive has {len(archive)} bytes, more than {limits.total_bytes} could need"])
    try:
        with ZipFile(BytesIO(archive)) as opened:
            return _read_entries(opened, limits)
    except _UNREADABLE as problem:
        return BundleProblems([f"the archive cannot be read ({type(problem).__name__})"])


def printable(name: str) -> str:
    """A name as plain ASCII in quotes, cut short, so that it can stand in a log or a report."""
    quoted = ascii(name)
    return quoted if len(quoted) <= 100 else quoted[:96] + "...'"


def _read_entries(opened: ZipFile, limits: Limits) -> BundleFiles | BundleProblems:
    entries = opened.infolist()
    problems = check_names(((entry.orig_filename, entry.file_size) for entry in entries), limits)
    for entry in entries[: limits.files]:
        problems += [f"{printable(entry.orig_filename)}: {problem}" for problem in _entry_problems(entry)]
    if problems:
        return BundleProblems(problems)
    files: dict[str, bytes] = {}
    for entry in sorted(entries, key=lambda entry: entry.filename):
        with opened.open(entry) as content:
            data = content.read(entry.file_size + 1)
        if len(data) != entry.file_size:
            return BundleProblems([f"{printable(entry.filename)}: not the size that the archive declares"])
        files[entry.filename] = data
    return BundleFiles(files)


def _entry_problems(entry: ZipInfo) -> Iterable[str]:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        yield "a symbolic link"
    elif kind not in (0, stat.S_IFREG) or entry.is_dir():
        yield "not a plain file"
    if entry.flag_bits & 0x1:
        yield "encrypted"
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        yield "a kind of compression that is not accepted"


def _name_problems(name: str) -> Iterable[str]:
    if not name or len(name) > MAX_NAME:
        yield f"a name has 1 to {MAX_NAME} characters"
        return
    segments = name.split("/")
    if len(segments) > MAX_DEPTH:
        yield f"more than {MAX_DEPTH - 1} folders deep"
    for segment in segments:
        problem = _segment_problem(segment)
        if problem:
            yield problem
            return
    if _extension(name) not in CONTENT_TYPES:
        yield "a type of file that is not served"


def _segment_problem(segment: str) -> str | None:
    if segment in ("", ".", ".."):
        return "an absolute name, or one that steps out of its folder"
    if segment.startswith("."):
        return "a hidden file"
    if not _SEGMENT.fullmatch(segment) or segment.endswith("."):
        return "only letters, digits, '.', '_' and '-' may stand in a name"
    if segment.split(".", maxsplit=1)[0].casefold() in _DEVICES:
        return "the name of a device on Windows"
    return None


def _clashes(names: Sequence[str]) -> Iterable[str]:
    spelled: dict[str, str] = {}
    files: set[str] = set()
    folders: set[str] = set()
    for name in names:
        segments = name.split("/")
        paths = ["/".join(segments[: depth + 1]) for depth in range(len(segments))]
        if name.casefold() in files:
            yield f"{printable(name)}: the same name twice, upper and lower case aside"
        files.add(name.casefold())
        folders.update(path.casefold() for path in paths[:-1])
        for path in paths[:-1]:
            if spelled.setdefault(path.casefold(), path) != path:
                yield f"{printable(name)}: a folder spelled in two ways"
    yield from (f"{printable(path)}: both a file and a folder" for path in sorted(files & folders))


def _extension(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[2].lower() if "." in name else ""

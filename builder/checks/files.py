"""The check `files`: names, sizes, count and types, and text that can be read."""

from typing import Final

from builder.outcomes import Checked
from builder.stopping import Stop
from builder.workspace import Snapshot
from guardrails.bundle import CONTENT_TYPES, INDEX, check_names, printable
from guardrails.wire import CheckReport, Limits

NAME: Final = "files"
MOST_FINDINGS: Final = 40
LONGEST_FINDING: Final = 300
_TEXTS: Final = frozenset(
    kind
    for kind, served in CONTENT_TYPES.items()
    if served.startswith("text/") or kind in ("svg", "json", "webmanifest")
)


class FilesCheck:
    """Looks at what is there, without reading what it says."""

    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        """What is wrong with the files; passed when nothing is."""
        findings = [*snapshot.problems, *check_names(snapshot.entries, limits)]
        for name, content in snapshot.files.items():
            problem = _content_problem(name, content)
            if problem:
                findings.append(f"{printable(name)}: {problem}")
        shown = tuple(finding[:LONGEST_FINDING] for finding in dict.fromkeys(findings))
        return Checked(CheckReport(check=NAME, passed=not shown, findings=shown[:MOST_FINDINGS]))


def _content_problem(name: str, content: bytes) -> str | None:
    if name.rpartition(".")[2].lower() not in _TEXTS:
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "not UTF-8 text"
    if name == INDEX and not text.strip():
        return "empty"
    return None

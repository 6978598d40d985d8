"""The check `files`: names, sizes, count and types, readable text, and nothing from outside the bundle."""

from builder.checks.outside import css_problems, html_problems, script_problems
from builder.outcomes import Checked
from builder.stopping import Stop
from builder.workspace import Snapshot
from guardrails.bundle import INDEX, check_names, printable
from guardrails.wire import CheckReport, Limits

NAME = "files"
MOST_FINDINGS = 40
LONGEST_FINDING = 300

_READERS = {
    "html": html_problems,
    "svg": html_problems,
    "css": css_problems,
    "js": script_problems,
    "mjs": script_problems,
}


class FilesCheck:
    """Looks at the files without running them."""

    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        """What is wrong with the files; passed when nothing is."""
        findings = [*snapshot.problems, *check_names(snapshot.entries, limits)]
        for name, content in snapshot.files.items():
            findings += [f"{printable(name)}: {problem}" for problem in _content_problems(name, content)]
        shown = tuple(finding[:LONGEST_FINDING] for finding in dict.fromkeys(findings))
        return Checked(CheckReport(check=NAME, passed=not shown, findings=shown[:MOST_FINDINGS]))


def _content_problems(name: str, content: bytes) -> list[str]:
    reader = _READERS.get(name.rpartition(".")[2].lower())
    if reader is None:
        return []
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return ["not UTF-8 text"]
    if name == INDEX and not text.strip():
        return ["empty"]
    return reader(text)

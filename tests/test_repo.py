"""The repository tests itself: what a reviewer would have to look for again in every change."""

import ast
import re
import shutil
import subprocess
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from guardrails.documents import Kind
from guardrails.lifecycle import lifecycle
from tests.missing import missing

ROOT = Path(__file__).parent.parent
FOLDERS = {".ci", "bot", "builder", "deploy", "guardrails", "tests"}
# In two pieces, so that this file is not found by its own search.
LEFT_FOR_LATER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b|NotImplemented" r"Error")
# Where a package was once downloaded from is a fact about one machine; pins and hashes are enough.
FETCHED_FROM = re.compile(
    r'"resol' r'ved":|--(extra-)?index' r"-url|--find" r"-links|--trusted" r"-host|^\S+ @ ", re.MULTILINE
)
REGISTRY = re.compile(r"https?://(files\.)?(py" r"pi\.org|python" r"hosted\.org|regis" r"try\.)")


# What puts packages on a machine, or lets others do it.
OF_THE_SYSTEM = re.compile(
    r"(?<![\w.-])(sudo|doas|apt|apt-get|aptitude|dpkg|dnf|yum|apk|pacman|zypper|brew)(?![\w.=-])"
)
# Which tests name one of those in a string, and why it does nothing here.
NAMED_ALL_THE_SAME = {
    "builder/command/test_options.py": "it is the advice of a lane's doctor",
    "deploy/actions.py": "it puts a script in its place that only notes what it was asked for",
    "deploy/building.py": "apt-get only says, with --simulate and shut in, what an image would install",
    "deploy/test_builder_lane.py": "it looks at what that script has noted",
    "deploy/test_images.py": "it looks whether apt-get is there, and names it where its lists are not",
    "drills/worlds.py": "it is the advice of a drill",
    "test_setup.py": "it is the advice that `make` prints",
}


def tracked() -> list[str]:
    """The paths of all files under version control."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        missing("no git repository here, so no list of tracked files")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def texts() -> dict[str, str]:
    """The tracked files that are text."""
    found = {}
    for name in tracked():
        content = (ROOT / name).read_bytes()
        if b"\0" not in content:
            found[name] = content.decode()
    return found


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def make_targets() -> dict[str, str]:
    """Every target that a person may call, with what the Makefile says about it."""
    return dict(re.findall(r"^([a-z][a-z-]*):(?:[^=\n#]*)(?:## (.*))?$", read("Makefile"), re.MULTILINE))


def test_the_picture_of_the_life_is_the_tables() -> None:
    """`make lifecycle` was run after the last change to the table of moves."""
    assert "\n".join(lifecycle(kind) for kind in Kind) == read("guardrails/LIFECYCLE.md")


def test_the_tree_has_the_designs_folders_only() -> None:
    """A new top-level folder is a decision, not an accident."""
    assert set() == {name.split("/")[0] for name in tracked() if "/" in name} - FOLDERS


def test_nothing_is_left_for_later() -> None:
    """What is not done is not there, and an issue says so."""
    assert [] == [name for name, text in texts().items() if LEFT_FOR_LATER.search(text)]


def test_no_file_says_where_packages_were_fetched_from() -> None:
    """Lock files hold versions and hashes, so that they serve every mirror."""
    locks = ("requirements.lock", "tests/network/package-lock.json", "tests/network/node.txt")

    assert [] == [name for name in locks if FETCHED_FROM.search(read(name))]
    assert [] == [name for name, text in texts().items() if REGISTRY.search(text)]
    assert [] == [name for name in tracked() if name.endswith("uv.lock")]


def test_every_locked_package_has_a_hash() -> None:
    """And whatever pyproject asks for is locked."""
    lock = read("requirements.lock")
    pins = re.findall(r"^([a-z0-9-]+)==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", lock, re.MULTILINE)
    project = tomllib.loads(read("pyproject.toml"))["project"]
    asked = chain(project["dependencies"], *project["optional-dependencies"].values())
    names = {re.split(r"[^A-Za-z0-9-]", line)[0].lower() for line in asked}

    assert re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE) == pins
    assert set() == names - set(pins)


def test_every_dependency_has_its_reason() -> None:
    """A line without a reason is a line that nobody dares to remove."""
    project = read("pyproject.toml").split("[project]")[1].split("[project.scripts]")[0]
    lines = re.findall(r'^  "[^"]+",.*$', project, re.MULTILINE)

    assert 20 < len(lines)
    assert [] == [line for line in lines if not re.search(r'", +# \S', line)]


def test_make_alone_lists_every_target() -> None:
    """`make` shows what there is, with a sentence for each."""
    if not shutil.which("make"):
        missing("no make on PATH")
    shown = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, check=True, capture_output=True, text=True)
    listed = {line.split()[1]: line.split(maxsplit=2)[2] for line in shown.stdout.splitlines()}

    assert make_targets() == listed


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_every_make_command_that_is_written_down_exists(name: str) -> None:
    """A renamed target is renamed in the texts as well."""
    named = set(re.findall(r"(?:^|`|\d )make ([a-z-]+)", read(name), re.MULTILINE))

    assert set() == named - set(make_targets())


def test_ci_runs_what_a_person_runs() -> None:
    """The script is executable and ends in the two commands; nothing may be skipped there."""
    script = read(".ci/run")

    assert (ROOT / ".ci/run").stat().st_mode & 0o111
    assert ["make check", "make test"] == re.findall(r"make (?:check|test)\b", script)
    assert "SKYWRIGHT_TEST_NOTHING_SKIPPED=1 make test" in script


def test_what_needs_linux_is_said() -> None:
    """Of what runs on a newcomer's machine only the generator `command` refuses another system."""
    asking = {
        path.relative_to(ROOT).as_posix()
        for folder in ("bot", "builder", "guardrails")
        for path in (ROOT / folder).rglob("*.py")
        if "sys.platform" in path.read_text(encoding="utf-8")
    }

    assert {"builder/generators/command/options.py"} == asking
    assert "all of it but the generator `command`, which needs Linux" in " ".join(read("README.md").split())


def strings_in(path: Path) -> list[str]:
    """The texts of a program, without those that only explain."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
    ]


def test_make_leaves_the_system_alone() -> None:
    """No sudo and no package manager of the system; the advice that names them is only printed."""
    recipes = [line for line in read("Makefile").splitlines() if not line.lstrip("\t ;").startswith("echo ")]

    assert [] == [line for line in recipes if OF_THE_SYSTEM.search(line)]


def test_no_test_touches_the_system_either() -> None:
    """What `make test` starts; where a test names such a program, it is said above why it does nothing here."""
    tests = {path.relative_to(ROOT / "tests").as_posix(): path for path in (ROOT / "tests").rglob("*.py")}
    naming = {name for name, path in tests.items() if any(map(OF_THE_SYSTEM.search, strings_in(path)))}

    assert NAMED_ALL_THE_SAME.keys() == naming - {Path(__file__).name}
    assert 1 == len(re.findall(r"exec .*apt-get .* --simulate ", read("tests/deploy/building.py")))


def test_the_checks_before_a_commit_are_our_own() -> None:
    """No hook is fetched from elsewhere, and each runs a tool of the locked environment."""
    hooks = read(".pre-commit-config.yaml")

    assert ["local"] == re.findall(r"repo: (.*)", hooks)
    assert {"system"} == set(re.findall(r"language: (.*)", hooks))
    assert {".venv/bin"} == {str(Path(program).parent) for program in re.findall(r"entry: (\S+)", hooks)}

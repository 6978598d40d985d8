"""A small GitHub Actions: runs the jobs of a workflow file on this machine, its shell steps as they stand.

What is not here is said here: `pip`, `playwright install` and `sudo` are stand-ins that note what they were asked for;
checkout gives this project's files; artifacts are folders. An expression that is not known is an error.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parent.parent.parent
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
# What may become an output: ids, hashes and paths of ours. Nothing that anybody wrote has this form by chance.
PLAIN = re.compile(r"[A-Za-z0-9._/-]*")
ENVIRONMENT_FILE = re.compile(r"([a-z0-9_]+)=(.*)")
# What the steps call, beside what every Linux has; GitHub's images have it.
TOOLS = ("curl", "jq")
MASK = "::add-mask::"

# Stands for the Python that actions/setup-python gives; only installs, and installs nothing.
PYTHON = """#!/bin/bash
set -eu
echo "$*" >> "$ACTIONS_INSTALLED"
case "$*" in
  "-m pip install --quiet --require-hashes --requirement "*) test -s "${*: -1}" ;;
  "-m pip install --quiet --no-deps --no-build-isolation .")
    test -s pyproject.toml
    ln -s "$ACTIONS_LANE" "$ACTIONS_BIN/skywright-builder"
    ;;
  "-m playwright install --with-deps --no-shell chromium")
    mkdir -p "$PLAYWRIGHT_BROWSERS_PATH/chromium-1/chrome-linux64"
    touch "$PLAYWRIGHT_BROWSERS_PATH/chromium-1/chrome-linux64/chrome"
    ;;
  *) exit 9 ;;
esac
"""
SUDO = '#!/bin/bash\necho "sudo $*" >> "$ACTIONS_INSTALLED"\n'
NOT_YET = "#!/bin/sh\nexit 127\n"


def load_workflow(file: Path) -> Any:
    """A workflow as plain data; every scalar is text, as expressions see it, and `on` is no truth value."""
    return yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: S506 - the base loader makes text only


@dataclass(frozen=True)
class Ended:
    """How a job ended, what it told the others, what it printed, what it installed, and what each step was told."""

    result: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    log: str = ""
    installed: tuple[str, ...] = ()
    told: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass
class Run:
    """One run of a workflow. `secrets` are those of each environment; a job sees the ones of its own."""

    workflow: Any
    place: Path
    secrets: Mapping[str, Mapping[str, str]]
    variables: Mapping[str, str]
    machine: Callable[[str], Mapping[str, str]] = lambda _: {}
    attempt: int = 1
    ended: dict[str, Ended] = field(default_factory=dict)
    artifacts: dict[str, tuple[str, Path]] = field(default_factory=dict)

    def job(self, name: str) -> Ended:
        """Run a job after those that it needs; `machine` is what its machine's environment says besides."""
        self.ended[name] = _Job(self, name).run()
        return self.ended[name]

    def lose(self, name: str, **outputs: str) -> None:
        """The machine of this job is gone before it has told anything, or anything but this."""
        self.ended[name] = Ended("failure", outputs)

    def keep(self, name: str, folder: Path) -> str:
        """Store a folder's files as an artifact; its id. A name is given once in a run, as GitHub demands."""
        assert name not in {each for each, _ in self.artifacts.values()}, "409 Conflict: an artifact has this name"
        number = str(1000 + len(self.artifacts))
        shutil.copytree(folder, self.place / "artifacts" / number, ignore=shutil.ignore_patterns(".*"))
        self.artifacts[number] = name, self.place / "artifacts" / number
        return number


class _Job:
    """One job on a machine of its own: a new home, a new workspace, nothing on PATH but what the image has."""

    def __init__(self, run: Run, name: str) -> None:
        self._run = run
        self._given = run.workflow["jobs"][name]
        self._needs = _needs(self._given)
        self._place = run.place / name
        self._env = self._machine(name)
        self._steps: dict[str, dict[str, str]] = {}
        self._log: list[str] = []
        self._told: dict[str, Mapping[str, str]] = {}
        self._failed = False

    def run(self) -> Ended:
        if not self._holds(self._given.get("if", ""), failed=not self._all_went_well(self._needs)):
            return Ended("skipped", dict.fromkeys(self._given.get("outputs", {}), ""))
        for folder in ("bin", "home", "temp", "workspace"):
            (self._place / folder).mkdir(parents=True)
        self._provide("sudo", SUDO)
        self._provide("python", NOT_YET)
        self._provide("pip", NOT_YET)
        self._provide("python3", f'#!/bin/sh\nexec {sys.executable} -I "$@"\n')
        for step in self._given["steps"]:
            self._take(step)
        outputs = {name: self._text(value) for name, value in self._given.get("outputs", {}).items()}
        installed = self._place / "installed"
        return Ended(
            "failure" if self._failed else "success",
            outputs,
            "".join(self._log),
            tuple(installed.read_text().splitlines()) if installed.exists() else (),
            self._told,
        )

    def _machine(self, name: str) -> dict[str, str]:
        place = self._place
        return {
            "PATH": os.pathsep.join([str(place / "bin"), *_system()]),
            "HOME": str(place / "home"),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": "olga/lanes",
            "GITHUB_REF_NAME": "main",
            "GITHUB_WORKSPACE": str(place / "workspace"),
            "RUNNER_TEMP": str(place / "temp"),
            "ACTIONS_BIN": str(place / "bin"),
            "ACTIONS_INSTALLED": str(place / "installed"),
            "ACTIONS_LANE": str(Path(sys.executable).with_name("skywright-builder")),
            **self._run.machine(name),
        }

    def _provide(self, name: str, script: str) -> None:
        program = self._place / "bin" / name
        program.write_text(script)
        program.chmod(0o755)

    def _take(self, step: Any) -> None:
        outputs = self._steps.setdefault(step.get("id", ""), {})
        if not self._holds(step.get("if", ""), failed=self._failed):
            return
        if "run" in step:
            self._failed |= not self._shell(step, outputs)
            return
        given = {name: self._text(value) for name, value in step.get("with", {}).items()}
        _ACTIONS[step["uses"].partition("@")[0]](self, given, outputs)

    def _shell(self, step: Any, outputs: dict[str, str]) -> bool:
        told = self._place / "temp" / "_output"
        told.write_text("")
        env = {name: self._text(value) for name, value in step.get("env", {}).items()}
        self._told[step["name"]] = env
        # As GitHub starts it for `shell: bash`.
        ended = subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self._place / "workspace",
            env={**self._env, "GITHUB_OUTPUT": str(told), **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=50,
            check=False,
        )
        self._log += [line for line in ended.stdout.splitlines(keepends=True) if not line.startswith(MASK)]
        for line in told.read_text().splitlines():
            name, value = _matched(ENVIRONMENT_FILE, line).groups()
            outputs[name] = _matched(PLAIN, value)[0]
        return ended.returncode == 0

    def _text(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self._value(found[1]), text)

    def _value(self, expression: str) -> str:
        run = self._run
        match expression.split("."):
            case ["vars", name]:
                return run.variables[name]
            case ["secrets", name]:
                assert any(name in secrets for secrets in run.secrets.values()), f"no secret {name} anywhere"
                return run.secrets.get(self._given.get("environment", ""), {}).get(name, "")
            case ["needs", job, "result"] if job in self._needs:
                return run.ended[job].result
            case ["needs", job, "outputs", name] if job in self._needs:
                assert name in run.workflow["jobs"][job]["outputs"]
                return run.ended[job].outputs.get(name, "")
            case ["steps", step, "outputs", name]:
                return self._steps[step].get(name, "")
            case ["runner", "temp"]:
                return self._env["RUNNER_TEMP"]
            case ["github", "run_attempt"]:
                return str(run.attempt)
            case ["github", "token"]:
                return "the-runs-own-token"
        raise AssertionError(f"an expression that nobody knows: {expression}")

    def _holds(self, condition: str, *, failed: bool) -> bool:
        """A condition, as few kinds of them as the file has; without a status function it asks for success too."""
        whole = EXPRESSION.fullmatch(condition)
        terms = (whole[1] if whole else condition).split(" && ") if condition else []
        if failed and not {"always()", "!cancelled()"} & set(terms):
            return False
        return all(self._term(term) for term in terms)

    def _term(self, term: str) -> bool:
        if term in ("always()", "!cancelled()"):
            return True
        left, operator, right = term.split(" ")
        same = self._value(left) == right.strip("'")
        return same if operator == "==" else not same

    def _all_went_well(self, needs: list[str]) -> bool:
        """Whether the jobs before this one, and those before them, have all succeeded."""
        for name in needs:
            if self._run.ended[name].result != "success":
                return False
            if not self._all_went_well(_needs(self._run.workflow["jobs"][name])):
                return False
        return True

    def _check_out(self, given: Mapping[str, str], _: dict[str, str]) -> None:
        assert {"persist-credentials": "false"} == given
        for path in ROOT.iterdir():
            (self._place / "workspace" / path.name).symlink_to(path)

    def _set_up_python(self, given: Mapping[str, str], _: dict[str, str]) -> None:
        assert {"python-version"} == set(given)
        self._provide("python", PYTHON)

    def _upload(self, given: Mapping[str, str], outputs: dict[str, str]) -> None:
        assert {"name", "path", "if-no-files-found", "retention-days"} == set(given)
        path = Path(given["path"])
        files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
        if not files:
            self._failed |= given["if-no-files-found"] == "error"
            return
        folder = path
        if path.is_file():
            folder = self._place / "only" / path.name
            folder.mkdir(parents=True)
            shutil.copy(path, folder)
        outputs["artifact-id"] = self._run.keep(given["name"], folder)

    def _download(self, given: Mapping[str, str], _: dict[str, str]) -> None:
        assert {"artifact-ids", "path"} == set(given)
        path = Path(given["path"])
        assert not path.is_relative_to(self._place / "workspace")
        if given["artifact-ids"] not in self._run.artifacts:
            self._failed = True
            return
        shutil.copytree(self._run.artifacts[given["artifact-ids"]][1], path, symlinks=True)


def _needs(job: Any) -> list[str]:
    needs = job.get("needs", [])
    return [needs] if isinstance(needs, str) else needs


def _system() -> list[str]:
    """The machine's programs without those of this project, which a job has to install first."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [folder for folder in folders if not Path(folder, "skywright-builder").exists()]


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    assert found is not None, f"not for an output: {text!r}"
    return found


_ACTIONS: Mapping[str, Callable[[_Job, Mapping[str, str], dict[str, str]], None]] = {
    "actions/checkout": _Job._check_out,
    "actions/setup-python": _Job._set_up_python,
    "actions/upload-artifact": _Job._upload,
    "actions/download-artifact": _Job._download,
}

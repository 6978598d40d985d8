"""Whether a lane may start with the generator `command`, and what it says when it may not."""

from pathlib import Path

import pytest

from builder.errors import BadSettings
from builder.generators.command.generator import CommandGenerator
from builder.generators.command.options import CommandOptions, Isolation, why_not, words
from builder.isolation.bounds import Bounds
from builder.outcomes import Unfit
from tests.builder.command.stage import PATH, Stage, need

VALUE = "s3cret-value"


def options(
    *argv: str,
    path: str = PATH,
    allowed: tuple[str, ...] = (),
    read_only: tuple[Path, ...] = (),
    private: tuple[Path, ...] = (),
    isolation: Isolation = Isolation.BUBBLEWRAP,
) -> CommandOptions:
    environ = {"PATH": path, "SKYWRIGHT_LANE_TOKEN": VALUE, "skywright_lane_token": VALUE, "MODEL_KEY": VALUE}
    return CommandOptions(argv, environ, allowed, isolation, read_only=read_only, private=private)


def refusal(wanted: CommandOptions) -> str:
    """Why it may not start; never with a value in it."""
    problem = why_not(wanted)
    assert problem is not None
    assert VALUE not in problem
    return problem


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with one program, `agent`, and nothing else: a PATH on which bubblewrap is missing."""
    folder = tmp_path / "tools"
    folder.mkdir()
    executable(folder / "agent", "#!/bin/sh\n")
    return folder


def executable(path: Path, content: str) -> None:
    path.write_text(content)
    path.chmod(0o755)


@pytest.mark.parametrize("isolation", Isolation)
def test_a_lane_that_has_all_may_start(isolation: Isolation) -> None:
    """A program that does nothing was run behind the same walls."""
    need(isolation)

    assert why_not(options("sh", "-c", "exit 1", allowed=("MODEL_KEY", "PATH"), isolation=isolation)) is None


@pytest.mark.parametrize(
    ("argv", "allowed", "said"),
    [
        ((), (), "there is no command"),
        (("no-such-program",), (), "the program 'no-such-program' is not on the lane's PATH"),
        (("sh",), ("SKYWRIGHT_LANE_TOKEN",), "SKYWRIGHT_LANE_TOKEN is the lane's own and never given to a program"),
        (("sh",), ("skywright_lane_token",), "skywright_lane_token is the lane's own"),
        (("sh",), ("MODEL_KEY", "MISSING"), "MISSING is on the list of allowed variables but is not set"),
        (("sh",), ("HOME",), "HOME is set by the lane"),
        (("sh",), ("MODEL_KEY=x",), "'MODEL_KEY=x' is no name of a variable"),
        (("sh",), ("*",), "'*' is no name of a variable"),
    ],
)
@pytest.mark.parametrize("isolation", Isolation)
def test_what_cannot_work_is_said_at_the_start(
    argv: tuple[str, ...], allowed: tuple[str, ...], said: str, isolation: Isolation
) -> None:
    """And what to do about it; the same without walls."""
    assert refusal(options(*argv, allowed=allowed, isolation=isolation)).startswith(said)


@pytest.mark.parametrize("path", ["/", "/etc", "/home", "/proc", "/run/user", "/sys/kernel", "/dev/..", "/nowhere"])
def test_nothing_can_be_shown_that_undoes_the_walls(path: str) -> None:
    """Nor what is not there."""
    problem = refusal(options("sh", read_only=(Path(path),)))

    assert "to the program" in problem
    assert repr(path) in problem


def test_a_folder_with_a_secret_of_the_lane_is_not_shown(tmp_path: Path) -> None:
    """By a link to it neither."""
    token = tmp_path / "keep" / "token"
    token.parent.mkdir()
    token.write_text("x")
    link = tmp_path / "link"
    link.symlink_to(token.parent)

    for shown in (token, token.parent, tmp_path, link):
        assert "the program could read" in refusal(options("sh", read_only=(shown,), private=(token,)))


def test_bubblewrap_is_asked_for_by_name_where_it_is_missing(tools: Path, tmp_path: Path) -> None:
    """At the start; and a lane whose bubblewrap was removed meanwhile is unfit. No other isolation takes its place."""
    wanted = options("agent", path=str(tools))
    stage = Stage(tmp_path, Isolation.NONE)

    assert refusal(wanted).startswith("bubblewrap is not installed; install it (`apt install bubblewrap`)")
    outcome = CommandGenerator(wanted, lambda: 0.0).generate(stage.task())
    assert isinstance(outcome, Unfit)
    assert outcome.detail.startswith("bubblewrap is not installed")


@pytest.mark.parametrize(
    ("said", "mend"),
    [
        ("bwrap: No permissions to create new namespace, likely because the kernel does not allow", "user namespaces"),
        ("bwrap: setting up uid map: Permission denied", "AppArmor"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "AppArmor"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"),
        ("bwrap: Unknown option --disable-userns", "0.8 or newer"),
        ("bwrap: \x1b[31msomething else\nnew", "see what it says"),
    ],
)
def test_isolation_that_cannot_be_set_up_is_no_start(tools: Path, said: str, mend: str) -> None:
    """Bubblewrap's own words are passed on, cleaned, with what mends it."""
    executable(tools / "bwrap", f"#!/bin/sh\nprintf '%s' \"{said}\" >&2\nexit 1\n")

    problem = refusal(options("agent", path=str(tools)))

    assert problem.startswith("the isolation `bubblewrap` cannot be set up here (it could not be started")
    assert "bwrap: " in problem
    assert mend in problem
    assert problem.isprintable()


def test_a_lane_that_cannot_isolate_any_more_is_unfit(tools: Path, tmp_path: Path) -> None:
    """The ask is given back, and the program did not run."""
    executable(tools / "agent", "#!/bin/sh\ntouch app/ran\n")
    executable(tools / "bwrap", "#!/bin/sh\necho 'bwrap: no' >&2\nexit 1\n")
    stage = Stage(tmp_path, Isolation.NONE)

    outcome = CommandGenerator(options("agent", path=str(tools)), lambda: 0.0).generate(stage.task())

    assert isinstance(outcome, Unfit)
    assert "bwrap: no" in outcome.detail
    assert {} == stage.files()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("agent --model 'a b' $(touch x) `id` | cat > y; z", ["agent", "--model", "a b", "$(touch", "x)", "`id`", "|"]),
        ("", []),
        ('"/opt/my agent/run"', ["/opt/my agent/run"]),
    ],
)
def test_a_command_is_words_and_never_a_shell_line(command: str, expected: list[str]) -> None:
    """Quotes hold words together; every other sign of a shell is a letter."""
    assert expected == list(words(command))[:7]


def test_a_quote_that_is_not_closed_is_refused() -> None:
    """Rather than guessed."""
    with pytest.raises(BadSettings, match="the command cannot be read: No closing quotation"):
        words("agent 'oops")


def test_a_build_has_no_more_time_than_it_has_left() -> None:
    """Of the option and what is left of the build's budget, the shorter."""
    assert 5 == Bounds(seconds=5).within(7).seconds
    assert 3 == Bounds(seconds=5).within(3).seconds

"""What `skywright init` says at its end: the next commands, and a text for the account to post."""

from collections.abc import Iterator

from bot.terminal.init_lanes import ELSEWHERE, GITHUB, HERE


def next_steps(lanes: str, command: str, lane_file: str, rules_file: str) -> Iterator[str]:
    """The three commands that come next, and how the first asks are let through."""
    builds = {
        HERE: f"skywright-builder --env-file {lane_file} watch",
        ELSEWHERE: f"{command} devices invite",
        GITHUB: f"{command} devices list",
    }.get(lanes, f"{command} devices invite")
    why = {
        HERE: "the lane, in another terminal: leave it running, too",
        ELSEWHERE: "prints a code for the lane's machine: `skywright-builder enrol CODE` there",
        GITHUB: "shows the runs that have come by; deploy/github/README.md sets them up",
    }.get(lanes, "once there is a machine for a lane: prints the code for `skywright-builder enrol` there")
    yield ""
    yield "Next:"
    yield ""
    for line, comment in (
        (f"{command} run", "the bot: leave it running"),
        (builds, why),
        (f"{command} doctor", "looks at all of it; each line that is not ok has its mend"),
    ):
        yield f"  {line}"
        yield f"      {comment}"
    yield ""
    yield "The first ask of everybody waits for you; `approve` lets it be built, and its author is known from then on:"
    yield ""
    yield f"  {command} list --status awaiting-approval"
    yield f"  {command} approve ID"
    yield ""
    yield f'To have nobody wait, set policy = "held" below [approval] in {rules_file}, then:'
    yield ""
    yield f"  {command} reload"


def how_to_text(handle: str, contact: str) -> Iterator[str]:
    """How people use the bot, in a post's length; a person posts and pins it, or does not."""
    yield f"I build small web apps. Mention me and say what you need: “@{handle} make me a pomodoro timer”."
    yield "I answer once, with a link, in a few minutes."
    yield "Reply “delete” and it goes, “forget me” and I forget you."
    if contact:
        yield f"I am a bot. {contact} answers for me."

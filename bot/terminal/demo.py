"""`skywright demo`: a small Bluesky, the bot and a lane on this machine, for one ask after another."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
from cryptography.fernet import Fernet
from pydantic import SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource
from rich.console import Console

from bot.clock import Clock
from bot.ledger.consoles import LONGEST_LINK
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.logs import configure_logs
from bot.main import ledger_of, run_bot
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.sandbox.stream import SandboxStream
from bot.settings import Settings
from bot.terminal.demo_say import ALICE, BOT, DemoFailed, note_state, thread_of
from bot.terminal.lines import move_line
from bot.terminal.screen import on_terminal
from bot.tokens import new_console_code
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId, Kind, doc_id_of, split_at_uri
from guardrails.transitions import Status, is_terminal

FIRST_ASK = "make me a pomodoro timer, 25/5 please"
# Whoever tries it asks for more in an hour than strangers may.
RULES = """\
[caps]
author_per_hour = 200
author_per_day = 200
starts_per_day = 400
[money]
author_day_usd = 10
day_usd = 10
"""
DEMO = Caller(Role.OPERATOR, DeviceId("demo"))
STEP_SECONDS = 0.2
PATIENCE_SECONDS = 60.0


class DemoSettings(Settings):
    """Settings that come from nowhere else: a real bot's, in the environment, are none of the demo's business."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_others: PydanticBaseSettingsSource,
        **_more: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What the demo itself sets, and the defaults."""
        return (init_settings,)


@dataclass(frozen=True)
class Stage:
    """What the demo runs on."""

    folder: Path
    sandbox: SandboxServer
    settings: Settings
    ledger: Ledger


def demo_command(*, once: bool) -> None:
    """Run the demo; with `once` or without a terminal it ends after the first reply, DemoFailed when there is none.

    A signal ends it: well after the first reply, before it with the status that a shell gives to a signal.
    """
    console = Console(highlight=False)
    with _noting_signals() as signals, ExitStack() as stack:
        stage = _set_up(stack)
        console.print("[bold]Skywright[/bold], with a small Bluesky of its own: everything stays on this machine.\n")
        console.print(f"[bold]alice.test[/bold]: @{BOT} {FIRST_ASK}\n")
        post = stage.sandbox.network.say(ALICE, f"@{BOT} {FIRST_ASK}")
        seq = _follow_until_settled(stage, console, post.uri, signals)
        if signals:
            raise typer.Exit(128 + signals[0])
        if not goes_on_after_a_reply(once=once):
            return
        _print_way_in(stage, console)
        console.print('\nAsk for more from another terminal: [bold]skywright demo say "tip splitter for 4"[/bold]')
        console.print("Ctrl-C ends the demo.\n")
        _follow(stage, console, seq, signals)


def goes_on_after_a_reply(*, once: bool) -> bool:
    """Whether somebody is there to ask for more, and may."""
    return not once and on_terminal()


def _set_up(stack: ExitStack) -> Stage:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="skywright-demo-")))
    configure_logs("console", stack.enter_context((folder / "bot.log").open("w")))
    network = SandboxNetwork(Clock(), secret=secrets.token_bytes(16))
    account = network.create_account(BOT, secrets.token_urlsafe(12), "Skywright", ["bot"])
    network.create_account(ALICE, secrets.token_urlsafe(12), "Alice")
    sandbox = stack.enter_context(SandboxServer(network))
    (folder / "guardrails.toml").write_text(RULES)
    live = stack.enter_context(SandboxStream(network.happenings))
    settings = _settings(folder, sandbox.url, live.url, account.password)
    _run_bot(stack, settings)
    ledger = ledger_of(settings)
    stack.callback(ledger.close)
    _run_lane(stack, folder, settings, ledger)
    note_state(stack, sandbox.url)
    return Stage(folder, sandbox, settings, ledger)


def _settings(folder: Path, sandbox_url: str, stream_url: str, password: str) -> Settings:
    apps, lane, admin = _free_ports(3)
    return DemoSettings(
        identifier=BOT,
        password=SecretStr(password),
        session_key=SecretStr(Fernet.generate_key().decode()),
        pds_url=sandbox_url,
        plc_url=f"{sandbox_url}/plc",
        web_url=sandbox_url,
        database_url=f"sqlite:///{folder / 'ledger.db'}",
        rules=folder / "guardrails.toml",
        apps_url=f"http://localhost:{apps}",
        apps_listen=f"127.0.0.1:{apps}",
        lane_listen=f"127.0.0.1:{lane}",
        admin_listen=f"127.0.0.1:{admin}",
        poll_seconds=0.3,
        tick_seconds=0.3,
        stream_url=stream_url,
        # Nobody says anything for hours.
        stream_silence_seconds=3600,
    )


def _run_bot(stack: ExitStack, settings: Settings) -> None:
    stop, ready, failed = threading.Event(), threading.Event(), list[BaseException]()

    def work() -> None:
        try:
            run_bot(settings, stop, ready=ready.set)
        except BaseException as error:
            failed.append(error)
            ready.set()

    thread = threading.Thread(target=work, name="bot")
    thread.start()
    stack.callback(thread.join)
    stack.callback(stop.set)
    ready.wait()
    if failed:
        raise DemoFailed(f"the bot did not start: {failed[0]}")


def _run_lane(stack: ExitStack, folder: Path, settings: Settings, ledger: Ledger) -> None:
    token = "sw_" + secrets.token_urlsafe(32)
    ledger.desk.add_device(DEMO, DeviceId("demo-lane"), "demo lane", Role.LANE, settings.apps_url, token)
    environment = {
        "SKYWRIGHT_LANE_BOT_URL": settings.lane_address,
        "SKYWRIGHT_LANE_TOKEN": token,
        "SKYWRIGHT_LANE_POLL_SECONDS": "0.3",
        "SKYWRIGHT_LANE_WORK_DIR": str(folder),
        # The templates are ours, and a demo has to run on a machine without a browser.
        "SKYWRIGHT_LANE_BROWSER": "off",
        "PATH": os.environ.get("PATH", os.defpath),
    }
    log = stack.enter_context((folder / "lane.log").open("w"))
    # Its own session: Ctrl-C is for the demo, which then ends the lane by its pid.
    lane = subprocess.Popen(
        [sys.executable, "-m", "builder.cli", "watch"],
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    stack.callback(_end, lane)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _follow_until_settled(stage: Stage, console: Console, uri: str, signals: list[int]) -> int:
    """Print the moves until the ask is settled, then its links; the last sequence number that was printed."""
    document_id = doc_id_of(Kind.MENTION, uri)
    until = time.monotonic() + PATIENCE_SECONDS
    seq = 0
    while _goes_on(signals):
        for move in stage.ledger.feed.after(seq, 100):
            console.print(move_line(move), soft_wrap=True)
            seq = move.seq
            if move.document_id == document_id and is_terminal(move.kind, move.to_status):
                document = stage.ledger.queries.document(document_id)
                _print_links(stage, console, document)
                if move.to_status is not Status.REPLIED:
                    raise DemoFailed(f"the ask ended as {move.to_status.value}: {move.reason.value} {move.detail}")
                return seq
        if time.monotonic() > until:
            raise DemoFailed(f"no reply within {PATIENCE_SECONDS:.0f} seconds{_logs(stage.folder)}")
    return seq


def _follow(stage: Stage, console: Console, seq: int, signals: list[int]) -> None:
    while _goes_on(signals):
        for move in stage.ledger.feed.after(seq, 100):
            console.print(move_line(move), soft_wrap=True)
            seq = move.seq
            if is_terminal(move.kind, move.to_status):
                _print_links(stage, console, stage.ledger.queries.document(move.document_id))
                console.print()


def _print_links(stage: Stage, console: Console, document: Document) -> None:
    links = {"the thread": thread_of(stage.sandbox.url, split_at_uri(document.source_uri).rkey)}
    if document.result is not None:
        links = {"the app": document.result.address} | links
    links["health"] = f"{stage.settings.admin_address}/health"
    console.print()
    for name, link in links.items():
        _print_link(console, name, link)


def _print_way_in(stage: Stage, console: Console) -> None:
    """A link that lets whoever sits here into the console, once."""
    code = new_console_code()
    stage.ledger.consoles.offer(DEMO, code, Role.OPERATOR, LONGEST_LINK)
    _print_link(console, "the console", f"{stage.settings.admin_address}/console/enter/{code}")
    console.print(f"  {'':<12}(the console's link lets one person in, once)")


def _print_link(console: Console, name: str, link: str) -> None:
    console.print(f"  {name:<12}", end="")
    console.print(link, style="underline", soft_wrap=True)


def _logs(folder: Path) -> str:
    tails = [f"\n--- {log.name}\n{log.read_text()[-2000:]}" for log in sorted(folder.glob("*.log"))]
    return "".join(tails)


def _free_ports(count: int) -> list[int]:
    """Ports that are free now, all held at once so that they differ."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in held]


def _goes_on(signals: list[int]) -> bool:
    """A short pause, cut by a signal; False when one came."""
    if not signals:
        time.sleep(STEP_SECONDS)
    return not signals


@contextmanager
def _noting_signals() -> Iterator[list[int]]:
    """The signals that came, Ctrl-C or another end: they are only noted, so that everything is taken down in order."""
    came: list[int] = []
    # The lane has a session of its own, and would outlive a terminal whose end killed the demo. `nohup` is respected.
    hang_up = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    before = {
        number: signal.signal(number, lambda number, _: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM, *hang_up)
    }
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""`skywright demo say`: one more ask for the demo that runs on this machine, and where it leaves word of itself."""

import json
import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote

import httpx

from bot.errors import BotError
from guardrails.documents import split_at_uri
from guardrails.text import visible

BOT, ALICE = "wright.test", "alice.test"


class DemoFailed(BotError):
    """The demo did not come to its reply."""


def say_command(text: str) -> None:
    """Mention the bot of the running demo as alice; DemoFailed when no demo runs."""
    try:
        state = json.loads(_state_file().read_text())
        answer = httpx.post(
            f"{state['sandbox']}/sandbox/post",
            json={"handle": ALICE, "text": f"@{BOT} {text}"},
            timeout=5,
            trust_env=False,  # it is on this machine, behind no proxy
        )
    except (OSError, ValueError, KeyError, httpx.HTTPError):
        raise DemoFailed("no demo is running: start one with `skywright demo`") from None
    if answer.is_error:
        raise DemoFailed(f"the demo's network does not take that: {visible(answer.text)[:300]}")
    rkey = split_at_uri(answer.json()["uri"]).rkey
    sys.stdout.write(f"said; the thread: {thread_of(state['sandbox'], rkey)}\n")


def thread_of(sandbox_url: str, rkey: str) -> str:
    """The page of a thread that alice began."""
    return f"{sandbox_url}/profile/{ALICE}/post/{quote(rkey)}"


def note_state(stack: ExitStack, sandbox_url: str) -> None:
    """Leave word of where the demo runs, for `demo say`; the newest demo counts, and each removes only its own word."""
    state = _state_file()
    state.parent.mkdir(parents=True, exist_ok=True)
    word = json.dumps({"pid": os.getpid(), "sandbox": sandbox_url})
    state.write_text(word)

    def remove() -> None:
        if state.exists() and state.read_text() == word:
            state.unlink()
            with suppress(OSError):
                state.parent.rmdir()

    stack.callback(remove)


def _state_file() -> Path:
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(home) / "skywright" / "demo.json"

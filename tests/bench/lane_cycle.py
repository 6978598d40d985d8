"""What a lane asks of a bot for one app, without the work between: claim, upload, report."""

import time

from builder.client import BotClient
from builder.workspace import pack, sha256_of
from guardrails.wire import BuildOutcome, Report

APPS_URL = "http://localhost:8100"
TOKEN = "token-of-the-bench"
BUNDLE = pack({"index.html": b"<!doctype html><html lang=en><title>t</title><h1>Hello</h1>"})


def report_of(address: str) -> Report:
    """A finished app at an address."""
    return Report(
        outcome=BuildOutcome.DONE,
        title="Pomodoro",
        description="Twenty-five minutes, then five.",
        address=address,
        sha256=sha256_of(BUNDLE),
        generator="template",
    )


def one_cycle(bot: BotClient, claim_id: str) -> float:
    """Do the three calls; the seconds that they took."""
    began = time.perf_counter()
    claim = bot.claim(claim_id, "template")
    assert claim is not None
    bot.upload(claim_id, BUNDLE)
    bot.report(claim_id, report_of(claim.address))
    return time.perf_counter() - began

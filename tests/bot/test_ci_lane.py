"""The whole bot with a lane in CI: work waits, the workflow is called, its run logs in and takes the work."""

import threading
from datetime import timedelta
from pathlib import Path

import httpx
from pydantic import SecretStr

from bot.clock import Clock
from bot.main import ledger_of, prepare_ledger, run_bot
from bot.settings import Settings
from tests.bot.bluesky.scripted import Answer, scripted_pds
from tests.bot.issuer import REPOSITORY, Issuer, issuing
from tests.bot.ledger.steps import pending
from tests.bot.test_main import settings as bare_settings
from tests.scenarios.processes import free_ports
from tests.waiting import until


def settings(folder: Path, ports: list[int], issuer: Issuer, github: str) -> Settings:
    """A bot that knows a repository's workflow, its environment and its issuer."""
    return bare_settings(folder, ports).model_copy(
        update={
            "github_repository": REPOSITORY,
            "github_environment": "lanes",
            "github_audience": "skywright",
            "github_issuer": issuer.url,
            "github_api_url": github,
            "github_token": SecretStr("a-token"),
        }
    )


def test_a_run_that_was_called_takes_the_work(tmp_path: Path) -> None:
    """Under the longest lease that runs may have; the jobs that see to it are on the health page."""
    ports, stop, ready = free_ports(3), threading.Event(), threading.Event()
    with issuing() as issuer, scripted_pds(lambda _: Answer(204, b"")) as github:
        told = settings(tmp_path, ports, issuer, github.url)
        ledger = ledger_of(told, Clock(timedelta(minutes=-1)))
        prepare_ledger(ledger)
        waiting = pending(ledger)
        bot = threading.Thread(target=run_bot, args=(told, stop), kwargs={"ready": ready.set})
        bot.start()
        try:
            ready.wait(30)
            until(lambda: github.calls)
            with httpx.Client(base_url=f"http://127.0.0.1:{ports[1]}", trust_env=False) as lane:
                run = lane.post("/api/lane/run", json={"id_token": issuer.token()}).json()
                asked = {"claim_id": "c" * 26, "generator": "llm", "lease_seconds": 86_400}
                signed = {"Authorization": f"Bearer {run['token']}"}
                claim = lane.post("/api/lane/claim", json=asked, headers=signed).json()
            health = httpx.get(f"http://127.0.0.1:{ports[2]}/health", trust_env=False).json()
        finally:
            stop.set()
            bot.join()
        ledger.close()

    assert (waiting.id, 3600, f"{told.apps_url}/{claim['slug']}") == (
        claim["document_id"],
        claim["lease_seconds"],
        claim["address"],
    )
    assert {"lanes", "dispatch"} <= set(health["jobs"])
    assert (0, None) == (health["waiting_for_lane"], health["lane_late_seconds"])
    assert health["last_lane_seen"]

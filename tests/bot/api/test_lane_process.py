import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from bot.apphost import apps_app
from tests.bot.api.lanes import APPS_URL, Lane
from tests.bot.serving import client, served
from tests.bot.stage import Stage


@pytest.mark.parametrize(
    ("ask", "status", "said"),
    [("a pomodoro timer, 25/5", "built", 200), ("please compose a symphony about tax law", "build-failed", 404)],
)
def test_the_real_lane_does_its_work_over_http(
    lane: Lane, stage: Stage, tmp_path: Path, ask: str, status: str, said: int
) -> None:
    """Its own process, with nothing of the bot but a URL and a token; the app is there, or the reason is."""
    asked = stage.ask(ask)
    environment = {
        "SKYWRIGHT_LANE_BOT_URL": str(lane.http.base_url),
        "SKYWRIGHT_LANE_TOKEN": lane.token,
        "SKYWRIGHT_LANE_WORK_DIR": str(tmp_path),
        "SKYWRIGHT_LANE_BROWSER": "off",
    }

    ended = subprocess.run(
        [Path(sys.executable).with_name("skywright-builder"), "once"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=40,
        check=False,
    )

    document = stage.ledger.queries.document(asked.id)
    [attempt] = stage.ledger.queries.attempts(asked.id)
    assert status == document.status.value, ended.stdout + ended.stderr
    assert (1, "device-right-token") == (attempt.attempt, attempt.device)
    assert lane.token not in ended.stdout + ended.stderr + attempt.log_tail
    with served(lambda _: apps_app(stage.ledger, APPS_URL)) as port, client(port, "localhost") as http:
        assert said == http.get(f"/{document.slug}").status_code
        assert said == _app(http, port, document.slug or "").status_code


def _app(http: httpx.Client, port: int, slug: str) -> httpx.Response:
    return http.get("/", headers={"Host": f"{slug}.localhost:{port}"})

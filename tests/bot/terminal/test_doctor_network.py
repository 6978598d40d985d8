"""The doctor's look at a PDS that answers what no PDS should."""

import httpx
import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.clock import Clock
from bot.settings import Settings
from bot.terminal.doctor_network import clocks, pds_findings
from tests.bot.bluesky.scripted import Answer, scripted_pds


@pytest.mark.parametrize("date", ["", "yesterday", "Mon, 02 Mar 99999999999999999999 12:00:00 GMT"])
def test_what_is_no_date_tells_no_time(date: str) -> None:
    """A date that no calendar holds is none either."""
    assert clocks(httpx.Response(200, headers={"Date": date}), Clock()) is None


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"did": 1}', b"[" * 20_000], ids=range(5))
def test_what_does_not_describe_itself_is_no_pds(body: bytes) -> None:
    """However deep its answer is nested."""
    with scripted_pds(lambda _: Answer(200, body)) as pds:
        settings = Settings(
            identifier="wright.test",
            password=SecretStr("secret"),
            session_key=SecretStr(Fernet.generate_key().decode()),
            pds_url=pds.url,
            apps_url="http://localhost:8100",
        )
        (finding,) = pds_findings(settings, Clock())

    assert "fail" == finding.state

"""Calls that nobody thought of: drawn from the shapes of the wire, fitting and not, with a token and without."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from requests import Session
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation

from bot.api.enrolment import Runs
from bot.api.issuer import IssuerKeys
from bot.api.lane import lane_app
from bot.api.oidc import RunTokens
from bot.clock import Clock
from bot.ledger.enrolments import Place
from guardrails.wire import Problem
from tests.bot.api.lane_schema import BODIES, lane_schema
from tests.bot.api.lanes import APPS_URL, CLAIM_ID
from tests.bot.issuer import issuing
from tests.bot.serving import served
from tests.bot.stage import Stage, staged

FITTING, ODD = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
TOKEN = "right-token"
# Always the same calls, so that a failure comes again; told as it was drawn, since a smaller one takes minutes to find.
EXAMPLES = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
FEW = settings(EXAMPLES, max_examples=5)
OPERATIONS: dict[str, APIOperation[Any, Any, Any, Any]] = {
    found.ok().label: found.ok()
    for found in schemathesis.openapi.from_dict(lane_schema(CLAIM_ID)).get_all_operations()
    if isinstance(found, Ok)
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Stage]]:
    """The lane listener of a bot that knows a CI's runs, with work for its lane."""
    folder: Path = tmp_path_factory.mktemp("schema")
    with staged(folder) as stage, issuing() as issuer:
        stage.device(TOKEN, prefix=APPS_URL)
        keys = IssuerKeys(issuer.url)
        runs = Runs(RunTokens(issuer.pins, keys, Clock()), Place("run", APPS_URL), timedelta(hours=2))
        with served(lambda _: lane_app(stage.ledger, APPS_URL, runs=runs)) as port:
            yield f"http://127.0.0.1:{port}", stage
        keys.close()


@pytest.fixture
def url(house: tuple[str, Stage]) -> str:
    """Where to call; the claim of the id that the schema knows stands."""
    url, stage = house
    stage.ask()
    if not stage.ledger.queries.under_claim():
        stage.claim(stage.ledger.desk.devices()[0])
    return url


def check(
    operation: APIOperation[Any, Any, Any, Any],
    mode: schemathesis.GenerationMode,
    url: str,
    token: str | None,
    examples: settings,
) -> set[int]:
    """The status codes that drawn calls get; none of them is the bot's fault, and every refusal is a Problem."""
    codes: set[int] = set()
    headers = {"Authorization": f"Bearer {token}"} if token is not None else {}

    with Session() as session:

        @examples
        @given(data=st.data())
        def call(data: st.DataObject) -> None:
            case = data.draw(operation.as_strategy(mode))
            answer = case.call(base_url=url, session=session, headers=headers)
            codes.add(answer.status_code)
            assert answer.status_code < 500, answer.content
            if answer.status_code >= 400:
                Problem.model_validate_json(answer.content)

        call()
    return codes


def test_every_call_is_in_the_schema(stage: Stage) -> None:
    """One that is added is drawn as well."""
    paths = lane_app(stage.ledger, APPS_URL).openapi()["paths"]
    called = {(method, path) for path, methods in paths.items() for method in methods}

    assert set(BODIES) == called


@pytest.mark.parametrize("mode", [FITTING, ODD], ids=["fitting", "odd"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_call_is_the_bots_fault(url: str, name: str, mode: schemathesis.GenerationMode) -> None:
    """With a token that is good; what fits is not all turned away at the door."""
    codes = check(OPERATIONS[name], mode, url, TOKEN, EXAMPLES)

    assert mode is ODD or name.startswith("PUT") or {422} != codes


@pytest.mark.parametrize("name", OPERATIONS)
def test_without_a_token_nothing_is_done(url: str, name: str) -> None:
    """Whatever is sent; nor do the two doors for those who have none open to what is drawn."""
    assert {401} == check(OPERATIONS[name], FITTING, url, None, FEW)

"""The doctor's trial of a PDS: does it write once?"""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from bot.jobs.sending import PUT_ONCE
from bot.ledger.ledger import Ledger
from bot.ledger.usage import Priority
from bot.sandbox.faults import Fault
from bot.sandbox.records import Repositories, Written
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from bot.terminal.doctor_write import COLLECTION, POINTS
from guardrails.documents import split_at_uri
from guardrails.tid import TidClock
from tests.bot.terminal.prompt import CANARY, Prompt

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
PUT, DELETE, READ = (f"com.atproto.repo.{name}Record" for name in ("put", "delete", "get"))
STEPS = ["create", "same bytes", "other bytes", "read back", "delete", "delete again"]
NOWHERE = {f"SKYWRIGHT_{name}_URL": "http://127.0.0.1:1" for name in ("ADMIN", "LANE", "APPS")}


class Overwriting(Repositories):
    """A PDS that takes no notice of swapRecord."""

    def put(self, did: str, collection: str, rkey: str, value: Mapping[str, Any], **_: Any) -> Written:
        return super().put(did, collection, rkey, value)


class Amending(Repositories):
    """A PDS that adds to what it stores."""

    def put(self, did: str, collection: str, rkey: str, value: Mapping[str, Any], **more: Any) -> Written:
        return super().put(did, collection, rkey, {**value, "seen": True}, **more)


class Keeping(Repositories):
    """A PDS on which nothing is ever gone."""

    def delete(self, did: str, collection: str, rkey: str, **_: Any) -> None:
        return None


def trial(host: Prompt) -> dict[str, tuple[str, str]]:
    """State and words of each step."""
    result = host.having(**NOWHERE).run("doctor", "--write", "--json")
    assert CANARY not in result.output
    found = json.loads(result.stdout)["findings"]
    return {
        it["name"].removeprefix("write").strip(): (it["state"], it["told"])
        for it in found
        if it["name"].startswith("write") and it["name"] != "write points"
    }


def replaced(sandbox: SandboxServer, kind: type[Repositories]) -> None:
    """From now on the sandbox keeps repositories in this way."""
    network = sandbox.network
    network.repos = kind(network.state, TidClock(network.state.clock, clock_id=1), network.happenings)


def test_a_pds_that_writes_once(host: Prompt, sandbox: SandboxServer, wright: SandboxAccount, ledger: Ledger) -> None:
    """Every step is as it should be, nothing is left behind, and what was known to be wrong is so no more."""
    ledger.conditions.set(PUT_ONCE, "as it was on another PDS")

    told = trial(host)

    assert dict.fromkeys(STEPS, "ok") == {step: state for step, (state, _) in told.items()}
    assert [] == sandbox.network.repo(wright.did, COLLECTION)
    assert not ledger.conditions.stands(PUT_ONCE)


@SQLITE
def test_only_when_told_to(host: Prompt, sandbox: SandboxServer) -> None:
    """The doctor writes nothing by itself."""
    host.having(**NOWHERE).run("doctor")

    assert [] == [call for nsid in (PUT, DELETE) for call in sandbox.network.calls_to(nsid)]


@SQLITE
@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Overwriting, {"other bytes": "another record in its place is written over it"}),
        (Amending, {"create": "a new record is not stored as it was sent"}),
        (Keeping, {"delete": "a deleted record is still read back"}),
    ],
)
def test_a_pds_of_another_kind(
    host: Prompt, sandbox: SandboxServer, ledger: Ledger, kind: type[Repositories], wrong: dict[str, str]
) -> None:
    """Each step that differs is told, and kept as a condition that makes the bot look before each try."""
    replaced(sandbox, kind)

    told = trial(host)

    assert wrong == {step: words for step, (state, words) in told.items() if state != "ok"}
    assert [(PUT_ONCE, *wrong.values())] == [(found.name, found.detail) for found in ledger.conditions.standing()]


@SQLITE
@pytest.mark.parametrize(
    ("skip", "step", "words"),
    [(1, "same bytes", "the same record again is refused"), (2, "other bytes", "is refused in another way")],
)
def test_a_refusal_of_another_kind(
    host: Prompt, sandbox: SandboxServer, ledger: Ledger, skip: int, step: str, words: str
) -> None:
    """Some servers answer 500 where they mean that the key is taken: by that word nobody can tell what happened."""
    body = {"error": "InternalServerError", "message": "Internal Server Error"}
    sandbox.network.faults.append(Fault(PUT, "status", skip=skip, status=500, body=body))

    told = trial(host)

    assert ("warn", True) == (told[step][0], words in told[step][1])
    assert ledger.conditions.stands(PUT_ONCE)


@SQLITE
@pytest.mark.parametrize(("nsid", "skip"), [(DELETE, 0), (PUT, 0), (PUT, 1), (PUT, 2), (READ, 0), (DELETE, 1)])
def test_a_cut_connection_proves_nothing(
    host: Prompt, sandbox: SandboxServer, wright: SandboxAccount, ledger: Ledger, nsid: str, skip: int
) -> None:
    """The trial ends there, the record is removed, and the condition stays as it was."""
    ledger.conditions.set(PUT_ONCE, "as it was")
    sandbox.network.faults.append(Fault(nsid, "drop_answer", skip=skip))

    told = trial(host)

    last, (state, words) = list(told.items())[-1]
    assert ("fail", True) == (state, words.startswith("cannot be told")), last
    assert [] == sandbox.network.repo(wright.did, COLLECTION)
    assert ["as it was"] == [found.detail for found in ledger.conditions.standing()]


@SQLITE
def test_a_pds_that_takes_no_record_at_all(host: Prompt, sandbox: SandboxServer, ledger: Ledger) -> None:
    """A look before each try would not help."""
    body = {"error": "InvalidRequest", "message": "Unknown lexicon type"}
    sandbox.network.faults.append(Fault(PUT, "status", status=400, body=body))

    told = trial(host)

    assert ["create"] == list(told)
    assert ("fail", True) == (told["create"][0], "a new record is refused" in told["create"][1])
    assert not ledger.conditions.stands(PUT_ONCE)


@SQLITE
def test_what_could_not_be_removed_is_told(host: Prompt, sandbox: SandboxServer, wright: SandboxAccount) -> None:
    """The next trial removes it."""
    sandbox.network.faults.append(Fault(PUT, "drop_answer"))
    sandbox.network.faults.append(Fault(DELETE, "drop_request", skip=1, times=2))

    first = trial(host)
    left = [split_at_uri(record["uri"]).rkey for record in sandbox.network.repo(wright.did, COLLECTION)]
    second = trial(host)

    assert ("warn", ["self"]) == (first["clean-up"][0], left)
    assert {"ok"} == {state for state, _ in second.values()}
    assert [] == sandbox.network.repo(wright.did, COLLECTION)


@SQLITE
def test_the_points_of_replies_are_not_spent(host: Prompt, sandbox: SandboxServer, ledger: Ledger) -> None:
    """It counts, and waits when few are left."""
    small = host.having(SKYWRIGHT_WRITE_POINTS_PER_HOUR=str(POINTS + 5))

    first, second = trial(small), trial(small)

    assert ("ok", ["warn"]) == (first["create"][0], [state for state, _ in second.values()])
    assert "not tried" in second[""][1]
    assert ledger.pace.spend(1, Priority.REPLY) is None


@SQLITE
def test_without_an_account_it_is_not_tried(host: Prompt, sandbox: SandboxServer, wright: SandboxAccount) -> None:
    """A fail, since it was asked for."""
    sandbox.network.deactivate(wright.did)

    told = trial(host.having(SKYWRIGHT_IDENTIFIER=wright.did))

    assert [("fail", "not tried without an account that may write")] == list(told.values())
    assert [] == sandbox.network.calls_to(PUT)

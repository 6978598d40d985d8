"""Each command's story, told on the ledger of this machine and at a bot elsewhere: an operator sees no difference."""

import json
import re
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from bot.terminal.opening import operator
from guardrails.documents import split_at_uri
from guardrails.facts import Standing
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import (
    build_failed,
    building,
    claim_id_of,
    ended,
    held,
    now_of,
    pending,
    received,
    replied,
    sending,
    skipped,
    travel,
)
from tests.bot.terminal.prompt import Prompt
from tests.documents import newest
from tests.mentions import ALICE, BOB, LANE

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def keys(lines: list[str]) -> list[str]:
    """The record keys of the listed documents."""
    return [line.split("\t")[1].rpartition(":")[2] for line in lines[1:]]


def test_watching(either: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """List, show and follow, by every filter; what a log says; whole and as JSON."""
    travel(ledger_clock, hours=-3)
    skipped(ledger, "3kold")
    travel(ledger_clock, hours=3)
    document = replied(ledger)
    received(ledger, "3kbob", author=BOB, ask="a dice roller")
    failed = build_failed(ledger, "3kfailed", author=BOB)

    def listed(*filters: str) -> set[str]:
        return set(keys(either.lines("list", *filters)))

    assert {"3kold", "3kfirst", "3kbob", "3kfailed"} == listed()
    assert {"3kold"} == listed("--status", "skipped")
    assert {"3kbob", "3kfailed"} == listed("--author", "@Bob.test") == listed("--author", BOB)
    assert {"3kfirst", "3kbob", "3kfailed"} == listed("--since", "1h")
    assert {"3kbob"} == listed("--text", "dice")
    assert {"3kold"} == listed("--reason", "nothing_to_build", "--reason", "denied")
    assert {"3kfirst", "3kfailed"} == listed("--lane", LANE.device)
    assert 1 == len(listed("--limit", "1"))
    assert document.id == json.loads(either.lines("list", "--json", "--status", "replied")[0])["id"]
    assert "  ask           make me a tip splitter" in either.lines("show", "3kfirst")
    assert ["done"] == [
        each["outcome"] for each in json.loads(either.lines("show", "3kfirst", "--json")[0])["attempts"]
    ]
    assert ["answer"] == [json.loads(line)["move"] for line in tailed(either, "--status", "replied")]
    assert ["3kbob", "3kfailed"] == sorted({key_of(line) for line in tailed(either, "--author", BOB)})
    assert {failed.id} == {json.loads(line)["document"] for line in tailed(either, "--reason", failed.reason.value)}
    assert {LANE.device} == {json.loads(line)["device"] for line in tailed(either, "--lane", LANE.device)}
    assert 1 == len(tailed(either, "--since", str(ledger.feed.last() - 1)))
    assert "3kold" not in {key_of(line) for line in tailed(either, "--since", "1h")}
    assert "1 ends" in either.run("logs", "3kfailed").stdout
    assert 3 == either.run("show", "3knone").exit_code


def tailed(prompt: Prompt, *options: str) -> list[str]:
    since = () if "--since" in options else ("--since", "all")
    return prompt.lines("tail", "--until-empty", "--json", *since, *options)


def key_of(line: str) -> str:
    return str(json.loads(line)["document"]).rpartition(":")[2]


def test_deciding(either: Prompt, ledger: Ledger) -> None:
    """Yes, no and once more, one by one; who did it is in the history, and in the audit log, here as there."""
    waiting, other, failed = held(ledger), held(ledger, "3ktwo"), build_failed(ledger, "3kthree")

    approved = either.lines("approve", "3kfirst")
    either.lines("skip", "3ktwo", "--why", "not now")
    retried = json.loads(either.lines("retry", failed.id, "--json")[0])
    late = either.run("approve", "3kfirst", "--version", "2")
    impossible = either.run("skip", replied(ledger, "3kfour").id)

    assert [f"{waiting.id} is pending-build (approved) at version 3"] == approved
    assert (Reason.DECLINED, "not now") == ((no := now_of(ledger, other)).reason, no.detail)
    assert ("done", "pending-build", "retried") == (retried["ending"], retried["status"], retried["reason"])
    assert (4, f"{waiting.id} is pending-build at version 3 by now\n") == (late.exit_code, late.stderr)
    assert (4, True) == (impossible.exit_code, "this is possible from received, " in impossible.stderr)
    rows = [json.loads(line) for line in either.lines("audit", "--json")]
    assert [failed.id, other.id, waiting.id] == [row["target"] for row in rows][:3]
    (device,) = {row["device"] for row in rows if row["action"] != "add_device"}
    assert device in (operator().device, "far-operator")


def test_many_at_once(either: Prompt, ledger: Ledger) -> None:
    """The count and a sample are asked about; each is done at its version, and what was not is named."""
    for number in range(7):
        build_failed(ledger, f"3k{number}")
    command = ("retry", "--status", "build-failed")

    nobody, no, yes = either.run(*command), either.typing("n\n", *command), either.typing("y\n", *command)
    nothing = either.run(*command, "--yes")

    assert (2, 4, 0, 0) == (nobody.exit_code, no.exit_code, yes.exit_code, nothing.exit_code)
    assert ("retry 7 documents:", "  and 2 more") == tuple(yes.stderr.splitlines()[i] for i in (0, 6))
    assert "7 done, 0 skipped because changed, 0 not allowed, 0 failed\n" == yes.stdout.removeprefix(" y\n")
    assert "nothing matches\n" == nothing.stderr
    assert 7 == ledger.pages.counts()[Status.PENDING_BUILD]


def test_taking_down(either: Prompt, ledger: Ledger) -> None:
    """What is at risk is said first; one app, or all of an author's; the document stays where it is, for good."""
    app, theirs, kept = replied(ledger), replied(ledger, "3kbob", author=BOB), replied(ledger, "3kkept")
    assert app.slug is not None

    no = either.typing("n\n", "takedown", f"http://localhost:8100/{app.slug}")
    down = either.run("takedown", f"http://localhost:8100/{app.slug}", "--why", "phishing", "--yes")
    all_of_bob = either.run("takedown", "--author", BOB, "--yes")
    keeps = either.run("takedown", kept.id, "--keep-reply", "--yes")
    again = either.run("retry", app.id)

    assert (4, 0, 0, 0, 4) == tuple(each.exit_code for each in (no, down, all_of_bob, keeps, again))
    assert ("answers 410", "our reply to it is deleted") == tuple(
        part for part in ("answers 410", "our reply to it is deleted") if part in " ".join(down.stderr.split())
    )
    assert "our reply stays" in keeps.stderr
    assert "whose documents here are 1" in all_of_bob.stderr
    assert [True] * 3 == [now_of(ledger, each).taken_down_at is not None for each in (app, theirs, kept)]
    assert Status.REPLIED is now_of(ledger, app).status
    assert "  taken down    20" in either.run("show", app.id).stdout
    table = either.on_terminal("list")
    assert 3 == table.count(" taken down")


def test_deleting(either: Prompt, ledger: Ledger) -> None:
    """As the asker could, after a question."""
    document = replied(ledger)

    assert 2 == either.run("delete", document.id).exit_code
    result = either.run("delete", document.id, "--yes")

    assert (0, True) == (result.exit_code, "its app is gone" in result.stdout)
    assert now_of(ledger, document).withdrawn_at is not None


def test_sends(either: Prompt, ledger: Ledger) -> None:
    """What is unsettled is listed and settled; what was tried meanwhile is not."""
    send = ledger.sends.unknown(sending(ledger), "no answer", timedelta(minutes=1))

    assert [send.key] == [line.split("\t")[0] for line in either.lines("sends")[1:]]
    abandoned = either.run("resolve", "3kfirst", "--abandon", "--yes")
    once_more = either.run("resolve", send.key, "--again", "--yes")
    unknown = either.run("resolve", "like:nothing", "--again", "--yes")

    assert (0, 4, 3) == (abandoned.exit_code, once_more.exit_code, unknown.exit_code)
    assert "abandoned" == ledger.queries.send(send.key).state
    assert ["abandoned"] == [json.loads(line)["state"] for line in either.lines("sends", "--all", "--json")]


def test_what_could_not_be_read(either: Prompt, ledger: Ledger) -> None:
    """As it came, and why; the newest first."""
    ledger.desk.park("notifications", {"uri": "at://other"}, "no cid")

    (line,) = either.lines("parked")[1:]
    assert ["notifications", "no cid", '{"uri": "at://other"}'] == line.split("\t")[1:]
    assert {"uri": "at://other"} == json.loads(either.run("parked", "--json").stdout)["raw"]


def test_a_record_that_was_sent(
    either: Prompt, ledger: Ledger, sandbox: SandboxServer, wright: SandboxAccount, alice: SandboxAccount
) -> None:
    """The bot looks it up, wherever the command runs: one that is not ours is wrong, one that is no name is usage."""
    send = sending(ledger)
    theirs = sandbox.network.post(alice.did, "hello")

    told = {
        link: either.run("resolve", send.key, "--sent", link, "--yes").exit_code
        for link in (theirs.uri, "at://x/y", f"at://{wright.did}/app.bsky.feed.post/3knone", "https://bsky.app/")
    }

    assert [1, 2, 3, 3] == list(told.values())
    assert "claimed" == ledger.queries.send(send.key).state


def test_asking(either: Prompt, ledger: Ledger, sandbox: SandboxServer, alice: SandboxAccount) -> None:
    """A post is put before the bot, once."""
    post = sandbox.network.post(alice.did, "I wish I had a tip splitter")
    link = f"https://bsky.app/profile/alice.test/post/{split_at_uri(post.uri).rkey}"

    first, second, nobody = either.run("ask", post.uri), either.run("ask", link), either.run("ask", "https://bsky.app/")

    (document,) = newest(ledger, 5)
    assert (0, 0, 3) == (first.exit_code, second.exit_code, nobody.exit_code)
    assert f"{document.id}\n" == first.stdout == second.stdout
    assert "known already: received (asked_by_operator)\n" == second.stderr


def test_switches(either: Prompt, ledger: Ledger) -> None:
    """Paused with a reason, also what is being built; shown; and on again."""
    under_way = building(ledger).document

    paused = either.run("pause", "builds", "--now", "--why", "a bad model")
    shown = [line.split("\t") for line in either.lines("pause")]
    resumed = either.lines("resume", "all", "--json")

    assert f"{under_way.id}: taken from its lane" in paused.stderr
    assert ["builds", "paused", "a bad model"] == [shown[2][0], shown[2][1], shown[2][4]]
    assert ([], []) == (resumed, ledger.desk.switches_on())
    assert now_of(ledger, under_way).claim_id is None


def test_people(either: Prompt, ledger: Ledger, sandbox: SandboxServer) -> None:
    """By DID or by a handle that the bot looks up; laid down, listed, lifted, forgotten."""
    carol = sandbox.network.create_account("carol.test")
    open_one = received(ledger)

    denied = either.lines("deny", ALICE, "--reason", "spam", "--until", "7d")
    allowed = either.run("allow", "carol.test")
    people = [line.split("\t") for line in either.lines("people")[1:]]
    lifted, nobody = either.run("lift", ALICE), either.run("lift", BOB)
    forgotten = either.run("forget", ALICE, "--yes")
    wrong = either.run("deny", "not a name")

    assert (f"{open_one.id} is stopped", 0) == (denied[1], allowed.exit_code)
    assert [ALICE, "alice.test", "denied"] == people[0][:3]
    assert [carol.did, "", "allowed"] == people[1][:3]
    assert (0, 3, 0, 2) == (lifted.exit_code, nobody.exit_code, forgotten.exit_code, wrong.exit_code)
    assert {Standing.FORGOTTEN} == set(ledger.people.standing_of([ALICE])[ALICE])


def test_devices_and_lanes(either: Prompt, ledger: Ledger) -> None:
    """Enrolled, invited, listed at work, revoked; tokens and codes are told once."""
    added = either.run("devices", "add", "ci", "--role", "lane", "--lease", "1h", "--ttl", "30d")
    invited = either.run("devices", "invite", "--ttl", "2h")
    listed = [json.loads(line) for line in either.lines("devices", "list", "--json")]
    lane = next(device for device in listed if device["name"] == "ci")
    lanes = either.lines("lanes")
    gone, nobody = either.run("devices", "revoke", lane["id"]), either.run("devices", "revoke", "nobody")

    assert re.fullmatch(r"sw_[A-Za-z0-9_-]{43}\n", added.stdout)
    assert re.fullmatch(r"swi_[A-Za-z0-9_-]{43}\n", invited.stdout)
    assert ("http://localhost:8100", 3600) == (lane["allowed_prefix"], lane["longest_lease_seconds"])
    assert [lane["id"]] == [line.split("\t")[0] for line in lanes[1:]]
    assert (0, 3) == (gone.exit_code, nobody.exit_code)
    assert added.stdout.strip() not in "".join(map(str, listed))


def test_books(either: Prompt, ledger: Ledger) -> None:
    """What builds have cost by each of four, what operators did, and the history to take away."""
    claimed = building(ledger)
    report = ended(BuildOutcome.DONE, model="m-1", tokens_in=1000, tokens_out=500, cost_micros=12_345)
    broken = report.model_copy(update={"outcome": BuildOutcome.BROKEN, "detail": "=1+1"})
    ledger.claims.report(LANE, claim_id_of(claimed), broken)
    pending(ledger, "3ktwo")

    for by in ("day", "author", "model", "lane"):
        told = either.run("costs", "--by", by)
        head, row = (line.split("\t") for line in told.stdout.splitlines())
        assert ([by, "builds", "apps", "tokens in", "tokens out", "USD"], ["1", "0", "1000", "500", "0.0123"]) == (
            head,
            row[1:],
        )
        assert "in all 0.0123 USD\n" == told.stderr
    moves = ledger.feed.after(0, 100)
    exported = either.run("export")
    assert [move.seq for move in moves] == [json.loads(line)["seq"] for line in exported.stdout.splitlines()]
    last = f"last: {moves[-1].seq}; `skywright export --after {moves[-1].seq}` goes on\n"
    assert last == exported.stderr
    assert "" == either.run("export", "--after", str(moves[-1].seq)).stdout
    waiting = either.run("export", "--status", "pending-build").stdout.splitlines()
    assert {"mention:did:plc:alice:3ktwo"} == {json.loads(line)["document"] for line in waiting}


def test_what_was_decided_as_json(either: Prompt, ledger: Ledger) -> None:
    """A script need not read sentences."""
    send = sending(ledger)
    ledger.sends.unknown(send, "no answer", timedelta())
    stopped = received(ledger, "3kbob", author=BOB)

    def told(*command: str) -> dict[str, object]:
        answer: dict[str, object] = json.loads(either.lines(*command, "--json")[0])
        return answer

    assert {"did": BOB, "standing": "denied", "until": None, "stopped": [stopped.id]} == told("deny", BOB)
    assert "allowed" == told("allow", BOB, "--until", "2099-01-31")["standing"]
    assert (BOB, None) == ((lifted := told("lift", BOB))["did"], lifted["standing"])
    resolved = json.loads(either.run("resolve", send.key, "--abandon", "--yes", "--json").stdout)
    assert (send.key, "abandoned") == (resolved["key"], resolved["state"])
    assert "forgotten" == json.loads(either.run("forget", BOB, "--yes", "--json").stdout)["standing"]
    added = told("devices", "add", "phone", "--role", "viewer")
    assert ledger.desk.device_of_token(str(added["token"])) is not None
    assert {"until", "prefix", "code"} == set(told("devices", "invite"))

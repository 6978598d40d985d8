"""Handle, DID, document, PDS: where an account lives, looked up without the AppView."""

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from pydantic import SecretStr

from bot.bluesky import identity
from bot.bluesky.ages import Ages
from bot.bluesky.config import AccountConfig
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.identity import IdentityResolver, is_handle
from bot.bluesky.session import Account, open_account
from guardrails.documents import Did, is_did
from tests.bot.bluesky.accounts import DID, PASSWORD, MemoryKeeper, Tokens
from tests.bot.bluesky.scripted import Answer, Call, ScriptedPds, answered, refused, scripted_pds
from tests.clock import Clock

T = TypeVar("T")


def document(pds_url: str, did: str = DID, handle: str = "buildbot.test") -> dict[str, Any]:
    service = {"id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": pds_url}
    return {"id": did, "alsoKnownAs": [f"at://{handle}"], "service": [service]}


def plc(answer: Answer) -> Any:
    return scripted_pds(lambda _: answer)


def asked(url: str, question: Callable[[IdentityResolver], T]) -> T:
    resolver = IdentityResolver(url, deadline_seconds=5, now=Clock())
    try:
        return question(resolver)
    finally:
        resolver.close()


def look_up(url: str, did: str = DID) -> identity.Identity:
    return asked(url, lambda resolver: resolver.identity_of(Did(did)))


def open_with(identifier: str, **where: Any) -> Account:
    return open_account(AccountConfig(identifier, SecretStr(PASSWORD), **where), MemoryKeeper(), Clock())


def test_the_document_names_the_pds() -> None:
    """And the handles that the account claims."""
    with plc(answered(document("https://pds.example/"))) as server:
        found = look_up(f"{server.url}/plc")

    assert identity.Identity(DID, ("buildbot.test",), "https://pds.example") == found
    assert [f"/plc/{DID}"] == [call.path for call in server.calls]


NO_PDS = {
    "not registered": (refused(404, "NotFound"), Failure.REFUSED),
    "tombstoned": (refused(410, "Gone"), Failure.REFUSED),
    "somebody else's document": (answered(document("https://pds.example", did="did:plc:other")), Failure.REFUSED),
    "no PDS": (answered({"id": DID}), Failure.REFUSED),
    "an odd PDS": (answered(document("file:///etc/passwd")), Failure.REFUSED),
    "no document": (answered([]), Failure.NOT_SENT),
    "no JSON": (Answer(200, b"<html>"), Failure.NOT_SENT),
    "nested too deep": (Answer(200, b'{"id":' * 20_000 + b"1" + b"}" * 20_000), Failure.NOT_SENT),
    "down": (Answer(503, b""), Failure.NOT_SENT),
    "hung up": (Answer(cut_after=-1), Failure.NOT_SENT),
    "limited": (Answer(429, b"", {"Retry-After": "9"}), Failure.RATE_LIMITED),
}


@pytest.mark.parametrize("what", NO_PDS)
def test_a_document_that_names_no_pds_is_a_failure(what: str) -> None:
    """Each in its class: for good, or to be asked again."""
    answer, expected = NO_PDS[what]
    with plc(answer) as server, pytest.raises(CallFailed) as caught:
        look_up(server.url)

    assert expected is caught.value.failure


NO_DATE = {
    "not registered": (refused(404, "NotFound"), Failure.REFUSED),
    "an empty log": (answered([]), Failure.NOT_SENT),
    "somebody else's log": (
        answered([{"did": "did:plc:other", "createdAt": "2024-01-02T03:04:05.678Z"}]),
        Failure.NOT_SENT,
    ),
    "no date": (answered([{"did": DID, "createdAt": "soon"}]), Failure.NOT_SENT),
    "a date without a zone": (answered([{"did": DID, "createdAt": "2024-01-02T03:04:05"}]), Failure.NOT_SENT),
    "no log": (answered({"did": DID}), Failure.NOT_SENT),
    "no JSON": (Answer(200, b"<html>"), Failure.NOT_SENT),
    "nested too deep": (Answer(200, b"[" * 20_000), Failure.NOT_SENT),
    "limited": (Answer(429, b"", {"Retry-After": "9"}), Failure.RATE_LIMITED),
}


@pytest.mark.parametrize("what", NO_DATE)
def test_a_log_without_a_date_is_a_failure(what: str) -> None:
    """Nothing is guessed from it."""
    answer, expected = NO_DATE[what]
    with plc(answer) as server, pytest.raises(CallFailed) as caught:
        asked(server.url, lambda resolver: resolver.entered_at(DID))

    assert expected is caught.value.failure


def test_an_account_is_as_old_as_its_first_operation() -> None:
    """At the PLC, which is asked once; while it does not answer, a round asks no further."""
    operations = [{"did": DID, "createdAt": f"2024-01-0{day}T03:04:05.678Z"} for day in (2, 3)]
    with plc(answered(operations)) as server:
        ages = Ages(lambda: IdentityResolver(f"{server.url}/plc", deadline_seconds=5, now=Clock()))
        told = [ages.entered_at([DID, DID, Did("did:web:alice.example")]) for _ in range(2)]
        server.answer = lambda _: refused(503, "Away")
        others = [Did(f"did:plc:{name}") for name in "abcdef"]
        away, over = ages.entered_at([*others, DID]), ages.entered_at(others, lambda: True)
        ages.close()

    assert [{DID: datetime(2024, 1, 2, 3, 4, 5, 678_000, UTC)}] * 3 == [*told, away]
    assert {} == over
    assert [f"/plc/{did}/log/audit" for did in (DID, *others[:3])] == [call.path for call in server.calls]


@pytest.mark.parametrize("did", ["did:key:zQ3sh", "did:web:example.com:deep:path"])
def test_a_did_of_another_kind_is_refused(did: str) -> None:
    """Only plc and web name accounts."""
    with pytest.raises(CallFailed) as caught:
        look_up("http://127.0.0.1:9", did)

    assert Failure.REFUSED is caught.value.failure


def test_a_did_web_is_read_from_its_host() -> None:
    """On localhost without TLS, for development."""
    with scripted_pds(lambda _: answered({})) as server:
        did = f"did:web:localhost%3A{server.url.rpartition(':')[2]}"
        server.answer = lambda _: answered(document("https://pds.example", did=did))

        assert "https://pds.example" == look_up("http://127.0.0.1:9", did).pds_url
    assert ["/.well-known/did.json"] == [call.path for call in server.calls]


def whole_network(tokens: Tokens, pds: list[ScriptedPds], handle: str = "buildbot.test") -> Any:
    def answer(call: Call) -> Answer:
        if call.path.startswith("/plc/"):
            return answered(document(pds[0].url, handle=handle))
        if call.nsid == "com.atproto.identity.resolveHandle":
            return answered({"did": DID})
        return tokens.answer(call) or answered({"fine": True})

    return answer


def test_an_account_is_found_by_its_did_alone() -> None:
    """The document says where to log in."""
    where: list[ScriptedPds] = []
    with scripted_pds(whole_network(Tokens(), where)) as server:
        where.append(server)
        account = open_with(DID, plc_url=f"{server.url}/plc")

        assert (server.url, {"fine": True}) == (account.pds_url, account.query("x"))
        account.close()


def test_a_given_pds_needs_no_directory() -> None:
    """The setting decides, also after the login, whatever the server's document says."""
    where: list[ScriptedPds] = []
    with scripted_pds(whole_network(Tokens(), where)) as server:
        account = open_with(DID, pds_url=f"{server.url}/", plc_url="http://127.0.0.1:9")

        assert (server.url, {"fine": True}) == (account.pds_url, account.query("x"))
        account.close()


@pytest.mark.parametrize("identifier", ["buildbot.test", "@buildbot.test", " @BuildBot.test "])
def test_a_handle_is_resolved_by_the_given_pds(identifier: str) -> None:
    """A leading @ is what people copy."""
    with scripted_pds(whole_network(Tokens(), [])) as server:
        account = open_with(identifier, pds_url=server.url)
        account.close()

    assert DID == account.did
    assert [{"handle": ["buildbot.test"]}] == [
        call.params for call in server.called("com.atproto.identity.resolveHandle")
    ]


def test_a_handle_is_resolved_by_its_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS names the DID, the DID's document claims the handle back."""
    monkeypatch.setattr(identity, "_dns_look_up", lambda handle: DID if handle == "buildbot.test" else None)
    where: list[ScriptedPds] = []
    with scripted_pds(whole_network(Tokens(), where)) as server:
        where.append(server)
        account = open_with("buildbot.test", plc_url=f"{server.url}/plc")
        account.close()

    assert DID == account.did


def test_a_handle_that_the_document_does_not_claim_gets_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hijacked domain could name a DID whose PDS collects passwords."""
    monkeypatch.setattr(identity, "_dns_look_up", lambda _: DID)
    where: list[ScriptedPds] = []
    with scripted_pds(whole_network(Tokens(), where, handle="other.test")) as server:
        where.append(server)
        with pytest.raises(CallFailed) as caught:
            open_with("buildbot.test", plc_url=f"{server.url}/plc")

    assert "HandleNotClaimed" == caught.value.error
    assert [] == server.called("com.atproto.server.createSession")


@pytest.mark.parametrize(
    ("strings", "named"),
    [
        ([b"v=spf1", f"did={DID}".encode()], DID),
        ([b"\xff\xfe"], None),
        ([], None),
    ],
)
def test_a_domain_names_a_did_in_a_text_of_its_own(
    monkeypatch: pytest.MonkeyPatch, strings: list[bytes], named: str | None
) -> None:
    """Where a text is none the handle has to be asked for by its well-known file."""
    monkeypatch.setattr("dns.resolver.resolve", lambda *_, **__: [SimpleNamespace(strings=strings)])

    assert named == identity._dns_look_up("buildbot.test")


def test_a_domain_that_names_no_did_is_refused() -> None:
    """A clear error instead of a login."""
    resolver = IdentityResolver("http://127.0.0.1:9", deadline_seconds=5, now=Clock(), dns_look_up=lambda _: "nonsense")
    with pytest.raises(CallFailed) as caught:
        resolver.did_of("buildbot.test")
    resolver.close()

    assert "HandleNotFound" == caught.value.error


@pytest.mark.parametrize(
    "identifier", ["", "@", "somebody", "me@example.com", "did:", "../etc", "a b.test", "x." * 200]
)
def test_an_identifier_that_is_neither_handle_nor_did_is_refused(identifier: str) -> None:
    """Before anything is sent."""
    with pytest.raises(CallFailed) as caught:
        open_with(identifier, pds_url="http://127.0.0.1:9")

    assert Failure.REFUSED is caught.value.failure


@pytest.mark.parametrize("answer", [answered({}), answered({"did": 7})])
def test_a_pds_that_does_not_say_who_it_is_may_pass(answer: Answer) -> None:
    """No DID, no login."""
    with scripted_pds(lambda _: answer) as server, pytest.raises(CallFailed) as caught:
        open_with("buildbot.test", pds_url=server.url)

    assert Failure.NOT_SENT is caught.value.failure


def test_the_forms_of_names_are_known() -> None:
    """Handles are domain names, DIDs have a method."""
    assert all(map(is_handle, ["a.test", "A-b.example.com", "xn--bcher-kva.example"]))
    assert not any(map(is_handle, ["a", "-a.test", "a.test.", "a.1", "a_b.test", "a..test"]))
    assert all(map(is_did, [DID, "did:web:example.com", "did:web:localhost%3A8080"]))
    assert not any(map(is_did, ["did", "did:plc:", "did:PLC:abc", "did:plc:abc/def", "did:plc:a b"]))

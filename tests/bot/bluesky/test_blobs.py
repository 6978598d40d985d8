"""Uploads, and what is made of the answers to them."""

import pytest

from bot.bluesky.blobs import BlobRef, blob_ref, upload
from bot.bluesky.cid import cid_of
from bot.bluesky.errors import CallFailed, Failure
from tests.bot.bluesky.accounts import scene
from tests.bot.bluesky.scripted import Answer, answered, refused

DATA = b"not much of a picture"
REF = blob_ref(DATA, "image/jpeg")


def failure(answer: Answer) -> CallFailed:
    with scene(lambda _: answer) as made:
        account = made.open()
        with pytest.raises(CallFailed) as caught:
            upload(account, DATA, "image/jpeg")
    return caught.value


def test_a_blob_is_named_without_the_network() -> None:
    """In a form that a record can hold."""
    link = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"

    assert {"$type": "blob", "ref": {"$link": link}, "mimeType": "image/png", "size": 0} == blob_ref(b"", "image/png")
    assert cid_of({"thumb": REF})


def test_bytes_are_sent_as_they_are() -> None:
    """With their type, and the answer is what was expected."""
    with scene(lambda _: answered({"blob": REF})) as made:
        sent = upload(made.open(), DATA, "image/jpeg")
        (call,) = made.pds.called("com.atproto.repo.uploadBlob")

    assert (DATA, "image/jpeg") == (call.body, call.headers["content-type"])
    assert BlobRef(REF["ref"]["$link"], len(DATA), REF) == sent


@pytest.mark.parametrize("change", [{"size": 1}, {"mimeType": "image/png"}, {"ref": {"$link": "bafkreiother"}}])
def test_another_blob_than_the_one_that_was_sent_is_refused(change: dict[str, object]) -> None:
    """The record that names ours could never be put."""
    assert Failure.REFUSED is failure(answered({"blob": REF | change})).failure


@pytest.mark.parametrize(
    "answer",
    [
        refused(500, "InternalServerError"),
        refused(502, "UpstreamTimeout"),
        Answer(502, b"<html>"),
        Answer(cut_after=-1),
        Answer(body=b"{}", cut_after=1),
        answered([]),
        answered({}),
        answered({"blob": {"cid": "x", "mimeType": "image/jpeg"}}),
    ],
)
def test_an_upload_that_ends_unclearly_may_be_sent_again(answer: Answer) -> None:
    """Bytes have one name: sending them twice is sending them once."""
    assert Failure.NOT_SENT is failure(answer).failure


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (refused(413, "PayloadTooLarge"), Failure.REFUSED),
        (Answer(413, b"<html>"), Failure.REFUSED),
        (refused(400, "InvalidRequest"), Failure.REFUSED),
        (refused(429, "RateLimitExceeded"), Failure.RATE_LIMITED),
        (refused(401, "AccountDeactivated"), Failure.AUTH),
    ],
)
def test_a_refused_upload_says_why(answer: Answer, expected: Failure) -> None:
    """In the classes of every call."""
    assert expected is failure(answer).failure


def test_an_expired_session_is_renewed_for_an_upload_too() -> None:
    """The bytes are sent again under the new token."""
    with scene(lambda _: answered({"blob": REF})) as made:
        account = made.open()
        made.tokens.access.clear()
        upload(account, DATA, "image/jpeg")
        sent = [call.body for call in made.pds.called("com.atproto.repo.uploadBlob")]

    assert [DATA, DATA] == sent

"""Pictures: their names are known before they are sent, and a card with one is shown with it."""

import io
import json
from typing import Any

import httpx
import pytest
from PIL import Image

from bot.bluesky.blobs import BLOB_NOT_FOUND, BlobRef, blob_ref, upload
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.records import delete_record, put_once
from bot.bluesky.session import Account
from bot.bluesky.thumbs import THUMB_MIME, thumbnail
from guardrails.documents import RecordKey
from guardrails.tid import TidClock
from tests.contract.target import POST, Person, Target
from tests.contract.wire import Wire


def picture(colour: str, form: str = "JPEG") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (60, 40), colour).save(written, form)
    return written.getvalue()


def card(thumb: dict[str, Any]) -> str:
    external = {"uri": "https://apps.example/x", "title": "A timer", "description": "Counts", "thumb": thumb}
    embed = {"$type": "app.bsky.embed.external", "external": external}
    at = "2026-03-02T12:00:00.000Z"
    return json.dumps({"$type": POST, "text": "built", "createdAt": at, "embed": embed})


def refusal(account: Account, key: RecordKey, record: str) -> tuple[Failure, str | None, str]:
    with pytest.raises(CallFailed) as caught:
        put_once(account, POST, key, record)
    return caught.value.failure, caught.value.error, caught.value.message


@pytest.mark.parametrize(("form", "mime"), [("JPEG", "image/jpeg"), ("PNG", "image/png"), ("WEBP", "image/webp")])
def test_an_upload_is_named_as_it_was_computed(writer: Account, form: str, mime: str) -> None:
    """As often as it is sent."""
    data = picture("red", form)
    sent = upload(writer, data, mime)

    assert blob_ref(data, mime) == sent.record
    assert BlobRef(sent.record["ref"]["$link"], len(data), sent.record) == upload(writer, data, mime)


def test_a_picture_under_another_type_is_refused(writer: Account) -> None:
    """The PDS looks at it: a record that was frozen with this type could never be put."""
    with pytest.raises(CallFailed) as caught:
        upload(writer, picture("green"), "image/png")

    assert Failure.REFUSED is caught.value.failure
    assert "image/jpeg" in caught.value.message


def test_an_upload_past_the_limit_is_refused(writer: Account) -> None:
    """For good."""
    with pytest.raises(CallFailed) as caught:
        upload(writer, b"x" * 5_242_881, "image/jpeg")

    assert (Failure.REFUSED, 413) == (caught.value.failure, caught.value.status)


def test_a_card_is_shown_with_its_thumb(
    writer: Account, target: Target, wire: Wire, alice: Person, key: RecordKey
) -> None:
    """From a screenshot to what a reader sees."""
    thumb = thumbnail(picture("navy", "PNG"))
    assert thumb is not None
    record = card(blob_ref(thumb, THUMB_MIME))
    upload(writer, thumb, THUMB_MIME)
    ref = put_once(writer, POST, key, record)
    target.process()
    token = wire.log_in(alice)["accessJwt"]
    (shown,) = wire.get("app.bsky.feed.getPosts", {"uris": ref.uri}, token).json()["posts"]

    external = shown["embed"]["external"]
    assert ("A timer", "https://apps.example/x") == (external["title"], external["uri"])
    assert blob_ref(thumb, THUMB_MIME)["ref"]["$link"] in external["thumb"]


def test_a_blob_that_went_with_its_record_is_sent_again(writer: Account, keys: TidClock) -> None:
    """The same bytes have the same name, so the frozen record holds."""
    data = picture("teal")
    record, key = card(blob_ref(data, "image/jpeg")), keys.mint()
    upload(writer, data, "image/jpeg")
    first = put_once(writer, POST, key, record)
    delete_record(writer, POST, key)

    assert BLOB_NOT_FOUND == refusal(writer, keys.mint(), record)[1]
    upload(writer, data, "image/jpeg")
    assert first == put_once(writer, POST, key, record)


WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "size": ({"size": 1}, "InvalidSize", "Referenced Size does not match stored blob. Expected: {size}, Got: 1"),
    "type": (
        {"mimeType": "image/png"},
        "InvalidMimeType",
        "Referenced Mimetype does not match stored blob. Expected: image/jpeg, Got: image/png",
    ),
    "both": (
        {"mimeType": "image/png", "size": 1},
        "InvalidMimeType",
        "Referenced Mimetype does not match stored blob. Expected: image/jpeg, Got: image/png",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_blob_that_is_named_wrongly_is_refused(writer: Account, key: RecordKey, what: str) -> None:
    """In the words that tell why."""
    change, error, message = WRONG[what]
    data = picture("lime")
    sent = upload(writer, data, "image/jpeg").record

    expected = (Failure.REFUSED, error, message.format(size=len(data)))
    assert expected == refusal(writer, key, card(sent | change))


def test_a_blob_of_somebody_else_is_not_found(writer: Account, wire: Wire, mallory: Person, key: RecordKey) -> None:
    """Each account has its own."""
    data = picture("pink")
    token = wire.log_in(mallory)["accessJwt"]
    assert httpx.codes.OK == send(wire, data, token).status_code

    assert BLOB_NOT_FOUND == refusal(writer, key, card(blob_ref(data, "image/jpeg")))[1]


def send(wire: Wire, data: bytes, token: str, media_type: str = "image/jpeg") -> httpx.Response:
    return wire.post_raw("com.atproto.repo.uploadBlob", data, token, media_type)


@pytest.mark.parametrize("media_type", ["", "image", "nope"])
def test_an_upload_without_a_type_is_refused(wire: Wire, mallory: Person, media_type: str) -> None:
    """Though the PDS would look for itself."""
    answer = send(wire, picture("red"), wire.log_in(mallory)["accessJwt"], media_type)

    expected = {"error": "InvalidRequest", "message": "Request encoding (Content-Type) required but not provided"}
    assert (400, expected) == (answer.status_code, answer.json())

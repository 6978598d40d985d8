"""The card of a reply: the app's title, its line and its picture, none of which ever costs the reply."""

import io
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pydantic import SecretStr

from bot.api.lane import lane_app
from bot.bluesky.blobs import blob_ref
from bot.bluesky.thumbs import HEIGHT, LARGEST_THUMB, THUMB_MIME, WIDTH, thumbnail
from bot.jobs.reply import freeze_reply
from bot.ledger.views import Send
from builder.build import Tools
from builder.checks.files import FilesCheck
from builder.client import BotClient
from builder.errands import LaneSettings, Worked
from builder.lane import Lane
from builder.logs import make_log
from builder.outcomes import Budget
from builder.ports import Check
from builder.publishers.hosted import HostedPublisher
from builder.stopping import Drain
from guardrails.access import Role
from guardrails.documents import DeviceId, StrongRef
from guardrails.tid import TidClock
from guardrails.transitions import Status
from guardrails.wire import BuildOutcome
from tests.bot.serving import client, served
from tests.builder.scripted import Photographer, Scripted, write_page
from tests.documents import newest
from tests.mentions import BOT, OPERATOR
from tests.scenarios.links import link_of
from tests.scenarios.pictures import noisy_screenshot, screenshot
from tests.scenarios.world import PUT, World

UPLOAD = "com.atproto.repo.uploadBlob"
REFUSED: Mapping[str, Any] = {"status": 400, "body": {"error": "InvalidRequest", "message": "not like that"}}


def asked(world: World) -> StrongRef:
    post = world.says("alice.test", "@wright.test make me a pomodoro timer")
    world.bot.ingest()
    return post


@pytest.fixture
def built(world: World) -> StrongRef:
    """Alice's mention, built with a screenshot and not yet answered."""
    post = asked(world)
    world.lane_builds(screenshot=screenshot())
    return post


def only_reply(world: World) -> Mapping[str, Any]:
    """The one reply there is, its link whole in its text whatever became of the card."""
    (record,) = world.replies()
    (document,) = newest(world.ledger, 10)
    assert document.result is not None
    assert Status.REPLIED is document.status
    assert document.result.address == link_of(record)
    return record


def picture_of(world: World, record: Mapping[str, Any]) -> Image.Image:
    """The picture in the card, as the bot's PDS holds it."""
    thumb = record["embed"]["external"]["thumb"]
    blob = world.network.state.blobs[world.network.account("wright.test").did][thumb["ref"]["$link"]]
    assert (blob.mime, len(blob.content)) == (thumb["mimeType"], thumb["size"])
    assert len(blob.content) < LARGEST_THUMB
    return Image.open(io.BytesIO(blob.content))


def only_send(world: World, post: StrongRef) -> Send:
    (send,) = world.ledger.queries.sends(world.document(post).id)
    return send


def test_a_reply_has_a_card_with_the_apps_picture(world: World, built: StrongRef) -> None:
    """Title and line are the app's, its picture a small JPEG; the text does not say the line again."""
    world.bot.reply()
    record = only_reply(world)
    external = record["embed"]["external"]
    image = picture_of(world, record)

    assert ("Pomodoro timer", "A timer.") == (external["title"], external["description"])
    assert link_of(record) == external["uri"]
    assert "A timer." not in record["text"]
    assert "JPEG" == image.format
    assert image.width <= WIDTH
    assert image.height <= HEIGHT
    assert world.ledger.sends.picture(only_send(world, built)) is None


@pytest.mark.parametrize("picture", [None, b"\x89PNG\r\n\x1a\n and so on", b"\xff\xd8\xff"])
def test_an_app_without_a_fit_picture_has_a_card_without_one(world: World, picture: bytes | None) -> None:
    """None was sent, or what was sent is no picture."""
    asked(world)
    world.lane_builds(screenshot=picture)
    world.bot.reply()

    assert "thumb" not in only_reply(world)["embed"]["external"]


def test_a_large_picture_is_made_small(world: World) -> None:
    """What is far above the limit of a card comes below it."""
    asked(world)
    large = noisy_screenshot()
    world.lane_builds(screenshot=large)
    world.bot.reply()

    assert 1_700_000 < len(large) < 2_000_000
    assert "JPEG" == picture_of(world, only_reply(world)).format


def test_the_picture_is_that_of_the_attempt_that_was_finished(world: World) -> None:
    """A broken attempt before it had another."""
    asked(world)
    world.lane_builds(screenshot=noisy_screenshot(), outcome=BuildOutcome.RELEASED)
    world.lane_builds()
    world.bot.reply()

    assert "thumb" not in only_reply(world)["embed"]["external"]


def test_an_upload_that_fails_twice_leaves_the_picture_out(world: World, built: StrongRef) -> None:
    """Exactly one reply, with a card."""
    world.fails("status", UPLOAD, status=500, times=2)
    world.until_settled()

    assert "thumb" not in only_reply(world)["embed"]["external"]
    assert 2 == len(world.network.calls_to(UPLOAD))


@pytest.mark.parametrize("kind", ["drop_request", "drop_answer", "broken_json", "rate_limit", "error_after_commit"])
def test_an_upload_that_fails_once_is_made_again(world: World, built: StrongRef, kind: str) -> None:
    """Whatever became of the first one, the picture is there in the end."""
    world.fails(kind, UPLOAD)
    world.until_settled()

    assert "JPEG" == picture_of(world, only_reply(world)).format


def test_an_upload_that_is_refused_leaves_the_picture_out(world: World, built: StrongRef) -> None:
    """At once."""
    world.fails("status", UPLOAD, status=413, body={"error": "BlobTooLarge", "message": "too large"})
    world.bot.reply()

    assert "thumb" not in only_reply(world)["embed"]["external"]


def test_uploads_that_are_used_up_for_hours_do_not_hold_the_reply_up(world: World, built: StrongRef) -> None:
    """A PDS takes a thousand uploads a day: the reply goes without its picture instead of waiting for the next day."""
    world.fails("rate_limit", UPLOAD, seconds=5 * 3600)
    world.bot.reply()

    assert "thumb" not in only_reply(world)["embed"]["external"]


@pytest.mark.parametrize("error", ["BlobNotFound", "InvalidMimeType", "InvalidRequest"])
def test_a_picture_that_the_record_may_not_name_is_left_out(world: World, built: StrongRef, error: str) -> None:
    """The put is refused for it; the same key then carries the card without it."""
    world.fails("status", status=400, body={"error": error, "message": "about a blob"})
    world.bot.reply()
    send = only_send(world, built)

    assert "thumb" not in only_reply(world)["embed"]["external"]
    assert (2, "answered") == (len(send.cids), send.state)


def test_a_card_that_is_refused_leaves_the_text_with_its_link(world: World, built: StrongRef) -> None:
    """The picture goes first, then the card."""
    world.fails("status", times=2, **REFUSED)
    world.bot.reply()

    assert "embed" not in only_reply(world)
    assert 3 == len(only_send(world, built).cids)


@pytest.mark.parametrize("kind", ["drop_request", "drop_answer", "error_after_commit"])
def test_a_put_with_an_unknown_outcome_ends_in_one_reply_with_its_picture(
    world: World, built: StrongRef, kind: str
) -> None:
    """The picture is uploaded again before each try, since nothing may have named it yet."""
    world.fails(kind)
    world.until_settled()

    assert "JPEG" == picture_of(world, only_reply(world)).format
    assert 1 == len(only_send(world, built).cids)


def test_a_refusal_after_an_unknown_outcome_sheds_nothing_that_landed(world: World, built: StrongRef) -> None:
    """The first put was stored and not answered, the look at it fails once: one reply, as it was first frozen."""
    world.fails("drop_answer")
    world.fails("status", "com.atproto.repo.getRecord", status=502)
    world.until_settled()

    assert "JPEG" == picture_of(world, only_reply(world)).format
    assert 1 == len(only_send(world, built).cids)


def claims(world: World, post: StrongRef) -> Send:
    """The bot claims the reply as it always does, and dies."""
    document = world.document(post)
    picture = thumbnail(screenshot())
    assert picture is not None
    frozen = freeze_reply(document, TidClock(world.clock, 7), blob_ref(picture, THUMB_MIME))
    return world.ledger.sends.claim_reply(BOT, document, frozen, (THUMB_MIME, picture))


def test_a_process_that_dies_between_claim_and_upload_leaves_one_reply(world: World, built: StrongRef) -> None:
    """The next one finds record and picture in the ledger, and sends both."""
    claimed = claims(world, built)
    world.restart()
    world.until_settled()
    send = only_send(world, built)

    assert "JPEG" == picture_of(world, only_reply(world)).format
    assert (claimed.rkey, claimed.cid, "answered") == (send.rkey, send.cid, send.state)
    assert 1 == len(world.network.calls_to(PUT))


def test_the_picture_that_a_check_takes_is_what_people_see(world: World, tmp_path: Path) -> None:
    """A lane over its API, from the check to the card; alice is no new author."""
    asked(world)
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="no template fits")
    asked(world)
    url = world.settings.apps_url
    world.ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "lane", Role.LANE, url, "token-1")
    drain = Drain(grace_seconds=60)
    with served(lambda _: lane_app(world.ledger, url)) as port, client(port) as http:
        bot = BotClient(http, SecretStr("token-1"), 20, time.monotonic)
        checks: list[Check] = [FilesCheck(), Photographer(screenshot())]
        tools = Tools(Scripted(write_page), checks, HostedPublisher(bot), Budget(600.0))
        log = make_log(io.StringIO(), as_json=True)
        lane = Lane(bot, tools, drain, log, LaneSettings(tmp_path), lambda: "claim-" + "0" * 26, time.monotonic)
        worked = lane.work_once()
    drain.close()
    world.bot.reply()
    (record,) = world.replies()
    image = picture_of(world, record)

    assert Worked.REPORTED is worked
    assert (HEIGHT * 1280 // 800, HEIGHT) == image.size

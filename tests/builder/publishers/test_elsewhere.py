"""What goes wrong on the way to a place of the lane's own: take-downs in between, crashes, a bot that is away."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import httpx
import pytest
import stamina

from builder.errors import BadSettings, ClaimLost, LaneUnfit
from builder.outcomes import Broken, Done, Refused, RetryLater, Unfit
from builder.publishers.elsewhere import ElsewherePublisher, Place, PlaceAway, public_base
from builder.publishers.folder import FolderPlace
from builder.publishers.object_store import ObjectPlace, open_store
from builder.publishers.visitor import Patience
from tests.builder.conftest import MakeClient
from tests.builder.fake_bot import FakeBot, Fault
from tests.builder.publishers.buckets import Bucket, bucket
from tests.builder.publishers.sites import APP, OTHER, shown, visitor_of

CLAIM_ID = "claim-00000000000000000000000001"


class Watched:
    """A place, and what happens before each call to it."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.before: Callable[[str], None] = lambda call: None

    def is_buried(self, slug: str) -> bool:
        self.before("is_buried")
        return self._place.is_buried(slug)

    def store(self, slug: str, version: int, files: Mapping[str, bytes]) -> bool:
        self.before("store")
        return self._place.store(slug, version, files)

    def remove(self, slug: str, version: int) -> None:
        self.before("remove")
        self._place.remove(slug, version)

    def bury(self, slug: str, stone: bytes) -> None:
        self.before("bury")
        self._place.bury(slug, stone)


class Scene:
    """A publisher over a watched place; `get` asks as the public does."""

    def __init__(
        self, place: Place, base: str, make_client: MakeClient, http: httpx.Client, bot: FakeBot, folder: Path | None
    ) -> None:
        self.place, self.base, self.http, self.folder = Watched(place), base, http, folder
        client = make_client()
        self.publisher = ElsewherePublisher("place", self.place, base, client, visitor_of(http, Patience(5, 5)))
        bot.asks.append("a timer")
        claim = client.claim(CLAIM_ID, "template")
        assert claim is not None
        self.claim = claim

    def get(self, path: str) -> httpx.Response:
        return self.http.get(f"{self.base}/{path}")

    def crash(self) -> None:
        """Leave behind what a publish does that dies in the middle."""
        written = {name: content for name, content in APP.items() if name != "index.html"}
        if self.folder is None:
            assert self.place.store("app-1", 1, written)
        else:
            for name in ("app-1", ".app-1.1"):
                (self.folder / name).mkdir(0o700)
            (self.folder / ".app-1.1" / "a.js").write_bytes(b"document.ti")

    def seen(self) -> dict[str, bytes]:
        answers = {name: self.get(f"app-1/1/{name}") for name in APP}
        return {name: answer.content for name, answer in answers.items() if answer.status_code == 200}


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False) as http:
        yield http


@pytest.fixture(params=["folder", "object-store"])
def scene(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    store_variables: Callable[[Bucket], None],
    make_client: MakeClient,
    http: httpx.Client,
    bot: FakeBot,
) -> Iterator[Scene]:
    if request.param == "folder":
        with shown(tmp_path) as base:
            yield Scene(FolderPlace(tmp_path), base, make_client, http, bot, tmp_path)
    else:
        with bucket() as held:
            store_variables(held)
            yield Scene(ObjectPlace(open_store("s3://bucket/apps")), f"{held.url}/apps", make_client, http, bot, None)


@pytest.mark.parametrize("moment", range(4))
def test_a_take_down_in_between_wins(scene: Scene, moment: int) -> None:
    """Whenever it comes: before, between and after what is stored and looked at, nothing is left."""
    calls: list[str] = []

    def take_down_at_its_moment(call: str) -> None:
        calls.append(call)
        if len(calls) == moment + 1:
            scene.place.before = calls.append
            scene.publisher.unpublish("app-1", "It was <copied>.")

    scene.place.before = take_down_at_its_moment

    assert isinstance(scene.publisher.publish(scene.claim, APP), Refused)
    assert {} == scene.seen()
    assert "It was &lt;copied&gt;." in scene.get("app-1/index.html").text
    assert isinstance(scene.publisher.publish(scene.claim, APP), Refused)


def test_a_crash_half_way_is_made_good(scene: Scene) -> None:
    """What is there already is kept; nothing of it was said to be published."""

    scene.crash()

    assert isinstance(scene.publisher.publish(scene.claim, APP), Done)
    assert scene.seen() == APP


@pytest.mark.parametrize("other", [OTHER, {**APP, "b.js": b""}, {"index.html": APP["index.html"]}])
def test_another_content_of_a_version_is_refused(scene: Scene, other: Mapping[str, bytes]) -> None:
    """Also one that has only more files, or fewer; what stands there is left alone."""
    assert isinstance(scene.publisher.publish(scene.claim, APP), Done)
    again = scene.publisher.publish(scene.claim, other)

    assert isinstance(again, Broken)
    assert "versions never change" in again.detail
    assert scene.seen() == APP


def test_nothing_is_public_that_the_bot_does_not_take(scene: Scene, bot: FakeBot) -> None:
    """A void claim, a bundle that is refused, a bot that is away."""
    bot.faults = [Fault("bundle", "status", status=422, error="invalid"), Fault("bundle", "status", times=9)]
    outcomes = [scene.publisher.publish(scene.claim, APP) for _ in range(2)]
    bot.voided.add(CLAIM_ID)
    bot.faults = []

    assert [Broken, RetryLater] == [type(outcome) for outcome in outcomes]
    with pytest.raises(ClaimLost):
        scene.publisher.publish(scene.claim, APP)
    assert {} == scene.seen()


def test_what_is_not_to_be_had_from_outside_is_not_published(
    scene: Scene, make_client: MakeClient, http: httpx.Client
) -> None:
    """Nothing is wrong with the ask: somebody has to mend the address. Nothing is left there meanwhile."""
    wrong = ElsewherePublisher("p", scene.place, f"{scene.base}/x", make_client(), visitor_of(http))

    outcome = wrong.publish(scene.claim, APP)

    assert isinstance(outcome, RetryLater)
    assert "'a.js': the public address answers 404" in outcome.detail
    assert {} == scene.seen()


@pytest.mark.parametrize(("trouble", "outcome"), [(PlaceAway("full"), RetryLater), (LaneUnfit("closed"), Unfit)])
def test_trouble_with_the_place_ends_the_attempt(scene: Scene, trouble: Exception, outcome: type) -> None:
    """A place that is away is asked later; what a person has to mend ends the lane."""

    def raise_it(call: str) -> None:
        raise trouble

    scene.place.before = raise_it

    ended = [scene.publisher.publish(scene.claim, APP), scene.publisher.unpublish("app-1", "")]

    assert [outcome, outcome] == [type(each) for each in ended]
    assert [str(trouble)] * 2 == [getattr(each, "detail", "") for each in ended]


@pytest.mark.parametrize("slug", ["", ".", "..", "a/b", "A", "-a", "a" * 64, "a\x00", "a\n"])
def test_no_path_is_made_of_what_is_no_slug(scene: Scene, slug: str) -> None:
    """Neither one of a claim nor one that somebody types."""
    assert isinstance(scene.publisher.unpublish(slug, ""), Broken)
    assert isinstance(scene.publisher.publish(scene.claim.model_copy(update={"slug": slug}), APP), Broken)


@pytest.mark.parametrize(
    "base", ["https://pages.example", "https://a.b-c.example:8443/x/~y/", "http://127.0.0.1:8080/x"]
)
def test_a_plain_address_is_published_under(base: str) -> None:
    """On this machine without TLS as well."""
    assert base.rstrip("/") == public_base(base)


@pytest.mark.parametrize(
    "base",
    [
        "",
        "http://pages.example",
        "https://me@pages.example",
        "https://pages.example?x",
        "https://P.example",
        "ftp://x",
        "https://x\n",
    ],
)
def test_an_address_that_no_page_could_frame_is_refused(base: str) -> None:
    """When the lane starts, and not with the first app; the value is not quoted."""
    with pytest.raises(BadSettings, match="not a plain https one"):
        public_base(base)


@pytest.fixture(autouse=True)
def few_tries() -> Iterator[None]:
    with stamina.set_testing(True, attempts=2):
        yield

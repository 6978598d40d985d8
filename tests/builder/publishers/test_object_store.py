from collections.abc import Callable, Iterator

import pytest

from builder.errors import BadSettings, LaneUnfit
from builder.publishers.elsewhere import PlaceAway
from builder.publishers.object_store import ObjectPlace, open_store
from tests.builder.publishers.buckets import KEY_ID, Bucket, bucket
from tests.builder.publishers.sites import APP, OTHER


@pytest.fixture
def held(store_variables: Callable[[Bucket], None]) -> Iterator[Bucket]:
    with bucket() as held:
        store_variables(held)
        yield held


@pytest.fixture
def place(held: Bucket) -> ObjectPlace:
    return ObjectPlace(open_store("s3://bucket/apps"))


def test_objects_have_their_headers(held: Bucket, place: ObjectPlace) -> None:
    """What a page uses may be kept for good, the page is asked for each time."""
    assert place.store("app-1", 1, APP)

    headers = {key: content[1] for key, content in held.objects.items()}
    forever = "public, max-age=31536000, immutable"
    assert {
        "apps/app-1/1/index.html": {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache"},
        "apps/app-1/1/a.js": {"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": forever},
    }.items() <= headers.items()
    assert len(APP) == len(headers)


def test_the_first_page_comes_last_and_goes_first(held: Bucket, place: ObjectPlace) -> None:
    """Nobody opens half of an app."""
    assert place.store("app-1", 1, APP)
    put = [call for call in held.calls if call.startswith("PUT")]

    assert "PUT apps/app-1/1/index.html" == put[-1]


def test_another_app_whose_name_begins_alike_is_left_alone(held: Bucket, place: ObjectPlace) -> None:
    """Prefixes of a store are text, ours end at a slash."""
    for slug, version in (("app-1", 1), ("app-1", 11), ("app-11", 1)):
        assert place.store(slug, version, OTHER)
    place.remove("app-1", 1)
    place.bury("app-1", b"gone")

    assert {"apps/app-1/index.html", "apps/app-11/1/index.html"} == set(held.objects)


def test_an_older_stone_stays(held: Bucket, place: ObjectPlace) -> None:
    """It is created once; nobody overwrites it."""
    place.bury("app-1", b"first")
    place.bury("app-1", b"second")

    assert b"first" == held.objects["apps/app-1/index.html"][0]


@pytest.mark.parametrize(("status", "error"), [(403, LaneUnfit), (401, LaneUnfit), (400, PlaceAway)])
def test_a_store_that_refuses_is_told_by_its_kind(
    held: Bucket, place: ObjectPlace, status: int, error: type[Exception]
) -> None:
    """Its own words quote keys and what was signed."""
    held.refuses = status

    for act in (
        lambda: place.is_buried("app-1"),
        lambda: place.store("app-1", 1, APP),
        lambda: place.bury("app-1", b"x"),
    ):
        with pytest.raises(error) as told:
            act()
        assert KEY_ID not in f"{told.value!r} {told.value.__cause__!r}"
        assert "canary" not in str(told.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "bucket",
        "file:///tmp",
        "memory:///",
        "https://key:secret@s3.example/b",
        "s3://key:secret@bucket",
        "s3://b?x=y",
    ],
)
def test_an_address_that_is_no_bucket_is_refused(url: str) -> None:
    """A folder has a publisher of its own; nothing of the value is quoted."""
    with pytest.raises(BadSettings) as told:
        open_store(url)

    assert "secret" not in str(told.value)


def test_every_kind_of_store_can_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """S3, GCS and Azure; what is missing or wrong in the variables is told without their values."""
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "c2VjcmV0")
    monkeypatch.setenv("GOOGLE_SKIP_SIGNATURE", "true")

    kinds = [type(open_store(f"{scheme}://bucket/apps")).__name__ for scheme in ("s3", "gs", "az")]

    assert ["S3Store", "GCSStore", "AzureStore"] == kinds
    monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", '{"private_key": "canary')
    with pytest.raises(BadSettings) as told:
        open_store("gs://bucket/apps")
    assert "canary" not in str(told.value)

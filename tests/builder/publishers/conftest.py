"""The places that every publisher's behaviour is looked at in."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from builder.publishers.elsewhere import ElsewherePublisher
from builder.publishers.folder import FolderOptions, folder_publisher
from builder.publishers.hosted import HostedPublisher
from builder.publishers.object_store import ObjectStoreOptions, object_store_publisher
from guardrails.wire import Claim
from tests.bot.stage import Stage, staged
from tests.builder.publishers.buckets import KEY_ID, Bucket, bucket
from tests.builder.publishers.sites import House, Site, housed, shown


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as stage:
        yield stage


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False) as http:
        yield http


@pytest.fixture
def house(stage: Stage, http: httpx.Client) -> Iterator[House]:
    with housed(stage, http) as house:
        yield house


@pytest.fixture
def store_variables(monkeypatch: pytest.MonkeyPatch) -> Callable[[Bucket], None]:
    """Sets the provider's own variables to a bucket of the tests."""

    def point(held: Bucket) -> None:
        variables = {
            "AWS_ENDPOINT": held.url.removesuffix("/bucket"),
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": "canary-secret",
            "AWS_REGION": "eu-west-1",
            "AWS_ALLOW_HTTP": "true",
            "NO_PROXY": "127.0.0.1",
        }
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return point


@pytest.fixture(params=["hosted", "folder", "object-store"])
def site(
    request: pytest.FixtureRequest, house: House, tmp_path: Path, store_variables: Callable[[Bucket], None]
) -> Iterator[Site]:
    """One after the other, each with a device that may publish there."""
    with ExitStack() as places:
        match request.param:
            case "hosted":
                yield _hosted(house)
            case "folder":
                (tmp_path / "apps").mkdir()
                base = places.enter_context(shown(tmp_path))
                yield _below(
                    house,
                    f"{base}/apps",
                    folder_publisher(FolderOptions(tmp_path / "apps", f"{base}/apps/"), house.client, house.visitor),
                )
            case _:
                held = places.enter_context(bucket())
                store_variables(held)
                options = ObjectStoreOptions("s3://bucket/apps", f"{held.url}/apps")
                yield _below(house, f"{held.url}/apps", object_store_publisher(options, house.client, house.visitor))


def _hosted(house: House) -> Site:
    house.stage.device("token", prefix=house.apps_url)

    def file_url(claim: Claim, name: str) -> httpx.URL:
        return httpx.URL(house.apps_url.replace("//", f"//{claim.slug}.") + f"/~{claim.version}/{name}")

    return Site(house.stage, house.client, HostedPublisher(house.client), file_url)


def _below(house: House, base: str, publisher: ElsewherePublisher) -> Site:
    house.stage.device("token", prefix=base)

    def file_url(claim: Claim, name: str) -> httpx.URL:
        return httpx.URL(f"{base}/{claim.slug}/{claim.version}/{name}")

    return Site(house.stage, house.client, publisher, file_url)

"""The bot's settings: what is set to nothing is not set, and addresses are what the bot can work with."""

from collections.abc import Callable

import pytest
from cryptography.fernet import Fernet

from bot.errors import BadSettings
from bot.settings import Settings, load_settings

Load = Callable[..., Settings]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """The settings of a host that sets these beside what has to be set."""

    def load(**settings: str) -> Settings:
        told = {"identifier": "wright.test", "password": "pw", "session_key": Fernet.generate_key().decode()}
        for name, value in (told | settings).items():
            monkeypatch.setenv(f"SKYWRIGHT_{name.upper()}", value)
        return load_settings(Settings)

    return load


def test_what_is_set_to_nothing_has_its_default(load: Load) -> None:
    """As in a compose file, or in the example file with a line's sign taken away."""
    settings = load(pds_url="", poll_seconds="", log="")

    assert (None, 5, "console") == (settings.pds_url, settings.poll_seconds, settings.log)


@pytest.mark.parametrize("name", ["identifier", "password", "session_key"])
def test_what_is_required_and_set_to_nothing_is_named(load: Load, name: str) -> None:
    """A login with an empty password would cost a login."""
    with pytest.raises(BadSettings, match=f"^SKYWRIGHT_{name.upper()}: is not set$"):
        load(**{name: ""})


@pytest.mark.parametrize("address", ["https://apps.example", "https://apps.example/", "http://localhost:8100"])
def test_the_apps_address_has_a_host_of_its_own(load: Load, address: str) -> None:
    """A slug goes behind it and a host name before it."""
    assert address.rstrip("/") == load(apps_url=address).apps_url


@pytest.mark.parametrize(
    "address",
    ["https://example.org/apps", "https://example.org?x", "https://example.org#x", "https://me:pw@example.org"],
)
def test_the_apps_address_is_nothing_but_a_host(load: Load, address: str) -> None:
    """Below a path the bot would answer with links that lead nowhere."""
    with pytest.raises(BadSettings, match=r"^SKYWRIGHT_APPS_URL: .*no path"):
        load(apps_url=address)

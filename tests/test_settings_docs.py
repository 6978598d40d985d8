"""What is written about the settings is what the settings are."""

from tests.settings_docs import ENV_EXAMPLE, KINDS, README, env_example, readme_with_settings


def test_the_readme_has_every_setting() -> None:
    """Stale tables fail: run `make settings`."""
    text = README.read_text()

    assert readme_with_settings(text) == text


def test_the_example_file_has_every_setting() -> None:
    """A stale example fails: run `make settings`."""
    assert env_example() == ENV_EXAMPLE.read_text()


def test_every_setting_says_what_it_does() -> None:
    """No setting without a description."""
    silent = [name for kind in KINDS.values() for name, field in kind.model_fields.items() if not field.description]

    assert [] == silent

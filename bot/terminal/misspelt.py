"""Names in the environment that look like settings of the bot and are none."""

from collections.abc import Iterator, Mapping

from bot.settings import PREFIX, Settings
from guardrails.misspelt import Misspelt
from guardrails.misspelt import misspelt as misspelt_among

# What the commands read beside the settings.
BESIDE = frozenset({f"{PREFIX}SERVER", f"{PREFIX}TOKEN", f"{PREFIX}TOKEN_FILE"})


def setting_names() -> dict[str, str]:
    """Each setting of the bot by its name in the environment."""
    return {f"{PREFIX}{field.upper()}": field for field in Settings.model_fields}


def misspelt(environment: Mapping[str, str]) -> Iterator[Misspelt]:
    """The names that begin as settings of the bot do and are none."""
    return misspelt_among(environment, setting_names(), BESIDE, lane=False)

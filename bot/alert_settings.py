"""The settings of the alert channel: where operators are told of what is wrong, and how the message is shaped."""

from urllib.parse import urlsplit

from pydantic import Field
from pydantic_settings import BaseSettings

from bot.addresses import SecretUrl
from bot.notices import Channel, Shape

_HOSTS = {
    "slack.com": Shape.SLACK,
    "slack-gov.com": Shape.SLACK,
    "discord.com": Shape.DISCORD,
    "discordapp.com": Shape.DISCORD,
}


class AlertSettings(BaseSettings, defer_build=True):
    """A part of the bot's settings. The address lets whoever has it write to the channel, so it is a secret."""

    alert_url: SecretUrl | None = Field(
        default=None,
        description="A webhook that is told once of each thing that is wrong, and once that it is over; "
        "`skywright alerts test` tries it",
    )
    alert_format: Shape | None = Field(
        default=None, description="The shape of the message, if not the one of the webhook's host; `json` elsewhere"
    )
    alert_held_hours: float = Field(
        default=12, gt=0, le=24 * 30, description="Operators are told of what waits for their decision for longer"
    )

    alert_backup_days: float | None = Field(
        default=None,
        gt=0,
        le=366,
        description="Operators are told when the last good `skywright backup` is older; where this is set, also when "
        "none was ever made. Without it two days, where one was",
    )

    @property
    def alert_channel(self) -> Channel | None:
        """The webhook; None where nobody wants to be told."""
        if self.alert_url is None:
            return None
        host = urlsplit(self.alert_url.get_secret_value()).hostname or ""
        known = (shape for name, shape in _HOSTS.items() if host == name or host.endswith(f".{name}"))
        return Channel(self.alert_url, self.alert_format or next(known, Shape.JSON))

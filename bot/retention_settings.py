"""The settings of retention: how long what is not needed any more is kept."""

from pydantic import Field
from pydantic_settings import BaseSettings

_DAYS = 36_500


class RetentionSettings(BaseSettings):
    """A part of the bot's settings. Ids are kept for ever, and so is every send key that could be needed again."""

    keep_logs_days: int | None = Field(
        default=None, ge=1, le=_DAYS, description="Logs and reports of builds go after so many days; kept if not set"
    )
    keep_posts_days: int | None = Field(
        default=None,
        ge=1,
        le=_DAYS,
        description="What somebody wrote goes so many days after its ask has ended; kept if not set",
    )
    keep_history_days: int | None = Field(
        default=None,
        ge=7,
        le=_DAYS,
        description="Of an ask that ended so many days ago, only its id and its day's counts stay; kept if not set",
    )
    keep_apps_days: int | None = Field(
        default=None,
        ge=1,
        le=_DAYS,
        description="An app goes so many days after it was built, as its page says from the first; kept if not set",
    )

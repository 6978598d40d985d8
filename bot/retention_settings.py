"""The settings of retention: how long what is not needed any more is kept."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import BaseSettings

from guardrails.retention import Keep

_DAYS = 36_500


class RetentionSettings(BaseSettings, defer_build=True):
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
        description="Of an ask that ended so many days ago only its id, our reply's address and its day's counts stay, "
        "once its app is gone; kept if not set",
    )
    keep_skipped_days: int | None = Field(
        default=None,
        ge=7,
        le=_DAYS,
        description="The same for an ask that was skipped; as long as any other if not set",
    )
    keep_apps_days: int | None = Field(
        default=None,
        ge=1,
        le=_DAYS,
        description="An app goes so many days after it was built, as its page says from the first; kept if not set",
    )

    @property
    def keep(self) -> Keep:
        """How long each part of an ask that is over is kept."""
        return Keep(
            logs=_days(self.keep_logs_days),
            posts=_days(self.keep_posts_days),
            history=_days(self.keep_history_days),
            skipped=_days(self.keep_skipped_days),
        )

    @property
    def keep_apps(self) -> timedelta | None:
        """How long an app that is published now will be kept; None for ever."""
        return _days(self.keep_apps_days)


def _days(n: int | None) -> timedelta | None:
    return timedelta(days=n) if n is not None else None

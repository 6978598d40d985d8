"""The files that `skywright init` leaves: settings, rules, and those of a lane on this machine."""

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.settings import Settings
from bot.settings_file import assignment, changed, settings_lines
from bot.terminal.init_draft import Draft
from bot.whole_files import whole_file
from guardrails.rules import MICROS, Approval, MoneyRules, read_rules
from guardrails.rules_example import example

BOT_URL, LANE_TOKEN = "SKYWRIGHT_LANE_BOT_URL", "SKYWRIGHT_LANE_TOKEN"
_DAY, _MONEY = (
    re.compile(r"^#?\s*day_usd\s*=.*$", re.MULTILINE),
    re.compile(r"^\[ *money *\][ \t]*(?:#.*)?$", re.MULTILINE),
)


@dataclass(frozen=True)
class WholeText:
    """A file to be written, in the place of what is there."""

    file: Path
    text: str = field(repr=False)
    mode: int = 0o600

    def write(self) -> None:
        """Have it on the disk, whole, for its owner only unless its mode says more; a link stays one."""
        file = self.file.resolve()
        with whole_file(file, overwrite=True) as part:
            part.write_text(self.text, encoding="utf-8")
            part.chmod(self.mode)


def settings_text(draft: Draft) -> str:
    """The settings file: a new one says what each does; of one that stands, what was not asked stays."""
    values = draft.by_name()
    if not draft.is_new:
        return changed(draft.file.read_text(encoding="utf-8"), values)
    top = (
        "# Settings of a bot, for `skywright --env-file FILE`. It holds secrets: keep it to yourself (mode 0600).",
        "# Written by `skywright init`, which changes it, too; what stands behind a # is as it is by default.",
    )
    return "\n".join([*top, *settings_lines(Settings, values)]) + "\n"


def rules_text(file: Path, day_usd: float) -> str | None:
    """The rules with this purse; None where they have it already. BadRules when they cannot be used so.

    New ones let a person look at the first ask of everybody.
    """
    if not file.exists():
        text = example({("approval", "policy"): Approval.FIRST_TIME, **_money(day_usd)})
    else:
        before = file.read_text(encoding="utf-8-sig")
        if read_rules(before).money.day_usd == day_usd:
            return None
        text = _with_purse(before, f"day_usd = {day_usd:.15g}")
    read_rules(text)
    return text


def rules_mode(file: Path) -> int:
    """Who may read the rules: everybody, since in a container it is another user, and they hold no secret.

    Of a file that stands, whoever could before.
    """
    return stat.S_IMODE(file.stat().st_mode) if file.exists() else 0o644


def lane_text(file: Path, bot_url: str, token: str | None) -> str:
    """The settings file of a lane on this machine; without a token, the one that stands there stays."""
    values = {BOT_URL: bot_url, **({LANE_TOKEN: token} if token is not None else {})}
    if file.exists():
        return changed(file.read_text(encoding="utf-8"), values)
    return "\n".join(
        (
            "# Settings of a lane, for `skywright-builder --env-file FILE`. It holds a token: keep it to yourself.",
            "# Written by `skywright init`. What else there is stands in README.md, under Settings.",
            "",
            *(assignment(name, value) for name, value in values.items()),
            "",
            "# What builds the apps: template, llm or command",
            "#SKYWRIGHT_LANE_GENERATOR=template",
            "",
        )
    )


def _money(day_usd: float) -> Mapping[tuple[str, str], Any]:
    """The purse, and under it what may not be more than it."""
    usual = MoneyRules()
    keys = ("estimate_usd", "build_usd", "author_day_usd")
    lower = {("money", key): day_usd for key in keys if getattr(usual, key) > day_usd}
    return {**lower, ("money", "day_usd"): round(day_usd) if day_usd.is_integer() else day_usd}


def _with_purse(text: str, line: str) -> str:
    money = _MONEY.search(text)
    if money is None:
        return f"{text.rstrip()}\n\n[money]\n{line}\n"
    ends = text.find("\n[", money.end())
    table = text[money.end() : ends if ends >= 0 else None]
    rest = text[ends:] if ends >= 0 else ""
    there = _DAY.search(table)
    inner = table[: there.start()] + line + table[there.end() :] if there else f"\n{line}{table}"
    return f"{text[: money.end()]}{inner}{rest}"


def why_no_purse(text: str) -> str | None:
    """What is wrong with a purse; None when it is one."""
    try:
        amount = float(text)
    except ValueError:
        return "an amount of US dollars, such as 5"
    if not 1 <= amount * MICROS <= 100_000 * MICROS:
        return "more than nothing, and 100000 at most: `skywright pause builds` stops what costs"
    return None

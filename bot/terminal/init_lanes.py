"""Which lanes build for a bot to be: one on this machine, one elsewhere, GitHub's runners, or none yet."""

from bot.ledger.enrolments import Place
from bot.ledger.ledger import Ledger
from bot.operations.enrolling import NewDevice
from bot.settings import Settings
from bot.terminal.first_day import Lanes
from bot.terminal.here import operations_here
from bot.terminal.init_asking import Asker, Question
from bot.terminal.init_draft import Draft, Given, why_not
from bot.terminal.opening import operator
from guardrails.access import Role
from guardrails.findings import ok, warn

HERE, ELSEWHERE, GITHUB, LATER = KINDS = tuple(kind.value for kind in Lanes)
# The names that deploy/github has, where somebody has not chosen others.
ENVIRONMENT, AUDIENCE = "skywright-lane", "skywright"


def lanes_asked(asker: Asker, draft: Draft, given: Given) -> str:
    """Who builds; with GitHub's runners, whose they are."""
    usual = HERE if draft.is_new or draft.lane_file.exists() else LATER
    words = "Who builds the apps: here (a lane on this machine), elsewhere, github (its runners), or later"
    kind = asker.answer(Question("--lanes", words, _why_no_kind, given.lanes, usual))
    if kind == GITHUB:
        repository = Question(
            "--repository", "The repository, as OWNER/NAME", _why_no_repository, given.repository, draft.value(_NAME)
        )
        draft.values[_NAME] = asker.answer(repository)
        draft.values.setdefault("github_environment", ENVIRONMENT)
        draft.values.setdefault("github_audience", AUDIENCE)
    if kind in (ELSEWHERE, GITHUB) and not draft.values.get("lane_url"):
        mend = "give the lane listener a public address, by --lane-url or SKYWRIGHT_LANE_URL"
        asker.show([warn("lanes", "from elsewhere nobody reaches this machine's own addresses", mend)])
    else:
        asker.show([ok("lanes", kind)])
    return kind


def lane_token(draft: Draft, ledger: Ledger, settings: Settings) -> str | None:
    """A new token for the lane on this machine; None where it has one, for the address that the apps still have."""
    if draft.lane_file.exists() and draft.earlier.get("apps_url") == settings.apps_url:
        return None
    place = Place("the lane on the bot's machine", settings.apps_url, None)
    _, token = operations_here(ledger, settings, operator()).add_device(NewDevice(place, Role.LANE, None))
    return token


_NAME = "github_repository"


def _why_no_kind(text: str) -> str | None:
    return None if text in KINDS else f"one of: {', '.join(KINDS)}"


def _why_no_repository(text: str) -> str | None:
    return why_not(_NAME, text) if text else "as OWNER/NAME; see deploy/github/README.md"

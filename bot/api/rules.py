"""Reading the rules anew, for whoever is on the bot's machine."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request

from bot.api.auth import device_of
from bot.api.bodies import VERSION_HEADER, check_version
from bot.api.problems import Refused, invalid
from bot.jobs.reload import reload_rules
from bot.ledger.ledger import Ledger
from bot.rules import RulesFile
from guardrails.access import Action, Caller, check_access
from guardrails.errors import BadRules
from guardrails.text import visible
from guardrails.wire import API_VERSION

RELOAD = "/api/rules/reload"
BAD_RULES = "bad_rules"


def rules_routes(ledger: Ledger, rules: RulesFile, *, is_open: bool = False) -> APIRouter:
    """POST /api/rules/reload: the version then in force; 422 with each problem, and the old rules stay in force.

    No token is asked for: it reads a file that only the host can write. The version header is, since no page that an
    operator visits can send it. Where the listener is open to other machines, an operator's token is asked for too.
    """
    routes = APIRouter()
    device = device_of(ledger)

    def operator(request: Request) -> Caller | None:
        if not is_open:
            return None
        caller = device(request).caller
        check_access(caller, Action.DECIDE)
        return caller

    @routes.post(RELOAD)
    def reload(
        caller: Annotated[Caller | None, Depends(operator)],
        version: Annotated[str | None, Header(alias=VERSION_HEADER)] = None,
    ) -> dict[str, object]:
        if version is None:
            raise invalid(f"the header {VERSION_HEADER} is missing", f"Send `{VERSION_HEADER}: {API_VERSION}`.")
        check_version(version)
        before = rules().version
        try:
            read = reload_rules(rules, ledger, caller)
        except BadRules as bad:
            raise _refused(bad, before) from None
        return {"api_version": API_VERSION, "version": read.version, "before": before}

    return routes


def _refused(bad: BadRules, in_force: str) -> Refused:
    told = visible("\n".join(bad.problems), keep_newlines=True)
    mend = f"Mend the file and reload; until then {in_force} stays in force."
    return Refused(HTTPStatus.UNPROCESSABLE_ENTITY, BAD_RULES, told, mend)

"""The page of the rules in force."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from bot.console.console import Console
from bot.console.visits import Change, Visit
from guardrails.errors import BadRules
from guardrails.rules import Rules


def rules_routes(console: Console) -> APIRouter:
    """GET /rules, and POST /rules/reload to read them anew."""
    routes = APIRouter()

    @routes.get("/rules")
    def rules(request: Request, visit: Annotated[Visit, Depends(console.signed_in)]) -> Response:
        return _page(console, request, visit)

    @routes.post("/rules/reload")
    def reload(request: Request, change: Annotated[Change, Depends(console.change)]) -> Response:
        before = console.rules().version
        try:
            version = change.operations.reload_rules()
        except BadRules as bad:
            return _page(console, request, change.visit, bad.problems)
        told = f"Rules {version} are in force." if version != before else f"Nothing has changed: rules {version}."
        return console.back(request, "/rules", told)

    return routes


def _page(console: Console, request: Request, visit: Visit, problems: tuple[str, ...] = ()) -> Response:
    rules = console.rules()
    return console.show(
        request, visit, "rules.html", rules_version=rules.version, tables=_tables(rules), problems=problems
    )


def _tables(rules: Rules) -> dict[str, dict[str, Any]]:
    """The rules table by table, as the file has them; each value with whether it is the built-in one."""
    in_force, built_in = rules.model_dump(mode="json"), Rules().model_dump(mode="json")
    return {
        table: {key: (value, value == built_in[table][key]) for key, value in keys.items()}
        for table, keys in in_force.items()
        if isinstance(keys, dict)
    }

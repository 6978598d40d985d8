"""Charts of what happened: the same figures as lines, as tables for whoever cannot see or draw them, and as JSON."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from bot.api.problems import Refused
from bot.console.console import Console
from bot.console.visits import Visit
from bot.operations.stretches import Every, Figures, Spread, Stretch

RANGES = {
    "24h": (timedelta(days=1), Every.HOUR, "24 hours"),
    "7d": (timedelta(days=7), Every.HOUR, "7 days"),
    "30d": (timedelta(days=30), Every.DAY, "30 days"),
    "90d": (timedelta(days=90), Every.DAY, "90 days"),
}
USUAL = "7d"
_MICROS = 1_000_000
Value = float | None


@dataclass(frozen=True)
class Series:
    """One line of a chart: a value for each stretch, None where there is none, and the value for all of them."""

    name: str
    values: list[Value]
    in_all: Value


@dataclass(frozen=True)
class Chart:
    """Lines of one unit: `count`, `seconds`, `percent` or `usd`."""

    id: str
    title: str
    unit: str
    series: list[Series]


def charts_routes(console: Console) -> APIRouter:
    """GET /charts, and /charts/figures for the script that draws them."""
    routes = APIRouter()
    In = Annotated[Visit, Depends(console.signed_in)]

    @routes.get("/charts")
    def charts(request: Request, visit: In, range: str = USUAL) -> Response:
        figures = _figures(visit, range)
        return console.show(
            request,
            visit,
            "charts.html",
            figures=figures,
            charts=charts_of(figures),
            ranges=[(name, told) for name, (_, _, told) in RANGES.items()],
            range=range,
            by_hour=figures.every is Every.HOUR,
            told=told,
            at_hour=at_hour,
            most=max((skipped.n for skipped in figures.skips), default=1),
        )

    @routes.get("/charts/figures")
    def drawn(visit: In, range: str = USUAL) -> Response:
        figures = _figures(visit, range)
        at = [int(stretch.at.timestamp()) for stretch in figures.stretches]
        told = {chart.id: {"unit": chart.unit, "series": _plain(chart)} for chart in charts_of(figures)}
        return JSONResponse({"at": at, "charts": told}, headers={"Cache-Control": "no-store"})

    return routes


def charts_of(figures: Figures) -> list[Chart]:
    """The figures as charts, in the order of the page."""

    def line(name: str, value: Callable[[Stretch], Value]) -> Series:
        return Series(name, [value(stretch) for stretch in figures.stretches], value(figures.in_all))

    def times(id: str, title: str, spread: Callable[[Stretch], Spread]) -> Chart:
        half = line("half within (p50)", lambda stretch: spread(stretch).p50)
        most = line("19 of 20 within (p95)", lambda stretch: spread(stretch).p95)
        return Chart(id, title, "seconds", [half, most])

    mentions, replies = line("mentions", lambda each: each.mentions), line("replies", lambda each: each.replies)
    first = line("at the first try", lambda each: _share(each.first_try, each))
    in_the_end = line("in the end", lambda each: _share(_apps(each), each))
    return [
        Chart("flow", "Mentions, builds, replies", "count", [mentions, line("apps built", _apps), replies]),
        Chart("success", "Builds that made an app", "percent", [first, in_the_end]),
        times("acknowledge", "Time to acknowledge", lambda each: each.to_acknowledge),
        times("build", "Time to build", lambda each: each.to_build),
        times("reply", "Time to reply", lambda each: each.to_reply),
        Chart("cost", "Cost", "usd", [line("all builds", lambda each: each.cost_micros / _MICROS)]),
        Chart("cost-each", "Cost per app", "usd", [line("for each app", _cost_each)]),
    ]


def _apps(stretch: Stretch) -> int:
    return stretch.first_try + stretch.repaired


def _share(part: int, stretch: Stretch) -> Value:
    ended = _apps(stretch) + stretch.failed
    return 100 * part / ended if ended else None


def _cost_each(stretch: Stretch) -> Value:
    apps = _apps(stretch)
    return stretch.cost_micros / _MICROS / apps if apps else None


def _plain(chart: Chart) -> Sequence[dict[str, object]]:
    return [{"name": series.name, "values": series.values} for series in chart.series]


def _figures(visit: Visit, name: str) -> Figures:
    if name not in RANGES:
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "this address makes no sense: range")
    length, every, _ = RANGES[name]
    return visit.operations.figures(visit.at - length, visit.at, every)


def told(value: Value, unit: str) -> str:
    """A value as a table has it; a dash for none."""
    if value is None:
        return "–"
    match unit:
        case "seconds":
            return _duration(value)
        case "percent":
            return f"{value:.0f} %"
        case "usd":
            return f"${value:,.3f}"
        case _:
            return f"{value:,.0f}"


def _duration(seconds: float) -> str:
    for size, name in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {name}"
    return f"{seconds:.1f} s"


def at_hour(at: datetime) -> str:
    """The beginning of an hour."""
    return f"{at:%m-%d %H:00}"

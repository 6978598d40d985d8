"""GET /metrics: what Prometheus reads. Nothing in it is secret: names of ours and numbers."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from bot.metrics.counting import Metrics


def metrics_routes(metrics: Metrics) -> APIRouter:
    """GET /metrics: 200 with all metrics, also while the ledger is away."""
    routes = APIRouter()

    @routes.get("/metrics")
    def read(request: Request) -> Response:
        text, media_type = metrics.text(request.headers.get("Accept", ""))
        return Response(text, headers={"Content-Type": media_type})

    return routes

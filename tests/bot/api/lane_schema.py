"""The lane API as OpenAPI, made from the shapes of the wire; the bot itself serves no such document."""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from bot.api.bodies import VERSION_HEADER
from guardrails.wire import ClaimRequest, Enrolment, HeartbeatRequest, Report, RunLogin

CLAIM = "/api/lane/claims/{claim_id}"


@dataclass(frozen=True)
class Bytes:
    """A body that is no JSON."""

    media_type: str


BODIES: dict[tuple[str, str], type[BaseModel] | Bytes] = {
    ("post", "/api/lane/enrol"): Enrolment,
    ("post", "/api/lane/run"): RunLogin,
    ("post", "/api/lane/claim"): ClaimRequest,
    ("post", f"{CLAIM}/heartbeat"): HeartbeatRequest,
    ("put", f"{CLAIM}/bundle"): Bytes("application/octet-stream"),
    ("put", f"{CLAIM}/screenshot"): Bytes("image/png"),
    ("post", f"{CLAIM}/report"): Report,
}


def lane_schema(claim_id: str) -> dict[str, Any]:
    """Every call with its parameters and its body; the claim of that id is known to the bot."""
    components: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for (method, path), body in BODIES.items():
        paths.setdefault(path, {})[method] = {
            "parameters": list(_parameters(path, body, claim_id)),
            "requestBody": {"required": True, "content": _content(body, components)},
            "responses": {"default": {"description": "an answer, or a Problem"}},
        }
    info = {"title": "Skywright lane API", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": components}}


def _parameters(path: str, body: type[BaseModel] | Bytes, claim_id: str) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = []
    if "{claim_id}" in path:
        schema = {"anyOf": [{"const": claim_id}, {"type": "string", "pattern": "^[A-Za-z0-9_-]{26,64}$"}]}
        parameters.append({"name": "claim_id", "in": "path", "required": True, "schema": schema})
    if isinstance(body, Bytes):
        parameters.append({"name": VERSION_HEADER, "in": "header", "schema": {"type": "integer"}})
    return parameters


def _content(body: type[BaseModel] | Bytes, components: dict[str, Any]) -> dict[str, Any]:
    if isinstance(body, Bytes):
        return {body.media_type: {"schema": {"type": "string", "format": "binary"}}}
    shape = body.model_json_schema(ref_template="#/components/schemas/{model}")
    components.update(shape.pop("$defs", {}))
    components[body.__name__] = shape
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{body.__name__}"}}}

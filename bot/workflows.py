"""GitHub's side of the lane in CI: calls its workflow when work waits, and asks whether it is switched on."""

import json
from typing import Any
from urllib.parse import quote

import httpx

from bot.bluesky.transport import DeadlineTransport
from bot.github import Workflow
from bot.outgoing import Failed, retry_after
from guardrails.text import clip, visible

# https://docs.github.com/en/rest, with the version that these calls were written for.
API_VERSION = "2022-11-28"
# The workflow's input, or the key in the event's payload, that carries the token of a call.
DISPATCH_ID = "dispatch_id"
MOST_BYTES = 256_000
SAID = 120
MENDS = {
    401: "its token is wrong or over",
    403: "its token may not do that, or too much was asked",
    404: "there is no such repository or workflow, or its token does not see it",
    410: "it is gone",
    422: "the workflow does not take such calls on that branch, or is disabled",
}


class WorkflowCalls:
    """One workflow at GitHub. The calls carry a token of ours and no word of any mention."""

    def __init__(self, workflow: Workflow, deadline_seconds: float) -> None:
        self.target = workflow.target
        self._workflow = workflow
        self._deadline_seconds = deadline_seconds
        self._transport = DeadlineTransport()
        # No redirects: the token is for this host only.
        self._http = httpx.Client(transport=self._transport, timeout=httpx.Timeout(None), follow_redirects=False)

    def call(self, dispatch_id: str) -> Failed | None:
        """Have the workflow run; None once GitHub has taken the call, which it may do twice for one id."""
        flow, carried = self._workflow, {DISPATCH_ID: dispatch_id}
        if flow.event is not None:
            answer = self._ask("POST", "/dispatches", {"event_type": flow.event, "client_payload": carried})
        else:
            answer = self._ask("POST", f"{self._file}/dispatches", {"ref": flow.branch, "inputs": carried})
        return answer if isinstance(answer, Failed) else None

    def state(self) -> str | Failed:
        """What GitHub says of the workflow: `active`, or why it does not run, as `disabled_inactivity`."""
        answer = self._ask("GET", self._file)
        if isinstance(answer, Failed):
            return answer
        state = answer.get("state")
        return state if isinstance(state, str) else Failed("the answer does not say whether it is switched on")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @property
    def _file(self) -> str:
        return f"/actions/workflows/{quote(self._workflow.workflow, safe='')}"

    def _ask(self, method: str, path: str, body: object = None) -> dict[str, Any] | Failed:
        url = f"{self._workflow.api_url}/repos/{quote(self._workflow.repository)}{path}"
        headers = {
            "Accept": "application/vnd.github+json",
            "Accept-Encoding": "identity",
            "Authorization": f"Bearer {self._workflow.token.get_secret_value()}",
            "User-Agent": "skywright",
            "X-GitHub-Api-Version": API_VERSION,
        }
        content = json.dumps(body).encode() if body is not None else None
        try:
            with (
                self._transport.within(self._deadline_seconds),
                self._http.stream(method, url, headers=headers, content=content) as answer,
            ):
                return _read(answer)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError) as problem:
            return Failed(f"GitHub cannot be asked: {type(problem).__name__}")


def _read(answer: httpx.Response) -> dict[str, Any] | Failed:
    body = bytearray()
    for chunk in answer.iter_raw():
        body += chunk
        if len(body) > MOST_BYTES:
            break
    said = _object(bytes(body[:MOST_BYTES]))
    if answer.is_success:
        return said
    known = MENDS.get(answer.status_code, "")
    theirs = clip(visible(str(said.get("message", ""))), SAID, 4 * SAID)
    detail = "; ".join(filter(None, (f"GitHub answers with status {answer.status_code}", known, theirs)))
    return Failed(detail, retry_after(answer.headers.get("Retry-After", "")))


def _object(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}

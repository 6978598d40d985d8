"""The doctor's look at the bot's own listeners, each from the address that others come by."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx

from bot.api.problems import UNAVAILABLE
from bot.apphost import NOT_NOW
from bot.pages.certificates import NO_SLUG
from bot.pages.files import NO_APP
from bot.settings import Settings
from bot.terminal.answers import object_in
from bot.terminal.reaching import Away, looked_at
from guardrails.findings import Finding, fail, ok, warn

START = "start it with `skywright run`, or mend the address"
ELSEWHERE = "something else listens there, or what stands before it leads elsewhere"
BEHIND = "what stands before it does not reach the bot: start that with `skywright run`, or mend where it leads"
# A bot's own words for that are known; without them a 503 is one of these.
_OF_A_PROXY = {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}
Answer = httpx.Response | Away


def listener_findings(settings: Settings) -> Iterator[Finding]:
    """Whether the three listeners answer where they should, and only there; all are looked at at once."""
    looks = {
        "admin": ("GET", f"{settings.admin_address}/health"),
        "ready": ("GET", f"{settings.admin_address}/ready"),
        "apps": ("GET", f"{settings.apps_url}/health"),
        "lane": ("POST", f"{settings.lane_address}/api/lane/claim"),
        "lane health": ("GET", f"{settings.lane_address}/health"),
    }
    host = _host_of_no_app(settings.apps_url)
    if host is not None:
        looks["hosts"] = ("GET", host)
    with ThreadPoolExecutor(max_workers=len(looks)) as pool:
        found = dict(zip(looks, pool.map(lambda look: looked_at(*look), looks.values()), strict=True))
    yield _admin(settings, found["admin"], found["ready"])
    yield _apps(settings, found["apps"])
    yield _hosts(settings.apps_url, host, found["apps"], found.get("hosts"))
    yield _lane(settings, found["lane"], found["lane health"])


def ails_of(health: httpx.Response) -> list[str] | None:
    """What /health says is wrong; None where it does not say, since something else answers there."""
    told = object_in(health)
    try:
        late = sorted(name for name, job in told["jobs"].items() if job["late"])
        database = told["database"]
    except (KeyError, TypeError, AttributeError):
        return None
    ails = [] if database == "ok" else [f"the database {database}"]
    return [*ails, f"late jobs: {', '.join(late)}"] if late else ails


def listed(answer: httpx.Response, key: str) -> list[str]:
    """What an answer lists under a key."""
    found = object_in(answer).get(key)
    return [str(each) for each in found] if isinstance(found, list) else []


def _admin(settings: Settings, health: Answer, ready: Answer) -> Finding:
    name, address = "admin listener", settings.admin_address
    if isinstance(health, Away):
        return fail(name, f"{address} {health.why}", START)
    ails = ails_of(health) if health.is_success else None
    if ails is None:
        mend = BEHIND if health.status_code in _OF_A_PROXY else "something else listens there"
        return fail(name, f"{address} answered {health.status_code}", mend)
    if isinstance(ready, httpx.Response) and ready.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        ails = [*ails, *listed(ready, "reasons")]
    if ails:
        return fail(name, f"{address}: the bot is not well: {', '.join(ails)}", "look at its log")
    if settings.is_admin_open:
        mend = "listen on 127.0.0.1, or let nobody but operators reach it"
        return warn(name, f"{address} answers, and other machines may reach it ({settings.admin_listen})", mend)
    return ok(name, f"{address} answers")


def _apps(settings: Settings, answer: Answer) -> Finding:
    name, address = "apps listener", settings.apps_url
    if isinstance(answer, Away):
        return fail(name, f"{address} {answer.why}", START)
    if _is_admin(answer):
        return _given_away(name, address)
    if not answer.is_success:
        return _unlike(name, f"{address}/health", answer, is_ours=answer.text == NOT_NOW)
    return ok(name, f"{address} answers")


def _host_of_no_app(apps_url: str) -> str | None:
    """An address as an app would have it; None where the apps have only an IP address, which has no names below it."""
    apps = urlsplit(apps_url)
    try:
        ip_address(apps.hostname or "")
    except ValueError:
        return f"{apps.scheme}://{NO_SLUG}.{apps.netloc}/"
    return None


def _hosts(apps_url: str, address: str | None, apps: Answer, answer: Answer | None) -> Finding:
    """Each app has a host name of its own, which a wildcard of DNS and certificate leads to the listener."""
    name, below = "app hosts", f"*.{urlsplit(apps_url).netloc}"
    if address is None or answer is None:
        mend = "set SKYWRIGHT_APPS_URL to a host name: each app has a name below it"
        return fail(name, f"{apps_url} is no host name", mend)
    if isinstance(apps, Away) or not apps.is_success:
        return warn(name, f"{below} is not looked at without the apps listener", "mend that one first")
    if isinstance(answer, Away):
        mend = (
            f"let {below} lead there: in DNS, and in its certificate, which takes a moment when it is first asked for"
        )
        return fail(name, f"{below}: {address} {answer.why}", mend)
    if answer.status_code != HTTPStatus.NOT_FOUND or NO_APP not in answer.text:
        mend = f"let {below} lead to the apps listener, with the Host header kept as it is"
        return fail(name, f"{below}: {address} answered {answer.status_code}, and not as an app's host does", mend)
    return ok(name, f"{below} leads to the apps listener")


def _lane(settings: Settings, answer: Answer, health: Answer) -> Finding:
    name, address = "lane listener", settings.lane_address
    if isinstance(answer, Away):
        return fail(name, f"{address} {answer.why}", START)
    if isinstance(health, httpx.Response) and _is_admin(health):
        return _given_away(name, address)
    if answer.status_code != HTTPStatus.UNAUTHORIZED:
        is_ours = object_in(answer).get("error") == UNAVAILABLE
        return _unlike(name, address, answer, " to a call without a token", is_ours=is_ours)
    return ok(name, f"{address} wants a token")


def _unlike(name: str, address: str, answer: httpx.Response, to: str = "", *, is_ours: bool) -> Finding:
    """Of an answer that no listener of a bot that is well gives."""
    if is_ours and answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        mend = "the line `database` says why; the bot goes on by itself once it answers"
        return fail(name, f"{address} is the bot's, and its database does not answer", mend)
    mend = BEHIND if answer.status_code in _OF_A_PROXY else ELSEWHERE
    return fail(name, f"{address} answered {answer.status_code}{to}", mend)


def _given_away(name: str, address: str) -> Finding:
    mend = "mend what stands before it at once: the admin listener is for operators, and for nobody who comes by there"
    return fail(name, f"{address} leads to the admin listener", mend)


def _is_admin(answer: httpx.Response) -> bool:
    """Only the admin listener tells of jobs."""
    return "jobs" in object_in(answer)

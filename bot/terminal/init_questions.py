"""The questions of `skywright init`, each with its flag, what may be answered, and the look at it."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from bot.alerting import send_test
from bot.bluesky.identity import is_handle
from bot.hosts import is_loopback
from bot.rules import load_rules
from bot.terminal.init_asking import Asker, Question
from bot.terminal.init_draft import LEDGER_NAME, Draft, Given, why_not
from bot.terminal.init_files import why_no_purse
from bot.terminal.init_places import (
    account_found,
    addresses_of,
    apps_names_found,
    ledger_found,
    name_found,
    port_found,
    why_no_database,
)
from bot.terminal.opening import sqlite_file
from guardrails.documents import Did, is_did
from guardrails.findings import Finding, fail, ok, warn
from guardrails.rules import Rules

LISTENERS = {"apps_listen": "--apps-listen", "lane_listen": "--lane-listen", "admin_listen": "--admin-listen"}
_POSTGRESQL, _DRIVER = "postgresql://", "postgresql+psycopg://"


def handle_asked(asker: Asker, draft: Draft, given: Given) -> None:
    """Whose account it is; kept by its DID, which stays when the handle changes."""

    def look(name: str) -> Iterator[Finding]:
        draft.values["identifier"] = _handle(name)
        return account_found(draft.settings(), found)

    def found(did: Did) -> None:
        draft.values["identifier"] = did

    words = "The bot's handle, as wright.example"
    asker.settled(Question("--handle", words, _why_no_handle, given.handle, draft.values.get("identifier", "")), look)


def database_asked(asker: Asker, draft: Draft, given: Given) -> None:
    """Where the ledger is kept; a password for it is asked for unseen, and stays where it stands already."""
    stands = draft.values.get("database_url")

    def problem(address: str) -> str | None:
        return None if stands and address == _hidden(stands) else why_no_database(address) or _password_in(address)

    def look(address: str) -> Iterator[Finding]:
        whole = stands if stands and address == _hidden(stands) else _whole(asker, address)
        draft.values["database_url"] = whole
        return ledger_found(whole, draft.values.get("database_direct_url"))

    usual = _hidden(stands) if stands else f"sqlite:///{draft.file.parent / LEDGER_NAME}"
    words = "Where the ledger is kept: sqlite:///FILE, or postgresql+psycopg://USER@HOST/NAME"
    asker.settled(Question("--database", words, problem, given.database, usual), look)


def listeners_asked(asker: Asker, draft: Draft, given: Given, *, is_ours: bool) -> None:
    """Where the bot listens; asked only where a port cannot be had."""
    for name, flag in LISTENERS.items():

        def look(listen: str, name: str = name) -> Iterator[Finding]:
            draft.values[name] = listen
            return port_found(listen, is_ours=is_ours and listen == draft.earlier.get(name, listen))

        def problem(listen: str, name: str = name) -> str | None:
            return why_not(name, listen)

        words = f"Where the {name.partition('_')[0]} listener listens instead"
        asker.settled(Question(flag, words, problem, given.listen.get(name), draft.value(name), quiet=True), look)


def urls_asked(asker: Asker, draft: Draft, given: Given) -> None:
    """Under which names the public and the lanes come by."""
    stands = draft.values.get("apps_url", "")
    was_public = bool(stands) and not is_loopback(urlsplit(stands).hostname or "")
    domain = ""
    if not was_public and given.apps_url is None:
        words = "Your domain, as example.org, below which the apps are; Enter: this machine only, to try it"
        domain = asker.answer(Question("--domain", words, _why_no_domain, given.domain)).lower()
    apps = f"https://apps.{domain}" if domain else stands if was_public else _here(draft)
    lane = f"https://lane.{domain}" if domain else draft.values.get("lane_url", "")
    is_public = bool(domain) or was_public or given.apps_url is not None

    def apps_look(url: str) -> Iterator[Finding]:
        draft.values["apps_url"] = url.rstrip("/")
        return apps_names_found(url, addresses_of)

    def lane_look(url: str) -> Iterator[Finding]:
        if not url:
            draft.values.pop("lane_url", None)
            yield ok("lanes", f"they come to {draft.value('lane_listen')}, from this machine only")
            return
        draft.values["lane_url"] = url.rstrip("/")
        yield from name_found(url, addresses_of)

    words = "Public address of the apps; each is a name below it"
    asker.settled(Question("--apps-url", words, _why_no_apps_url, given.apps_url, apps, not is_public), apps_look)
    words = "Public address for lanes elsewhere"
    asker.settled(Question("--lane-url", words, _why_no_lane_url, given.lane_url, lane, not is_public), lane_look)


def purse_asked(asker: Asker, draft: Draft, given: Given) -> float:
    """How much may be spent in a day."""
    rules = load_rules(draft.rules_file) if draft.rules_file.exists() else Rules()
    words = "US dollars that builds may cost in a day"
    return float(asker.answer(Question("--purse", words, why_no_purse, given.purse, f"{rules.money.day_usd:.15g}")))


def contact_asked(asker: Asker, draft: Draft, given: Given) -> None:
    """Who answers for the bot."""
    needed = given.profile is not False

    def problem(text: str) -> str | None:
        if not text:
            return "somebody has to answer for the bot: a mail address or a link" if needed else None
        return None if text.isprintable() else "one line of text"

    words = "Who answers for the bot, for everybody to see: a mail address or a link"
    answer = asker.answer(Question("--contact", words, problem, given.contact, draft.value("contact")))
    if answer:
        draft.values["contact"] = answer


def alerts_asked(asker: Asker, draft: Draft) -> None:
    """Where operators are told of what is wrong. The address is a secret, so no flag takes it."""
    stands = draft.values.get("alert_url")
    while asker.asks:
        rest = "Enter keeps the one that is set" if stands else "Enter: nobody is told"
        typed = asker.secret(f"A webhook for alerts (Slack, Discord, or any that takes JSON), not shown; {rest}")
        problem = why_not("alert_url", typed) if typed else None
        if problem is None:
            draft.values.update({"alert_url": typed} if typed else {})
            break
        asker.say(f"  {problem}")
    if draft.values.get("alert_url"):
        asker.show([ok("alerts", "to a webhook")])
    else:
        mend = "set SKYWRIGHT_ALERT_URL later"
        asker.show([warn("alerts", "nobody is told when something goes wrong", mend)])


def try_alerts(asker: Asker, draft: Draft) -> None:
    """Send a message to the webhook, if that is wanted."""
    if not asker.agrees("Try the webhook by a message that says that it is a test?"):
        return
    failed = send_test(draft.settings())
    mend = "mend SKYWRIGHT_ALERT_URL, then `skywright alerts test`"
    asker.show([ok("alerts", "it took the message") if failed is None else fail("alerts", failed.detail, mend)])


def _handle(text: str) -> str:
    name = text.strip().removeprefix("@")
    return name if is_did(name) else name.lower()


def _why_no_handle(text: str) -> str | None:
    name = _handle(text)
    return None if is_did(name) or is_handle(name) else "neither a handle, as wright.example, nor a DID"


def _hidden(address: str) -> str:
    """An address as it may be shown."""
    try:
        return make_url(address).render_as_string(hide_password=True)
    except ArgumentError:
        return ""


def _password_in(address: str) -> str | None:
    if make_url(address).password is None:
        return None
    return "leave the password out: it is asked for unseen, or comes with SKYWRIGHT_DATABASE_URL"


def _whole(asker: Asker, address: str) -> str:
    """With the file's whole path, or the driver and the user's password."""
    file = sqlite_file(address)
    if file is not None:
        return f"sqlite:///{file.absolute()}"
    whole = _DRIVER + address.removeprefix(_POSTGRESQL) if address.startswith(_POSTGRESQL) else address
    if not asker.asks:
        return whole
    password = asker.secret("The password of that user, not shown; Enter: none is wanted")
    url = make_url(whole)
    return url.set(password=password).render_as_string(hide_password=False) if password else whole


def _why_no_domain(text: str) -> str | None:
    return None if not text or is_handle(text) else "a name, as example.org, without https:// and path"


def _here(draft: Draft) -> str:
    return f"http://localhost:{draft.value('apps_listen').rpartition(':')[2]}"


def _why_no_apps_url(text: str) -> str | None:
    return why_not("apps_url", text)


def _why_no_lane_url(text: str) -> str | None:
    return why_not("lane_url", text) if text else None

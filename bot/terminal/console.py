"""`skywright console`: ways into the console, and who is in it."""

from datetime import timedelta
from urllib.parse import urlsplit

import typer

from bot.hosts import is_loopback
from bot.ledger.consoles import LONGEST_LINK, ConsoleSession
from bot.settings import LedgerSettings, load_settings
from bot.terminal.failures import Exit, end
from bot.terminal.lines import moment
from bot.terminal.moments import duration
from bot.terminal.opening import opened_ledger, operator
from bot.terminal.screen import Screen, print_json
from bot.tokens import new_console_code
from guardrails.access import Role

COLUMNS = ("session", "who", "role", "since", "last used", "until", "ended")


def link_command(role: str, ttl: str) -> None:
    """Let somebody into the console once; the link alone on standard output, never to be seen again."""
    settings, lasts = load_settings(LedgerSettings), duration(ttl)
    if not timedelta() < lasts <= LONGEST_LINK:
        raise typer.BadParameter(f"--ttl {ttl}: more than nothing, and a day at most")
    code = new_console_code()
    with opened_ledger(settings) as ledger:
        until = ledger.consoles.offer(operator(), code, Role(role), lasts)
    typer.echo(f"this link lets one person in as {role}, once, until {moment(until)} UTC:", err=True)
    typer.echo(f"{settings.admin_address}/console/enter/{code}")
    tunnel = _tunnel(settings.admin_address)
    if tunnel is not None:
        typer.echo(f"from another machine run this there first, and keep it running: {tunnel}", err=True)


def sessions_command(*, as_json: bool) -> None:
    """Print who is signed in to the console, and who was of late."""
    with opened_ledger() as ledger:
        sessions = ledger.consoles.sessions()
    if as_json:
        for session in sessions:
            print_json(session)
        return
    Screen().rows(COLUMNS, [_row(session) for session in sessions])


def revoke_command(session: str) -> None:
    """End somebody's session."""
    with opened_ledger() as ledger:
        if not ledger.consoles.revoke(operator(), session):
            end(f"no session {session} stands: `skywright console sessions` shows them", Exit.NOT_FOUND)
    typer.echo(f"session {session} is over", err=True)


def _tunnel(address: str) -> str | None:
    """How another machine reaches a console that only this one does; None where others reach it anyway."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if not is_loopback(host):
        return None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"ssh -N -L {port}:{f'[{host}]' if ':' in host else host}:{port} HOST"


def _row(session: ConsoleSession) -> tuple[str, ...]:
    ended = session.ended.value if session.ended is not None else ""
    times = (moment(session.created_at), moment(session.seen_at), moment(session.expires_at))
    return (session.id, session.holder, session.role.value, *times, ended)

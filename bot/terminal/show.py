"""`skywright show`: all that the ledger knows of one document."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.text import Text

from bot.ledger.views import Attempt, Document, Moved, Send
from bot.operations.moves import move_json
from bot.terminal.lines import move_line
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, print_json, safe, status_text, to_json
from guardrails.text import visible


def show_command(name: str, *, as_json: bool) -> None:
    """Print one document with its verdicts, attempts, sends and history."""
    with opened_operations() as operations:
        whole = operations.whole(operations.find(name).id)
    if as_json:
        print_json({**vars(whole), "moves": [move_json(move) for move in whole.moves]})
        return
    screen, document, app = Screen(), whole.document, whole.app
    _print(screen, _document(document))
    if whole.deeds:
        screen.print(_field("possible", ", ".join(whole.deeds)))
    if app is not None and app.address is not None:
        # Where its lane takes it down: the bot only shows it no more.
        screen.print(_field("published at", _link(app.address)))
    _print(screen, _verdicts(document), "verdicts")
    _print(screen, (line for attempt in whole.attempts for line in _attempt(attempt)), "attempts")
    _print(screen, (line for send in whole.sends for line in _send(send)), "sends")
    _print(screen, _history(whole.moves), "history")


def _print(screen: Screen, lines: Iterable[Text], heading: str = "") -> None:
    printed = list(lines)
    if printed and heading:
        screen.print(Text(f"\n{heading}", style="bold"))
    for line in printed:
        screen.print(line)


def _document(document: Document) -> Iterable[Text]:
    yield safe(document.id, "bold")
    yield _field("status", status_text(document.status), f" ({document.reason.value}) at version {document.version}")
    for name, value in _facts(document):
        if value:
            yield _field(name, value)


def _facts(document: Document) -> Sequence[tuple[str, str]]:
    body, built = document.body, document.result_json or {}
    return (
        ("detail", document.detail),
        ("author", f"{document.author_handle} {document.author_did}".strip()),
        ("post", document.source_uri),
        ("text", str(body.get("text", ""))),
        ("ask", str(body.get("ask", ""))),
        *_pointed_at(body),
        ("asked by", "an operator" if body.get("by_operator") else ""),
        ("joined", document.joined_to or ""),
        ("created", _at(document.created_at)),
        ("updated", _at(document.updated_at)),
        ("not before", _at(document.not_before)),
        ("approve by", _at(document.approve_by)),
        ("build by", _at(document.build_by)),
        ("failures", f"{document.failures} of {document.budget}" if document.attempt else ""),
        ("claim", f"{document.claim_device} until {_at(document.lease_until)}" if document.claim_id else ""),
        ("step", document.step or ""),
        ("title", str(built.get("title", ""))),
        ("app", _link(str(built.get("address", "")))),
        ("reply", document.reply_uri or ""),
        ("reply held", document.reply_held or ""),
        ("released", f"by {document.reply_released_by}, after it was held" if document.reply_released_by else ""),
        ("withdrawn", _at(document.withdrawn_at)),
        ("taken down", _at(document.taken_down_at)),
        *_seen(document),
    )


def _pointed_at(body: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The posts that the ask points at, each with whose it is."""
    for post in body.get("context", ()):
        how = "quotes" if post.get("quoted") else "replies to"
        said = " | ".join(str(part) for part in (post.get("text"), *post.get("alts", ()), post.get("card")) if part)
        yield (how, f"{post.get('author_handle')}: {said}")


def _seen(document: Document) -> Sequence[tuple[str, str]]:
    """What was seen on the network since the document was made."""
    return (
        ("looked at", _at(document.looked_at)),
        ("post absent", f"since {_at(document.absent_since)}" if document.absent_since else ""),
        ("post edited", f"read as {document.source_cid}, now {document.edited_cid}" if document.edited_cid else ""),
        ("reply seen", _at(document.reply_seen_at)),
        ("reply deleted", _at(document.reply_deleted_at)),
    )


def _verdicts(document: Document) -> Iterable[Text]:
    for verdict in document.verdicts:
        reason = f" {verdict.reason.value}" if verdict.reason else ""
        detail = f": {verdict.detail}" if verdict.detail else ""
        yield safe(f"  {verdict.check} (rules {verdict.rules}) {verdict.outcome.value}{reason}{detail}")


def _attempt(attempt: Attempt) -> Iterable[Text]:
    with_what = " ".join(part for part in (attempt.generator, attempt.model, attempt.prompt_version) if part)
    ended = f" to {_at(attempt.ended_at)}" if attempt.ended_at else ""
    yield safe(f"  {attempt.attempt}. {attempt.outcome or 'under way'}: {with_what} on {attempt.device}", "bold")
    yield _field("at", _at(attempt.started_at) + ended)
    if attempt.detail:
        yield _field("detail", attempt.detail)
    if attempt.tokens_in or attempt.tokens_out or attempt.cost_micros:
        cost = f"{attempt.cost_micros / 1_000_000:.4f} USD"
        yield _field("cost", f"{attempt.tokens_in} tokens in, {attempt.tokens_out} out, {cost}")
    if attempt.repairs:
        yield _field("repairs", str(attempt.repairs))
    for check in attempt.checks or []:
        yield from _check(check)
    # Each line keeps its mark, so that a log cannot pass for something else on this page.
    for line in visible(attempt.log_tail, keep_newlines=True).splitlines():
        yield Text(f"  | {line}", style="dim")


def _check(check: Mapping[str, Any]) -> Iterable[Text]:
    """What one check said: passed or not, what has to be mended, and what might be."""
    yield _field("check", f"{check.get('check')}: {'passed' if check.get('passed') else 'failed'}")
    for kind in ("findings", "warnings"):
        for told in check.get(kind, ()):
            yield _field(f"  {kind.removesuffix('s')}", str(told))


def _send(send: Send) -> Iterable[Text]:
    yield safe(f"  {send.key}: {send.state}", "bold")
    for name, value in (
        ("does", send.op),
        ("tries", str(send.tries)),
        ("claimed", _at(send.claimed_at)),
        ("settled", _at(send.settled_at)),
        ("unknown since", _at(send.unknown_since) if send.state == "claimed" else ""),
        ("next try", _at(send.next_try_at) if send.state == "claimed" else ""),
        ("uri", send.uri or f"(to be) {send.collection}/{send.rkey}"),
        ("cid", send.cid),
        ("problem", send.problem or ""),
        ("conflict", send.conflict or ""),
        ("note", send.note or ""),
        ("decided", f"by {send.decided_by}: {send.decision}" if send.decided_by else ""),
        ("record", to_json(send.record)),
    ):
        if value:
            yield _field(name, value)


def _history(moves: Iterable[Moved]) -> Iterable[Text]:
    return (Text("  ").append_text(move_line(move)) for move in moves)


def _field(name: str, value: Text | str, more: str = "") -> Text:
    """A name and what it is; further lines stand beneath the first, where no name of ours ever stands."""
    told = value if isinstance(value, Text) else Text(f"\n{'':<16}").join(map(safe, value.split("\n")))
    return Text(f"  {name:<14}", style="dim").append_text(Text(style="not dim").append_text(told)).append(more)


def _at(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}Z" if moment else ""


def _link(address: str) -> str:
    return address if address.startswith(("https://", "http://")) else ""

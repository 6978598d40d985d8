"""Turns what a PDS of the real network tells, in CBOR, into a Jetstream's frames: the client meets real events."""

import base64
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import libipld
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from bot.clock import Clock
from bot.sandbox.happenings import Happenings
from bot.sandbox.stream import SandboxStream

SUBSCRIBE = "/xrpc/com.atproto.sync.subscribeRepos"
# DAG-CBOR and raw blocks, by SHA-256: so a link begins, and hardly anything else of 36 bytes.
_LINKS = (b"\x01\x71\x12\x20", b"\x01\x55\x12\x20")
_CID_BYTES = 36


@contextmanager
def jetstream_of(pds_url: str) -> Iterator[SandboxStream]:
    """A stream on this machine that tells of what happens on a PDS from now on."""
    happenings = Happenings(Clock())
    address = pds_url.replace("http://", "ws://") + SUBSCRIBE
    with connect(address, proxy=None, max_size=None, ping_interval=None, close_timeout=1) as firehose:
        reading = threading.Thread(target=_pass_on, args=(firehose, happenings), daemon=True)
        reading.start()
        try:
            with SandboxStream(happenings) as stream:
                yield stream
        finally:
            firehose.close()
            reading.join()


def _pass_on(firehose: ClientConnection, happenings: Happenings) -> None:
    while True:
        try:
            message = firehose.recv(decode=False)
        except ConnectionClosed:
            return
        header, body = libipld.decode_dag_cbor_multi(message)
        match header.get("t"):
            case "#commit":
                _commit(body, happenings)
            case "#identity":
                happenings.identity(body["did"], str(body.get("handle", "")))
            case "#account":
                happenings.account(body["did"], active=body["active"], status=body.get("status"))


def _commit(body: Mapping[str, Any], happenings: Happenings) -> None:
    _, blocks = libipld.decode_car(body["blocks"])
    for op in body["ops"]:
        collection, _, rkey = op["path"].partition("/")
        more: dict[str, Any] = {}
        if op["cid"] is not None:
            more = {"record": _json(blocks[op["cid"]]), "cid": _text_of(op["cid"])}
        happenings.commit(body["repo"], body["rev"], op["action"], collection, rkey, **more)


def _json(value: Any) -> Any:
    """A record in its JSON form."""
    match value:
        case bytes() if len(value) == _CID_BYTES and value.startswith(_LINKS):
            return {"$link": _text_of(value)}
        case bytes():
            return {"$bytes": base64.b64encode(value).decode().rstrip("=")}
        case dict():
            return {key: _json(inner) for key, inner in value.items()}
        case list():
            return [_json(inner) for inner in value]
    return value


def _text_of(cid: bytes) -> str:
    return str(libipld.encode_cid(cid))

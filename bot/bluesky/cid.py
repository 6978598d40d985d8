"""The CID of a record: the name that the network gives to these exact bytes."""

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any

import libipld

_DAG_CBOR_SHA256 = b"\x01\x71\x12\x20"
_CID = re.compile(r"[!-~]{1,256}")
_RAW_SHA256 = b"\x01\x55\x12\x20"


def is_cid(text: str) -> bool:
    """Whether a text can be a CID, whatever kind of CID: what every database holds, and every record can name."""
    return _CID.fullmatch(text) is not None


def cid_of(record: Mapping[str, Any]) -> str:
    """The CID of a record in its JSON form, `$link` and `$bytes` included; ValueError for what no record can hold."""
    return _cid(_DAG_CBOR_SHA256, libipld.encode_dag_cbor(_ipld(record)))


def blob_cid(content: bytes) -> str:
    """The CID of a blob, which depends on its bytes alone."""
    return _cid(_RAW_SHA256, content)


def _cid(prefix: bytes, content: bytes) -> str:
    return str(libipld.encode_cid(prefix + hashlib.sha256(content).digest()))


def _ipld(value: Any) -> Any:
    match value:
        case {"$bytes": str(text)} if len(value) == 1:
            return base64.b64decode(text + "===")
        case {"$link": str(cid)} if len(value) == 1:
            return _link(cid)
        case Mapping():
            return {key: _ipld(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_ipld(inner) for inner in value]
        case float():
            raise ValueError("a record holds no floating point numbers")
    return value


def _link(cid: str) -> bytes:
    libipld.decode_cid(cid)
    return bytes(libipld.decode_multibase(cid)[1])

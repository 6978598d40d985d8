"""Frames as a Jetstream sends them for posts: of many people, in many languages, one in so many naming one account."""

import json
import random
from typing import Any

from guardrails.documents import Did

POST = "app.bsky.feed.post"
SOME = 5000
NAMED_ONCE_IN = 5000
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
# Of a thousand frames so many are not a new post.
DELETED, UPDATED, OTHER = 60, 5, 25
WORDS = {
    "en": "the rain has stopped and my bread is finally rising again this morning what a week it was",
    "de": "heute früh lag überall Nebel, später schien die Sonne auf den größten Kürbis der Straße",
    "ja": "今日は とても いい 天気 ですね。 猫が 窓辺で 寝ています 🐈 お茶を 飲もう",
    "pt": "hoje não há café, só pão com manteiga e a canção que você já ouviu amanhã à noite",
    "ko": "오늘 아침에 커피를 마시고 산책을 했다. 하늘이 맑다 ☀️ 고양이",
    "ar": "صباح الخير اليوم جميل والسماء صافية قهوة مع الأصدقاء",
}


def frames_of(our_did: Did, many: int = SOME, seed: int = 7) -> list[bytes]:
    """So many frames, one in `NAMED_ONCE_IN` of them, and one at least, a post that mentions this account."""
    chance = random.Random(seed)
    named = {number for number in range(many) if number % NAMED_ONCE_IN == min(many, NAMED_ONCE_IN) // 2}
    frames = []
    for number in range(many):
        frame = _frame(chance, number, our_did if number in named else None)
        frames.append(json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode())
    return frames


def _frame(chance: random.Random, number: int, mentioned: Did | None) -> dict[str, Any]:
    did, kind = _did(chance), chance.randrange(1000)
    told: dict[str, Any] = {"did": did, "time_us": 1_790_000_000_000_000 + number * 18_000}
    if mentioned is None and kind < OTHER:
        account = {"did": did, "seq": 20_000_000_000 + number, "time": _time(number)}
        if kind % 2:
            return told | {"kind": "identity", "identity": account | {"handle": f"{_key(chance, 9)}.bsky.social"}}
        return told | {"kind": "account", "account": account | {"active": True}}
    commit: dict[str, Any] = {"rev": _key(chance), "operation": "create", "collection": POST, "rkey": _key(chance)}
    if mentioned is None and kind < OTHER + DELETED:
        return told | {"kind": "commit", "commit": commit | {"operation": "delete"}}
    if kind < OTHER + DELETED + UPDATED:
        commit["operation"] = "update"
    return told | {
        "kind": "commit",
        "commit": commit | {"record": _post(chance, number, mentioned), "cid": _cid(chance)},
    }


def _post(chance: random.Random, number: int, mentioned: Did | None) -> dict[str, Any]:
    lang = chance.choice(list(WORDS))
    words = chance.choices(WORDS[lang].split(), k=chance.randrange(3, 40))
    handle = "@wright.example" if mentioned else f"@{_key(chance, 8)}.bsky.social"
    text = " ".join(words)[:250]
    record: dict[str, Any] = {"$type": POST, "createdAt": _time(number), "langs": [lang], "text": text}
    facets = []
    if mentioned or chance.random() < 0.1:
        start, text = len(text.encode()) + 1, f"{text} {handle}"
        feature = {"$type": "app.bsky.richtext.facet#mention", "did": mentioned or _did(chance)}
        facets.append(_facet(start, start + len(handle), feature))
    if chance.random() < 0.15:
        start, text = len(text.encode()) + 1, f"{text} example.com/a…"
        link = {"$type": "app.bsky.richtext.facet#link", "uri": f"https://example.com/a/{_key(chance)}?from=feed"}
        facets.append(_facet(start, start + len("example.com/a…".encode()), link))
    record |= {"text": text} | ({"facets": facets} if facets else {})
    if chance.random() < 0.45:
        record["reply"] = {"root": _ref(chance), "parent": _ref(chance)}
    return record | _embed(chance)


def _embed(chance: random.Random) -> dict[str, Any]:
    kind = chance.random()
    if kind < 0.2:
        return {"embed": {"$type": "app.bsky.embed.images", "images": [_image(chance) for _ in range(2)]}}
    if kind < 0.3:
        card = {"uri": f"https://example.com/{_key(chance)}", "title": "A page", "description": "What it says. " * 8}
        return {"embed": {"$type": "app.bsky.embed.external", "external": card | {"thumb": _blob(chance)}}}
    return {"embed": {"$type": "app.bsky.embed.record", "record": _ref(chance)}} if kind < 0.4 else {}


def _image(chance: random.Random) -> dict[str, Any]:
    size = {"height": 1500, "width": 2000}
    return {"alt": "a loaf of bread on a board", "aspectRatio": size, "image": _blob(chance)}


def _blob(chance: random.Random) -> dict[str, Any]:
    return {"$type": "blob", "ref": {"$link": _cid(chance)}, "mimeType": "image/jpeg", "size": 480_231}


def _facet(start: int, end: int, feature: dict[str, str]) -> dict[str, Any]:
    return {"index": {"byteStart": start, "byteEnd": end}, "features": [feature]}


def _ref(chance: random.Random) -> dict[str, str]:
    return {"cid": _cid(chance), "uri": f"at://{_did(chance)}/{POST}/{_key(chance)}"}


def _did(chance: random.Random) -> str:
    return f"did:plc:{_key(chance, 24)}"


def _key(chance: random.Random, length: int = 13) -> str:
    return "".join(chance.choices(LETTERS, k=length))


def _cid(chance: random.Random) -> str:
    return f"bafyrei{_key(chance, 52)}"


def _time(number: int) -> str:
    return f"2026-03-02T12:{number // 3000 % 60:02}:{number // 50 % 60:02}.{number % 1000:03}Z"

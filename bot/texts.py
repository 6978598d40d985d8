"""Every sentence that the bot can say in public, in the languages that it speaks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from guardrails.documents import Built
from guardrails.text import clean, clip, graphemes, utf8_len

# https://atproto.com/lexicons/app-bsky-feed#appbskyfeedpost
MAX_GRAPHEMES = 300
MAX_BYTES = 3000
_CARD_TITLE = 100
_CARD_DESCRIPTION = 200
_REASON = 160
_SHOWN_PATH = 18


class Note(StrEnum):
    """What the bot may have to say when there is nothing to link to."""

    NOT_BUILT = "not_built"
    NOT_WORKING = "not_working"
    NOBODY_CAME = "nobody_came"
    GOT_LOST = "got_lost"
    DECLINED = "declined"
    HELP = "help"


@dataclass(frozen=True)
class Speech:
    """A text, its facets by UTF-8 byte offsets, its language, and a link card where there is one."""

    text: str
    facets: tuple[dict[str, Any], ...]
    langs: tuple[str, ...]
    embed: dict[str, Any] | None = None


@dataclass(frozen=True)
class _Words:
    """One language: `{title}` is the app's, `{reason}` is why not, in plain words."""

    ready: str
    untitled: str
    notes: Mapping[Note, str]


_ENGLISH = _Words(
    ready="{title} is ready: ",
    untitled="Here it is: ",
    notes={
        Note.NOT_BUILT: "I could not build that: {reason}",
        Note.NOT_WORKING: "I tried to build that several times, and it never worked well enough to show. Sorry!",
        Note.NOBODY_CAME: "Nobody was free to build that in time. Ask me again if you still want it.",
        Note.GOT_LOST: "I lost the build half way, sorry! Ask me again if you still want it.",
        Note.DECLINED: "That is not something I can build.",
        Note.HELP: "Mention me and say what to build, for example “make me a pomodoro timer”. I answer with a link.",
    },
)

_LANGUAGES: Mapping[str, _Words] = MappingProxyType(
    {
        "en": _ENGLISH,
        "de": _Words(
            ready="{title} ist fertig: ",
            untitled="Hier ist es: ",
            notes={
                Note.NOT_BUILT: "Das konnte ich nicht bauen: {reason}",
                Note.NOT_WORKING: "Ich habe es mehrmals versucht, und es wurde nie gut genug. Tut mir leid!",
                Note.NOBODY_CAME: "Es war niemand frei, um das rechtzeitig zu bauen. Frag gern noch einmal.",
                Note.GOT_LOST: "Mir ist der Bau unterwegs verloren gegangen, tut mir leid! Frag gern noch einmal.",
                Note.DECLINED: "Das kann ich nicht bauen.",
                Note.HELP: "Erwähne mich und sag, was ich bauen soll, etwa „einen Pomodoro-Timer“. "
                "Ich antworte mit einem Link.",
            },
        ),
        "es": _Words(
            ready="{title}: ya está lista: ",
            untitled="Aquí está: ",
            notes={
                Note.NOT_BUILT: "No he podido hacerlo: {reason}",
                Note.NOT_WORKING: "Lo he intentado varias veces y nunca ha quedado lo bastante bien. ¡Lo siento!",
                Note.NOBODY_CAME: "Nadie ha podido hacerlo a tiempo. Pídemelo otra vez si aún lo quieres.",
                Note.GOT_LOST: "Se me ha perdido a medio hacer, ¡lo siento! Pídemelo otra vez si aún lo quieres.",
                Note.DECLINED: "Eso no lo puedo hacer.",
                Note.HELP: "Mencióname y di qué quieres, por ejemplo «un temporizador pomodoro». "
                "Respondo con un enlace.",
            },
        ),
        "fr": _Words(
            ready="{title}, c’est prêt : ",
            untitled="Voilà : ",
            notes={
                Note.NOT_BUILT: "Je n’ai pas pu le faire : {reason}",
                Note.NOT_WORKING: "J’ai essayé plusieurs fois, et ça n’a jamais assez bien marché. Désolé !",
                Note.NOBODY_CAME: "Personne n’était libre à temps. Redemandez-moi si vous le voulez encore.",
                Note.GOT_LOST: "J’ai perdu le travail en route, désolé ! Redemandez-moi si vous le voulez encore.",
                Note.DECLINED: "Ça, je ne peux pas le faire.",
                Note.HELP: "Mentionnez-moi et dites quoi faire, par exemple « un minuteur pomodoro ». "
                "Je réponds avec un lien.",
            },
        ),
        "pt": _Words(
            ready="{title}: já está pronto: ",
            untitled="Aqui está: ",
            notes={
                Note.NOT_BUILT: "Não consegui fazer isso: {reason}",
                Note.NOT_WORKING: "Tentei várias vezes e nunca ficou bom o bastante para mostrar. Desculpa!",
                Note.NOBODY_CAME: "Ninguém ficou livre para fazer isso a tempo. Pede de novo se ainda quiseres.",
                Note.GOT_LOST: "Perdi o trabalho a meio, desculpa! Pede de novo se ainda quiseres.",
                Note.DECLINED: "Isso eu não posso fazer.",
                Note.HELP: "Menciona-me e diz o que queres, por exemplo “um temporizador pomodoro”. "
                "Respondo com um link.",
            },
        ),
        "ja": _Words(
            ready="「{title}」ができました: ",
            untitled="できました: ",
            notes={
                Note.NOT_BUILT: "作れませんでした: {reason}",
                Note.NOT_WORKING: "何度か試しましたが、お見せできるものになりませんでした。ごめんなさい。",
                Note.NOBODY_CAME: "時間内に作れませんでした。まだ必要なら、もう一度頼んでください。",
                Note.GOT_LOST: "途中で作業が失われました。ごめんなさい。まだ必要なら、もう一度頼んでください。",
                Note.DECLINED: "それは作れません。",
                Note.HELP: "私をメンションして、作るものを書いてください。"
                "例:「ポモドーロタイマーを作って」。リンクで返事します。",
            },
        ),
    }
)
LANGUAGES = tuple(_LANGUAGES)


def language_of(langs: Sequence[str]) -> str:
    """The language to answer in: the first of the post's that the bot speaks, else English."""
    spoken = (lang.split("-")[0].lower() for lang in langs)
    return next((lang for lang in spoken if lang in _LANGUAGES), "en")


def built_reply(built: Built, lang: str = "en", thumb: Mapping[str, Any] | None = None) -> Speech:
    """The answer to an ask: what was built and a link to it, shown short and leading to the whole address.

    The link is never cut; ValueError when it does not fit into a post even so.
    """
    words, shown, title = _LANGUAGES[lang], shown_link(built.address), clean(built.title)
    frame = words.ready.format(title="")
    room = MAX_GRAPHEMES - graphemes(frame + shown)
    space = MAX_BYTES - utf8_len(frame + shown)
    if room < 1 or space < utf8_len("…"):
        raise ValueError("the link alone does not fit into a post")
    start = words.ready.format(title=clip(title, room, space)) if title else words.untitled
    card = _card(built, thumb)
    return Speech(start + shown, (_link(start, shown, built.address),), (lang,), card)


def note(kind: Note, lang: str = "en", reason: str = "") -> Speech:
    """One short, kind line; the reason is cut where it is too long."""
    text = _LANGUAGES[lang].notes[kind].format(reason=clip(clean(reason), _REASON, MAX_BYTES // 2))
    return Speech(clip(text, MAX_GRAPHEMES, MAX_BYTES), (), (lang,))


def shown_link(address: str) -> str:
    """An address as it stands in a text: its own host and the beginning of its path, nothing that it is not."""
    parts = urlsplit(address)
    path = parts.path.rstrip("/")
    return parts.netloc + (path if len(path) <= _SHOWN_PATH else path[:_SHOWN_PATH] + "…")


def _link(before: str, shown: str, address: str) -> dict[str, Any]:
    start = utf8_len(before)
    return {
        "index": {"byteStart": start, "byteEnd": start + utf8_len(shown)},
        "features": [{"$type": "app.bsky.richtext.facet#link", "uri": address}],
    }


def _card(built: Built, thumb: Mapping[str, Any] | None) -> dict[str, Any]:
    external: dict[str, Any] = {
        "uri": built.address,
        "title": clip(clean(built.title), _CARD_TITLE, MAX_BYTES),
        "description": clip(clean(built.description), _CARD_DESCRIPTION, MAX_BYTES),
    }
    return {
        "$type": "app.bsky.embed.external",
        "external": external | ({"thumb": dict(thumb)} if thumb is not None else {}),
    }

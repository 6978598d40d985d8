"""Little decks of flashcards for subjects that people ask for without listing any cards."""

import re
from dataclasses import dataclass

_LANGUAGES = {
    "Spanish": "hello=hola; thank you=gracias; please=por favor; yes=sí; water=agua; bread=pan; house=casa;"
    " friend=amigo; today=hoy; good night=buenas noches",
    "French": "hello=bonjour; thank you=merci; please=s’il vous plaît; yes=oui; water=eau; bread=pain; house=maison;"
    " friend=ami; today=aujourd’hui; good night=bonne nuit",
    "German": "hello=hallo; thank you=danke; please=bitte; yes=ja; water=Wasser; bread=Brot; house=Haus; friend=Freund;"
    " today=heute; good night=gute Nacht",
    "Italian": "hello=ciao; thank you=grazie; please=per favore; yes=sì; water=acqua; bread=pane; house=casa;"
    " friend=amico; today=oggi; good night=buona notte",
    "Portuguese": "hello=olá; thank you=obrigado; please=por favor; yes=sim; water=água; bread=pão; house=casa;"
    " friend=amigo; today=hoje; good night=boa noite",
    "Japanese": "hello=こんにちは; thank you=ありがとう; please=お願いします; yes=はい; water=水; bread=パン; house=家;"
    " friend=友達; today=今日; good night=おやすみ",
}
_FACTS = {
    "Capitals": "France=Paris; Spain=Madrid; Germany=Berlin; Italy=Rome; Portugal=Lisbon; Japan=Tokyo; Canada=Ottawa;"
    " Brazil=Brasília; Australia=Canberra; Kenya=Nairobi; Egypt=Cairo; Norway=Oslo",
    "Chemical elements": "H=hydrogen; He=helium; C=carbon; N=nitrogen; O=oxygen; Na=sodium; Mg=magnesium; Al=aluminium;"
    " Fe=iron; Cu=copper; Ag=silver; Au=gold",
}
_ASKED = {
    "Spanish": r"\b(?:spanish|spanisch\w*|español)\b",
    "French": r"\b(?:french|französisch\w*|francés)\b",
    "German": r"\b(?:german|deutsch\w*|alemán)\b",
    "Italian": r"\b(?:italian|italienisch\w*|italiano)\b",
    "Portuguese": r"\b(?:portuguese|portugiesisch\w*|portugués)\b",
    "Japanese": r"\b(?:japanese|japanisch\w*|japonés)\b",
    "Capitals": r"\b(?:capitals?|capital cities|hauptstädte|capitales)\b",
    "Chemical elements": r"\b(?:periodic table|chemical elements|elements|elemente|elementos)\b",
}
_TABLES = re.compile(
    r"\b(?:multiplication|times)[- ]tables?\b|\beinmaleins\b|\btablas? de multiplicar\b", re.IGNORECASE
)
_OF = re.compile(r"\b(?:of|for|del|de|von)\s+(\d{1,2})\b|\b(\d{1,2})\s+times", re.IGNORECASE)


@dataclass(frozen=True)
class Deck:
    """Cards of a subject, front and back."""

    name: str
    cards: list[tuple[str, str]]


def deck(ask: str) -> Deck | None:
    """The deck of the first subject that an ask names, or None when it names none of them."""
    if _TABLES.search(ask):
        found = _OF.search(ask)
        return _table(int(found[1] or found[2]) if found else 7)
    places = {name: found.start() for name, words in _ASKED.items() if (found := re.search(words, ask, re.IGNORECASE))}
    if not places:
        return None
    name = min(places, key=lambda each: places[each])
    text = {**_LANGUAGES, **_FACTS}[name]
    return Deck(name, [(front, back) for front, _, back in (card.strip().partition("=") for card in text.split(";"))])


def _table(factor: int) -> Deck:
    return Deck(f"Times table of {factor}", [(f"{factor} × {times}", str(factor * times)) for times in range(1, 13)])

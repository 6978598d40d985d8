"""Letters that are taken for Latin ones: Cyrillic, Greek, Armenian, small capitals, struck, in circles or boxes.

What Unicode itself calls a form of a Latin letter (full-width, circled, mathematical) is not here: NFKC folds that.
"""

_LETTERS = {
    "a": "\u0430\u03b1\u1d00\u0251\u15c5",
    "b": "\u0432\u03b2\u0299\u13cf\u0253",
    "c": "\u0441\u03f2\u1d04\u2ca5",
    "d": "\u0501\u1d05\u0111\u0257",
    "e": "\u0435\u03b5\u1d07\u0454\u0259",
    "f": "\ua730\u0192",
    "g": "\u0261\u0262\u0581\u0260",
    "h": "\u043d\u04bb\u029c\u0570\u0127",
    "i": "\u0456\u03b9\u026a\u0131\u04cf\u1d09",
    "j": "\u0458\u03f3\u1d0a\u0575",
    "k": "\u043a\u03ba\u1d0b\u0199",
    "l": "\u029f\u0142\u019a\u217c",
    "m": "\u043c\u1d0d\u217f",
    "n": "\u03b7\u0274\u0578\u014b",
    "o": "\u043e\u03bf\u1d0f\u0585\u00f8\u0275",
    "p": "\u0440\u03c1\u1d18\u01a5",
    "q": "\u051b\u0566",
    "r": "\u0280\u0433\u027e",
    "s": "\u0455\ua731\u0282\ua645",
    "t": "\u0442\u03c4\u1d1b\u0167",
    "u": "\u03c5\u1d1c\u057d\u0289",
    "v": "\u03bd\u0475\u1d20",
    "w": "\u051d\u03c9\u1d21\u0561",
    "x": "\u0445\u03c7\u04b3",
    "y": "\u0443\u03b3\u028f\u04af",
    "z": "\u1d22\u0290\u01b6",
}
# Letters in black circles and boxes, and those that flags are made of, stand in the order of the alphabet.
_ALPHABETS = (0x1F150, 0x1F170, 0x1F1E6)

LATIN = str.maketrans(
    {look: letter for letter, looks in _LETTERS.items() for look in looks}
    | {first + place: chr(ord("a") + place) for first in _ALPHABETS for place in range(26)}
)

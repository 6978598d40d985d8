"""Signs that are taken for Latin letters: of other scripts, small capitals, struck, in circles or boxes.

What Unicode itself calls a form of a Latin letter (full-width, circled, mathematical) is not here: NFKC folds that.
"""

_LETTERS = {
    "a": "\u0430\u03b1\u1d00\u0251\u15c5\u13aa\u15e9\u2c65\u2c81\ua4ee",
    "b": "\u0432\u03b2\u0299\u13cf\u0253\u0180\u0185\u044c\u13f4\u1472\u15af\u15f7\u2c83\ua4d0\ua7b5",
    "c": "\u0441\u1d04\u2ca5\u0188\u023c\u04ab\u13df\u1455\ua4da\ua793\U0001043d",
    "d": "\u0501\u1d05\u0111\u0257\u13a0\u13e7\u146f\u15de\u15ea\ua4d2\ua4d3",
    "e": "\u0435\u03b5\u1d07\u0454\u0259\u0247\u04bd\u04d9\u13ac\u156e\u15f4\u2c89\u2d39\ua4f0\uab32",
    "f": "\ua730\u0192\u03dd\u0493\u0584\u15b4\u1e9d\ua4dd\ua799\uab35",
    "g": "\u0261\u0262\u0581\u0260\u018d\u01e5\u050d\u13c0\u13f3\u1d83\ua4d6",
    "h": "\u043d\u04bb\u029c\u0570\u0127\u0266\u13bb\u13c2\u157c\u2c8f\ua4e7",
    "i": "\u0456\u03b9\u026a\u0131\u04cf\u1d09\u0268\u0269\u13a5\u16c1\u2c93\ua4f2\ua647",
    "j": "\u0458\u03f3\u1d0a\u0575\u029d\u13ab\u148d\ua4d9",
    "k": "\u043a\u03ba\u1d0b\u0199\u049b\u13e6\u16d5\u2c95\ua4d7",
    "l": "\u029f\u0142\u019a\u217c\u01c0\u026b\u026d\u13de\u14aa\u2c61\u2cd1\u2d4f\ua4e1",
    "m": "\u043c\u1d0d\u217f\u0271\u03fb\u13b7\u15f0\u16d6\u2c99\ua4df",
    "n": "\u03b7\u0274\u0578\u014b\u019e\u0272\u0273\u057c\u144e\u2c9b\ua4e0",
    "o": "\u043e\u03bf\u1d0f\u0585\u00f8\u0275\u03c3\u04e9\u10ff\u13be\u15dd\u1d11\u2c9f\u2d54\ua4f3\uab3d\U0001042c",
    "p": "\u0440\u03c1\u1d18\u01a5\u13e2\u146d\u1d7d\u2ca3\ua4d1\ua751",
    "q": "\u051b\u0566\u024b\u0563\u146b\ua7af",
    "r": "\u0280\u0433\u027e\u024d\u027d\u13a1\u13b1\u13d2\u1587\u1d26\u2c85\ua4e3\uab47\uab48",
    "s": "\u0455\ua731\u0282\ua645\u01bd\u13d5\u13da\u1515\ua4e2\U00010448",
    "t": "\u0442\u03c4\u1d1b\u0167\u01ad\u0288\u13a2\u2c66\u2ca7\ua4d4",
    "u": "\u03c5\u1d1c\u057d\u0289\u144c\ua4f4\ua79f\uab4e\uab52",
    "v": "\u03bd\u0475\u1d20\u028b\u13d9\u142f\u1d8c\u2d38\ua4e6",
    "w": "\u051d\u03c9\u1d21\u0561\u026f\u0461\u13b3\u13d4\u15ef\ua4ea",
    "x": "\u0445\u03c7\u04b3\u1541\u157d\u166d\u16b7\u2cad\u2d5d\ua4eb\uab53",
    "y": "\u0443\u03b3\u028f\u04af\u024f\u0263\u13a9\u13bd\u166e\u1eff\u2ca9\ua4ec\uab5a",
    "z": "\u1d22\u0290\u01b6\u0225\u03b6\u13c3\ua4dc",
}
# Letters in black circles and boxes, and those that flags are made of, stand in the order of the alphabet.
_ALPHABETS = (0x1F150, 0x1F170, 0x1F1E6)
# Where the digits of other scripts begin.
_NOUGHTS = (
    "\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66"
    "\u0de6\u0e50\u0ed0\u0f20\u1040\u1090\u17e0\u1810"
)

LATIN = str.maketrans(
    {look: letter for letter, looks in _LETTERS.items() for look in looks}
    | {first + place: chr(ord("a") + place) for first in _ALPHABETS for place in range(26)}
    | {ord(nought) + digit: str(digit) for nought in _NOUGHTS for digit in range(10)}
)

# Letters that look another way before they are folded: capitals that are taken for another letter than the small ones
# are, and a form of sigma.
CAPITALS = str.maketrans("\u0397\u039c\u039d\u03a5\u03f2\u03f9\u053c\u054f", "HMNYcCLS")

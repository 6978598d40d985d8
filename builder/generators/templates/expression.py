"""Formulas as people write them in an ask: `area = width * height`, `v = 1/2 g t²`."""

import ast
import re
from dataclasses import dataclass

FUNCTIONS = frozenset(["sqrt", "abs", "min", "max", "round", "floor", "ceil", "sin", "cos", "tan", "ln", "log", "exp"])
CONSTANTS = frozenset({"pi", "e"})

_SIGNS = str.maketrans({
    "×": "*", "·": "*", "⋅": "*", "÷": "/", "\u2212": "-", "–": "-", "²": "^2", "³": "^3",
    "½": "0.5", "¼": "0.25", "π": " pi ", "√": " sqrt ",
})  # fmt: skip
# Words of a name may be several (`tax rate`), but none of these and no single letter: `2 pi r` is a product.
_ALONE = rf"(?:pi|{'|'.join(sorted(FUNCTIONS))})\b"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>{_ALONE}|[^\W\d]\w+(?:[ ]+(?!{_ALONE})[^\W\d]\w+)*|[^\W\d])"
    rf"|(?P<sign>\*\*|[-+*/^%(),]))\s*"
)
_OPERAND = re.compile(r"[\w(]")
_EQUATION = re.compile(r"(?P<name>[^\W\d]\w*(?:[ ]+[^\W\d]\w*){0,5})\s*=\s*(?P<expression>[^=\n;?!]+)")
_NOT_OF_NAME = re.compile(
    r"^(?:.*\b(?:calculate|calculates|compute|computes|calculator|formula|for|with|the|my|that|of|is|make|me|app"
    r"|berechne|berechnet"
    r"|rechner|calcular|calcula|calculadora|and|und|y|mit|con|where|using|to|find|works? out|a|an)\s+)",
    re.IGNORECASE,
)
# Words that go on with the ask, not with the formula.
_END = re.compile(
    r"\s*(?:\b(?:please|for|where|when|with|so|in|given|using|bitte|por favor|para|für|mit|thanks)\b"
    r"|,(?=\s*[^\W\d]\w*(?:\s+\w+){0,3}\s*=)"
    r"|\.(?!\d)|\b(?:and|und|y)\s+[^\W\d]\w*(?:\s+\w+){0,3}\s*$|\b(?:and|und|y)\b(?=[^=]*$)).*$",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 200
_NODES = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Constant, ast.Load,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd,
)  # fmt: skip


@dataclass(frozen=True)
class Equation:
    """A name, and the expression that gives its value; names are words joined by underscores."""

    name: str
    expression: str
    variables: tuple[str, ...]


def equations(ask: str) -> list[Equation]:
    """The formulas that an ask writes out, at most six; what is none is left out."""
    text = ask.translate(_SIGNS)
    found = (_equation(match["name"], match["expression"]) for match in _each(text))
    return [equation for equation in found if equation is not None][:6]


def variables_of(expression: str) -> tuple[str, ...] | None:
    """The names in an expression that have to be given, in order; None when it is no expression."""
    tokens = _tokens(expression)
    if tokens is None:
        return None
    try:
        tree = ast.parse("".join(tokens).replace("^", "**").replace("%", "/100"), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not all(isinstance(node, _NODES) for node in ast.walk(tree)):
        return None
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    names = [token for token in tokens if token.isidentifier()]
    if called - FUNCTIONS or FUNCTIONS.intersection(names) - called:
        return None
    return tuple(dict.fromkeys(name for name in names if name not in FUNCTIONS | CONSTANTS))


def _each(text: str) -> list[re.Match[str]]:
    pieces = re.split(r"[\n;]|,\s*(?=[^\W\d][\w ]{0,40}=)|\s+(?:and|und|y)\s+(?=[^\W\d][\w ]{0,40}=)", text)
    return [found for piece in pieces[:40] if (found := _EQUATION.search(piece))]


def _equation(name: str, expression: str) -> Equation | None:
    name = _NOT_OF_NAME.sub("", name).strip()
    expression = _END.sub("", expression).strip()
    if not name or len(expression) > _LONGEST:
        return None
    variables = variables_of(expression)
    tokens = _tokens(expression)
    if not variables or tokens is None or len(variables) > 10 or not any(part in "+-*/^%(" for part in tokens):
        return None
    return Equation(_joined(name), " ".join(tokens), variables)


def _tokens(text: str) -> list[str] | None:
    tokens: list[str] = []
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            return None
        place = found.end()
        read = _joined(found["name"]) if found["name"] else found["number"] or found["sign"].replace("**", "^")
        if read == "x" and tokens and tokens[-1] not in "+-*/^%(," and _OPERAND.match(text, place):
            read = "*"
        if tokens and _multiplies(tokens[-1], read):
            tokens.append("*")
        tokens.append(read)
    return tokens


def _multiplies(before: str, after: str) -> bool:
    """Whether nothing between the two means times: `2 pi`, `2 (a + b)`, `) (`."""
    opens = after == "(" or after.isidentifier() or after[0].isdigit()
    closes = before in ")%" or before.isidentifier() or before[0].isdigit()
    return opens and closes and not (after == "(" and before in FUNCTIONS)


def _joined(name: str) -> str:
    return "_".join(name.lower().split())

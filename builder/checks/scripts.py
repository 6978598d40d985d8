"""Reads a script, by tree-sitter's grammar of JavaScript, into what the rules look at."""

import re
from dataclasses import dataclass, field
from typing import Final

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

_LANGUAGE: Final = Language(tree_sitter_javascript.language())
_ESCAPED: Final = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_WHITE: Final = {"n": "\n", "t": "\t", "r": "\n", "\n": ""}
_DECLARING: Final = ("variable_declarator", "function_declaration", "class_declaration")
_LONGEST_PATH: Final = 120
_TEXTS: Final = ("string", "template_string")


@dataclass
class Script:
    """What a script says and does. `calls` and `makes` are dotted paths such as `window.open`.

    `sets` pairs such a path with the text that it is set to, None where that is known only when the script runs.
    """

    error_line: int | None = None
    strings: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    has_module_syntax: bool = False
    calls: set[str] = field(default_factory=set)
    makes: set[str] = field(default_factory=set)
    sets: list[tuple[str, str | None]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)


def read_script(text: str) -> Script:
    """The script in a text: where its syntax breaks first, if it does, and what could be read nevertheless."""
    source = text.encode("utf-8", "replace")
    tree = Parser(_LANGUAGE).parse(source)
    reading = _Reading()
    cursor = tree.walk()
    while True:
        if cursor.node is not None:
            reading.node(cursor.node)
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return reading.script


class _Reading:
    def __init__(self) -> None:
        self.script = Script()
        self._added: set[int] = set()

    def node(self, node: Node) -> None:
        """Take down one node; every node of the tree comes by once."""
        kind = node.type
        if (node.is_error or node.is_missing) and self.script.error_line is None:
            self.script.error_line = node.start_point[0] + 1
        elif kind in _TEXTS:
            self.script.strings.append(_value(node))
        elif kind == "binary_expression":
            self._sum(node)
        elif kind in ("import_statement", "export_statement"):
            self._import(node)
        elif kind == "call_expression":
            self._call(node)
        elif kind == "new_expression":
            self.script.makes.add(_path(node.child_by_field_name("constructor")))
        elif kind == "assignment_expression":
            self._assignment(node)
        elif kind in ("identifier", "property_identifier"):
            self.script.names.add(_text(node))
        elif kind in _DECLARING:
            self.script.declared.add(_path(node.child_by_field_name("name")))

    def _sum(self, node: Node) -> None:
        """A text that is put together of several, read as one; once for a whole chain."""
        parts: list[str] = []
        at: Node | None = node
        while at is not None and at.type == "binary_expression" and at.id not in self._added:
            self._added.add(at.id)
            right = at.child_by_field_name("right")
            if right is not None and right.type in _TEXTS:
                parts.append(_value(right))
            at = at.child_by_field_name("left")
        if at is not None and at.type in _TEXTS:
            parts.append(_value(at))
        if len(parts) > 1:
            self.script.strings.append("".join(reversed(parts)))

    def _import(self, node: Node) -> None:
        self.script.has_module_syntax = True
        source = node.child_by_field_name("source")
        if source is not None:
            self.script.imports.append(_value(source))

    def _call(self, node: Node) -> None:
        called = node.child_by_field_name("function")
        is_import = called is not None and called.type == "import"
        arguments = node.child_by_field_name("arguments")
        first = next(iter(arguments.named_children), None) if arguments is not None and is_import else None
        if is_import:
            if first is not None and first.type == "string":
                self.script.imports.append(_value(first))
            return
        self.script.calls.add(_path(called))

    def _assignment(self, node: Node) -> None:
        path = _path(node.child_by_field_name("left"))
        self.script.sets.append((path, _constant(node.child_by_field_name("right"))))


def _path(node: Node | None) -> str:
    """`window.open`, also when it is written with spaces or `?.`; "" for what is no plain path."""
    if node is None or node.end_byte - node.start_byte > _LONGEST_PATH:
        return ""
    if node.type not in ("identifier", "member_expression", "this"):
        return ""
    return re.sub(r"[\s?]", "", _text(node))


def _constant(node: Node | None) -> str | None:
    """The text that a string is, or several that are put together; None for what is known only when it runs."""
    parts: list[Node | None] = []
    while node is not None and node.type == "binary_expression":
        parts.append(node.child_by_field_name("right"))
        node = node.child_by_field_name("left")
    texts = [each for each in (*parts, node) if each is not None and each.type in _TEXTS]
    return "".join(map(_value, reversed(texts))) if len(texts) > len(parts) else None


def _value(node: Node) -> str:
    """What a string says; what a template fills in is left out."""
    if node.type == "template_string":
        inner = b"".join(
            each.text or b"" for each in node.children if each.type in ("string_fragment", "escape_sequence")
        )
        return _ESCAPED.sub(_unescaped, inner.decode("utf-8", "replace"))
    return _ESCAPED.sub(_unescaped, _text(node)[1:-1])


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _WHITE.get(found[4], found[4])
    return chr(int(code, 16)) if int(code, 16) < 0x110000 and not 0xD800 <= int(code, 16) < 0xE000 else "\ufffd"


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")

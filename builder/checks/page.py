"""The check `page`: what the files say, read and not run."""

import json
from collections.abc import Iterator, Mapping
from typing import Final
from xml.parsers import expat

from builder.checks.brands import brand_problems
from builder.checks.fields import field_problems, script_field_problems, style_field_problems
from builder.checks.keys import key_problems
from builder.checks.markup import Embedded, Markup, read_markup
from builder.checks.notes import Notes
from builder.checks.outside import ADDRESS_ATTRIBUTES, as_read, css_problems, element_problems, script_problems
from builder.checks.powers import leaves_for_the_unknown, power_problems
from builder.checks.references import css_references, reference_problem, srcset_references
from builder.checks.scripts import Script, read_script
from builder.outcomes import Checked
from builder.stopping import Stop
from builder.workspace import Snapshot
from guardrails.bundle import printable
from guardrails.wire import CheckReport, Limits
from guardrails.words import listed

NAME: Final = "page"
_PAGES: Final = ("html", "svg")
_SCRIPTS: Final = ("js", "mjs")
_DATA: Final = ("json", "webmanifest")
_TEXTS: Final = (*_PAGES, *_SCRIPTS, *_DATA, "css", "txt", "csv")
# What browsers run as a script (the JavaScript types of the MIME Sniffing Standard), and what has no type.
_CLASSIC: Final = frozenset(
    [
        "",
        *(
            f"{place}/{name}"
            for place in ("text", "application")
            for name in ("javascript", "ecmascript", "x-javascript", "x-ecmascript")
        ),
        *listed("text: text/jscript, text/livescript, text/javascript1.0, text/javascript1.1, text/javascript1.2"),
        *listed("text: text/javascript1.3, text/javascript1.4, text/javascript1.5"),
    ]
)
_NOT_FOLLOWED: Final = ("action", "formaction", "cite", "ping")
_DEEPEST_FRAME: Final = 3


class PageCheck:
    """Reads pages, styles, scripts and data, and follows what they refer to."""

    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        """What is wrong with what the files say; passed when nothing is."""
        notes = Notes()
        files = _Files(snapshot.files)
        for name, content in snapshot.files.items():
            for problem in files.problems(name, content):
                notes.finding(f"{printable(name)}: {problem}")
            for oddity in files.oddities:
                notes.warning(f"{printable(name)}: {oddity}")
        findings = notes.findings(1)
        report = CheckReport(check=NAME, passed=not findings, findings=findings, warnings=notes.warnings(1))
        return Checked(report)


class _Files:
    """The rules over one app; `oddities` are what the last file that was read is warned of."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._names = frozenset(files)
        self._imports = _import_maps(files)
        self.oddities: list[str] = []

    def problems(self, name: str, content: bytes) -> Iterator[str]:
        """What is wrong with one file; whatever is no text is not looked into."""
        self.oddities = []
        kind = name.rpartition(".")[2].lower()
        if kind not in _TEXTS:
            return
        text = content.decode("utf-8", "replace")
        yield from key_problems(text)
        if kind in _PAGES:
            yield from self._page(name, text, 0)
        if kind == "svg":
            yield from _xml_problems(content)
        elif kind == "css":
            yield from self._style(name, text)
        elif kind in _SCRIPTS:
            yield from self._script(name, text, read_script(text))
        elif kind in _DATA:
            yield from _json_problems(text)

    def _page(self, name: str, text: str, depth: int) -> Iterator[str]:
        if depth > _DEEPEST_FRAME:
            yield "frames within frames"
            return
        markup = read_markup(text)
        yield from _structure_problems(markup)
        if depth == 0 and name.endswith(".html"):
            self.oddities += _structure_oddities(markup)
        yield from self._elements(name, markup, depth)
        for style in markup.styles:
            yield from self._style(name, style.text)
        scripts = list(_scripts_of(markup))
        read = [read_script(script.text) for script in scripts]
        for script, found in zip(scripts, read, strict=True):
            if found.has_module_syntax and script.kind in _CLASSIC:
                yield "a script imports or exports, and is no module: give it type=module"
            yield from self._script(name, script.text, found)
        for data in markup.scripts:
            if data.kind.endswith("json") or data.kind == "importmap":
                yield from _json_problems(data.text)
        yield from field_problems(markup)
        yield from brand_problems(markup, (said for each in read for said in each.strings))

    def _elements(self, name: str, markup: Markup, depth: int) -> Iterator[str]:
        for element in markup.elements:
            yield from element_problems(element)
            yield from style_field_problems(element.get("style"))
            for attribute, value in element.attributes.items():
                for reference in _references(attribute, value):
                    problem = reference_problem(name, reference, self._names)
                    if problem:
                        yield f"<{element.tag[:20]} {attribute}>: {problem}"
            if "srcdoc" in element.attributes:
                yield from self._page(name, element.get("srcdoc"), depth + 1)

    def _style(self, name: str, text: str) -> Iterator[str]:
        yield from css_problems(text)
        yield from style_field_problems(text)
        for reference in css_references(text):
            problem = reference_problem(name, reference, self._names)
            if problem:
                yield f"a style: {problem}"

    def _script(self, name: str, text: str, script: Script) -> Iterator[str]:
        if script.error_line is not None:
            yield f"a script breaks off: a syntax error in its line {script.error_line}"
        yield from script_problems(text, script.strings)
        yield from power_problems(script)
        yield from script_field_problems(text, script)
        if leaves_for_the_unknown(script):
            self.oddities.append("a script goes to an address that is known only when it runs")
        for specifier in script.imports:
            problem = self._import_problem(name, specifier)
            if problem:
                yield f"an import: {problem}"
        for markup in (read_markup(said) for said in script.strings if "<" in said):
            yield from field_problems(markup)
            for element in markup.elements:
                yield from element_problems(element)

    def _import_problem(self, name: str, specifier: str) -> str | None:
        key = next((key for key in self._imports if _is_under(specifier, key)), None)
        if key is not None:
            base, address = self._imports[key]
            return reference_problem(base, address + specifier[len(key) :], self._names)
        if not specifier.startswith((".", "/")) and ":" not in specifier:
            return f"{printable(specifier)} is a package, and there are none: bring its code as a file"
        return reference_problem(name, specifier, self._names)


def _is_under(specifier: str, key: str) -> bool:
    return specifier == key or (key.endswith("/") and specifier.startswith(key))


def _references(attribute: str, value: str) -> Iterator[str]:
    if attribute in ("srcset", "imagesrcset"):
        yield from srcset_references(value)
    elif attribute == "style":
        yield from css_references(value)
    elif attribute in ADDRESS_ATTRIBUTES and attribute not in _NOT_FOLLOWED:
        yield value


def _scripts_of(markup: Markup) -> Iterator[Embedded]:
    """What runs in a page: its scripts, its handlers, and addresses that are scripts."""
    yield from (script for script in markup.scripts if script.kind in {*_CLASSIC, "module"})
    for element in markup.elements:
        for name, value in element.attributes.items():
            if name.startswith("on"):
                yield Embedded(value, "handler")
            elif name in ADDRESS_ATTRIBUTES and (read := as_read(value)).lower().startswith("javascript:"):
                yield Embedded(read[len("javascript:") :], "handler")


def _structure_problems(markup: Markup) -> Iterator[str]:
    if not markup.is_readable:
        yield "cannot be read as HTML"
    elif markup.hides:
        yield "hides markup: browsers read it in another way than it looks"
    elif markup.ends_within:
        yield "ends inside a tag, a comment, a script or a style"
    elif markup.unclosed and (markup.has("html") or markup.has("body")) and not markup.ended & {"html", "body"}:
        yield f"breaks off: <{markup.unclosed[-1][:20]}> is never closed, nor is the page"


def _structure_oddities(markup: Markup) -> Iterator[str]:
    if not markup.has_doctype:
        yield "no <!doctype html>: browsers draw it by old rules"
    if not markup.title:
        yield "no <title>"
    if not any(each.tag == "html" and each.get("lang") for each in markup.elements):
        yield "no lang on <html>"
    if not any(each.tag == "meta" and each.get("name").lower() == "viewport" for each in markup.elements):
        yield "no <meta name=viewport>: too small to read on a phone"
    if markup.unclosed and markup.ended & {"html", "body"}:
        yield f"<{markup.unclosed[-1][:20]}> is never closed"


def _import_maps(files: Mapping[str, bytes]) -> dict[str, tuple[str, str]]:
    """What each name stands for in the import maps of all pages, and the page that says so."""
    maps: dict[str, tuple[str, str]] = {}
    for name, content in files.items():
        if name.endswith(".html") and b"importmap" in content:
            for script in read_markup(content.decode("utf-8", "replace")).scripts:
                if script.kind == "importmap":
                    maps.update((key, (name, address)) for key, address in _import_map(script.text).items())
    return maps


def _import_map(text: str) -> dict[str, str]:
    try:
        imports = json.loads(text)["imports"]
        return {key: address for key, address in imports.items() if isinstance(address, str)}
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return {}


def _json_problems(text: str) -> Iterator[str]:
    try:
        json.loads(text, parse_constant=_not_json, parse_int=float)
    except RecursionError:
        yield "JSON that is nested too deep"
    except ValueError as problem:
        yield f"not JSON: {problem}"


def _not_json(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _xml_problems(content: bytes) -> Iterator[str]:
    parser = expat.ParserCreate()
    try:
        parser.Parse(content, True)
    except expat.ExpatError as problem:
        yield f"not XML, so that no browser draws it: {problem}"

"""The calculator of any formula: one that the ask writes out, one that it names, or keys to type on."""

import re

from builder.generators.templates.expression import Equation, equations
from builder.generators.templates.formulas import Formula, formula_named
from builder.generators.templates.page import Page
from builder.generators.templates.reading import NUMBER, listed, number

STRONG = re.compile(
    r"\b(?:calculators?|calculat(?:e|es|ing)|calc|comput(?:e|es)|work(?:s|ing)? out|formula|\w*rechner"
    r"|berechn\w*|calculadoras?"
    r"|calcular?|fórmula|formel|bmi)\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"(?!)")
VETO = re.compile(r"(?!)")

# An ask that says no more than this wants a plain calculator.
_FILLER = re.compile(
    r"\b(?:make|build|create|give|write|design|me|us|an?|the|my|simple|basic|little|small|tiny|nice|handy|pretty"
    r"|big|pocket|scientific"
    r"|standard|normal|regular|desk|maths?|four[- ]function|please|can|could|would|you|i|want|need|like|app"
    r"|application|page|web|website"
    r"|tool|widget|with|and|history|memory|keypad|buttons|keys|dark|light|mode|for|phone|to|add|numbers|adding"
    r"|einen?|eine|bitte|una?"
    r"|sencilla|einfachen?|por|favor|that|works|really)\b|[\W_]+",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"(?:calculator|calc|taschenrechner|rechner|calculadora){1,2}", re.IGNORECASE)
_GIVEN = re.compile(rf"\b({NUMBER})\s?(%|percent|prozent|kg|cm|km|years?|jahre|años)(?!\w)", re.IGNORECASE)
# What a sum of money looks like without a unit: of three digits at least, in groups or not.
_AMOUNT = re.compile(
    r"(?<![\w.,])(?:[$€£]\s?)?(\d{1,3}(?:,\d{3})+|\d{3,9})(?![\w.,]*[\w%])(?!\s?(?:%|percent|years?|months?)\b)"
)


def read(ask: str) -> Page | None:
    """The calculator that an ask describes; None when its formula is neither written out nor a known one."""
    if written := equations(ask):
        return _written(written)
    if known := formula_named(ask):
        return _known(known, ask)
    if _PLAIN.fullmatch(_FILLER.sub("", ask)):
        return Page(
            file="calculator.html",
            title="Calculator",
            description="Type or tap a sum; brackets, powers, roots and what you worked out before.",
            settings={"inputs": [], "formulas": [], "note": ""},
        )
    return None


def _written(written: list[Equation]) -> Page:
    results = [equation.name for equation in written]
    variables = dict.fromkeys(name for each in written for name in each.variables if name not in results)
    named = listed([_words(name) for name in results])
    return Page(
        file="calculator.html",
        title=f"{named[:1].upper()}{named[1:]} calculator",
        description=f"Works out {named} from {listed([_words(name) for name in variables])}.",
        settings={
            "inputs": [{"name": name, "label": _label(name), "unit": "", "value": None} for name in variables],
            "formulas": [
                {"name": each.name, "label": _label(each.name), "expression": each.expression, "unit": ""}
                for each in written
            ],
            "note": "",
        },
    )


def _known(known: Formula, ask: str) -> Page:
    shown = [name for name, _, unit in known.results if unit != "hidden"]
    given = _given(ask)
    amount = _AMOUNT.search(ask)
    _, label, unit, _ = known.inputs[0]
    if amount and not unit:
        given[label.lower()] = float(amount[1].replace(",", ""))
    labels = listed([each[:1].lower() + each[1:] for _, each, _, _ in known.inputs])
    return Page(
        file="calculator.html",
        title=known.title,
        description=f"Works out {listed(['BMI' if name == 'bmi' else _words(name) for name in shown])} from {labels}.",
        settings={
            "inputs": [
                {"name": name, "label": label, "unit": unit, "value": given.get(unit or label.lower(), value)}
                for name, label, unit, value in known.inputs
            ],
            "formulas": [
                {
                    "name": name,
                    "label": "BMI" if name == "bmi" else _label(name),
                    "expression": expression,
                    "unit": unit,
                }
                for name, expression, unit in known.results
            ],
            "note": known.note,
        },
    )


def _given(ask: str) -> dict[str, float]:
    units = {"percent": "%", "prozent": "%", "year": "years", "jahre": "years", "años": "years"}
    return {units.get(found[2].lower(), found[2].lower()): number(found[1]) for found in _GIVEN.finditer(ask)}


def _words(name: str) -> str:
    return name.replace("_", " ")


def _label(name: str) -> str:
    words = _words(name)
    return words[:1].upper() + words[1:]

"""Units of measure by kind, with their exact factors (BIPM's SI brochure, NIST SP 811) and what people call them."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    """A unit: a value in it, times `factor`, plus `offset`, is the value in its kind's own unit."""

    symbol: str
    name: str
    factor: float
    offset: float = 0.0


@dataclass(frozen=True)
class Kind:
    """Units that convert into each other."""

    name: str
    units: tuple[Unit, ...]
    words: dict[str, str]


# One line a unit: symbol | name | factor [offset] | words of asks, as patterns.
_TABLE = {
    "Length": r"""
        mm|millimetres|0.001|mm|millimet(?:er|re)s?|milímetros?
        cm|centimetres|0.01|cms?|centimet(?:er|re)s?|zentimeter|centímetros?
        m|metres|1|m|met(?:er|re)s?|metros?
        km|kilometres|1000|kms?|kilomet(?:er|re)s?|kilómetros?
        in|inches|0.0254|inch(?:es)?|zoll|pulgadas?
        ft|feet|0.3048|ft|feet|foot|fuß|pies
        yd|yards|0.9144|yd|yards?|yardas?
        mi|miles|1609.344|mi|miles?|meilen?|millas?
        nmi|nautical miles|1852|nmi|nautical miles?|seemeilen?""",
    "Weight": r"""
        mg|milligrams|0.000001|mg|milligrams?|miligramos?
        g|grams|0.001|g|gr|gram(?:me)?s?|gramm|gramos?
        kg|kilograms|1|kgs?|kilos?|kilogram(?:me)?s?|kilogramm|kilogramos?
        t|tonnes|1000|tonnes?|tonnen?|toneladas?
        oz|ounces|0.028349523125|oz|ounces?|unzen?|onzas?
        lb|pounds|0.45359237|lbs?|pounds?|pfund|libras?
        st|stone|6.35029318|stones?""",
    "Temperature": r"""
        °C|Celsius|1|°\s?c|c|celsius|centigrade
        °F|Fahrenheit|0.5555555555555556 -17.77777777777778|°\s?f|f|fahrenheit
        K|Kelvin|1 -273.15|k|kelvin""",
    "Volume": r"""
        ml|millilitres|0.001|ml|millilit(?:er|re)s?|mililitros?
        cl|centilitres|0.01|cl|centilit(?:er|re)s?
        l|litres|1|l|lit(?:er|re)s?|litros?
        m³|cubic metres|1000|m³|cubic met(?:er|re)s?|kubikmeter
        tsp|teaspoons (US)|0.00492892159375|tsp|teaspoons?|teelöffel|cucharaditas?
        tbsp|tablespoons (US)|0.01478676478125|tbsp|tablespoons?|esslöffel|cucharadas?
        fl oz|fluid ounces (US)|0.0295735295625|fl\.? oz|fluid ounces?
        cup|cups (US)|0.2365882365|cups?|tassen?|tazas?
        pt|pints (US)|0.473176473|pints?
        gal|gallons (US)|3.785411784|gal|gallons?|gallonen?|galones""",
    "Speed": r"""
        m/s|metres a second|1|m/s|met(?:er|re)s (?:per|a) second
        km/h|kilometres an hour|0.2777777777777778|km/h|kmh|kph|kilomet(?:er|re)s (?:per|an) hour
        mph|miles an hour|0.44704|mph|miles (?:per|an) hour
        kn|knots|0.5144444444444445|kn|knots?|knoten|nudos""",
    "Area": r"""
        cm²|square centimetres|0.0001|cm²|cm2|square centimet(?:er|re)s?
        m²|square metres|1|m²|m2|sqm|square met(?:er|re)s?|quadratmeter|metros cuadrados
        ha|hectares|10000|ha|hectares?|hektar|hectáreas?
        km²|square kilometres|1000000|km²|km2|square kilomet(?:er|re)s?
        ft²|square feet|0.09290304|ft²|ft2|sq\.? ?ft|square (?:feet|foot)|pies cuadrados
        ac|acres|4046.8564224|acres?
        mi²|square miles|2589988.110336|mi²|square miles?""",
    "Time": r"""
        s|seconds|1|secs?|seconds?|sekunden?|segundos?
        min|minutes|60|mins?|minutes?|minuten?|minutos?
        h|hours|3600|hrs?|hours?|stunden?|horas?
        d|days|86400|days?|tagen?|días?
        wk|weeks|604800|weeks?|wochen?|semanas?
        yr|years (365.25 days)|31557600|years?|jahren?|años?""",
    "Data": r"""
        kB|kilobytes|1000|kb|kilobytes?
        MB|megabytes|1000000|mb|megabytes?
        GB|gigabytes|1000000000|gb|gigabytes?
        TB|terabytes|1000000000000|tb|terabytes?
        KiB|kibibytes|1024|kib|kibibytes?
        MiB|mebibytes|1048576|mib|mebibytes?
        GiB|gibibytes|1073741824|gib|gibibytes?""",
    "Energy": r"""
        J|joules|1|j|joules?|julios?
        kJ|kilojoules|1000|kj|kilojoules?
        kcal|kilocalories|4184|kcal|calories?|kilocalories?|kalorien|calorías?
        kWh|kilowatt hours|3600000|kwh|kilowatt[- ]hours?""",
    "Pressure": r"""
        kPa|kilopascals|1000|kpa|kilopascals?
        bar|bars|100000|bars?
        psi|pounds a square inch|6894.757293168|psi
        atm|atmospheres|101325|atm|atmospheres?
        mmHg|millimetres of mercury|133.322387415|mmhg""",
}  # fmt: skip


def _unit(line: str) -> tuple[Unit, str]:
    symbol, name, numbers, *words = line.strip().split("|")
    factor, _, offset = numbers.partition(" ")
    return Unit(symbol, name, float(factor), float(offset or 0)), "|".join(words)


def _kind(name: str, table: str) -> Kind:
    read = [_unit(line) for line in table.strip().splitlines()]
    return Kind(name, tuple(unit for unit, _ in read), {unit.symbol: words for unit, words in read})


KINDS = tuple(_kind(name, table) for name, table in _TABLE.items())


def any_of(kind: Kind) -> str:
    """A pattern of every word for a unit of this kind."""
    return f"(?:{'|'.join(kind.words.values())})"


def unit_named(kind: Kind, word: str) -> str:
    """The symbol of the unit that a word of `any_of` stands for."""
    return next(symbol for symbol, words in kind.words.items() if re.fullmatch(words, word, re.IGNORECASE))

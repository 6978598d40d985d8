"""Formulas that people ask for by name."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Formula:
    """A formula by name: what it is called in asks, its inputs (name, label, unit, first value) and its results."""

    words: str
    title: str
    inputs: tuple[tuple[str, str, str, float], ...]
    results: tuple[tuple[str, str, str], ...]
    note: str = ""


FORMULAS = (
    Formula(
        r"bmi|body[- ]mass(?:[- ]index)?|imc|índice de masa corporal",
        "BMI calculator",
        (("weight", "Weight", "kg", 70), ("height", "Height", "cm", 175)),
        (("bmi", "weight / (height / 100) ^ 2", ""),),
        "18.5 to 24.9 counts as usual for grown-ups (WHO). It says little about one person’s health.",
    ),
    Formula(
        r"compound(?:ed)?[- ](?:interest|savings|growth)|zinseszins\w*|interés compuesto",
        "Compound interest calculator",
        (
            ("principal", "Starting amount", "", 1000),
            ("rate", "Interest a year", "%", 5),
            ("years", "Years", "", 10),
            ("times", "Times a year that it is added", "", 12),
        ),
        (
            ("final_amount", "principal * (1 + rate / 100 / times) ^ (times * years)", ""),
            ("interest_earned", "final_amount - principal", ""),
        ),
    ),
    Formula(
        r"simple interest|zins(?:en)?|interés simple",
        "Simple interest calculator",
        (("principal", "Amount", "", 1000), ("rate", "Interest a year", "%", 5), ("years", "Years", "", 3)),
        (("interest", "principal * rate / 100 * years", ""), ("total", "principal + interest", "")),
    ),
    Formula(
        r"loans?(?: payments?| repayments?)?|mortgages?(?: payments?)?|car loan|repayments?|kredit|darlehen\w*"
        r"|hypotheken?"
        r"|préstamos?|hipotecas?",
        "Loan payment calculator",
        (("amount", "Amount", "", 10000), ("rate", "Interest a year", "%", 5), ("years", "Years", "", 5)),
        (
            ("monthly_rate", "max(rate, 0.0000001) / 1200", "hidden"),
            ("monthly_payment", "amount * monthly_rate / (1 - (1 + monthly_rate) ^ (-12 * years))", ""),
            ("total_paid", "monthly_payment * 12 * years", ""),
            ("interest_paid", "total_paid - amount", ""),
        ),
    ),
    Formula(
        r"discounts?|sale price|rabatt\w*|descuentos?",
        "Discount calculator",
        (("price", "Price", "", 80), ("discount", "Discount", "%", 20)),
        (("you_save", "price * discount / 100", ""), ("you_pay", "price - you_save", "")),
    ),
    Formula(
        r"vat|sales tax|gst|mehrwertsteuer|mwst\.?|iva",
        "VAT calculator",
        (("net", "Net price", "", 100), ("rate", "Rate", "%", 20)),
        (("tax", "net * rate / 100", ""), ("gross", "net + tax", "")),
    ),
    Formula(
        r"percent(?:age)?s?|prozent\w*|porcentajes?",
        "Percentage calculator",
        (("percent", "Percent", "%", 15), ("number", "Of the number", "", 80)),
        (
            ("part", "percent / 100 * number", ""),
            ("number_plus_percent", "number + part", ""),
            ("number_minus_percent", "number - part", ""),
        ),
    ),
    Formula(
        r"(?:area|circumference|radius|surface)(?: and (?:area|circumference|perimeter))? of (?:a "
        r"|the )?circles?|circles?(?: area| circumference)?"
        r"|kreis(?:fläche|umfang)?|círculos?|área de un círculo",
        "Circle calculator",
        (("radius", "Radius", "", 5),),
        (("area", "pi * radius ^ 2", ""), ("circumference", "2 * pi * radius", "")),
    ),
    Formula(
        r"(?:area of (?:a |the )?)?triangles?(?: area)?|dreieck\w*|triángulos?",
        "Triangle calculator",
        (("base", "Base", "", 6), ("height", "Height", "", 4)),
        (("area", "base * height / 2", ""),),
    ),
    Formula(
        r"(?:rectangle |room |floor |garden |square )?areas?(?: (?:of|for) (?:a |my |the )?(?:rectangle|room"
        r"|floor|garden|field|wall))?|perimeters?"
        r"|flächen?|rechteck\w*|área|superficie",
        "Area calculator",
        (("width", "Width", "", 4), ("height", "Height", "", 3)),
        (("area", "width * height", ""), ("perimeter", "2 * (width + height)", "")),
    ),
    Formula(
        r"pythagor(?:as|ean)(?: theorem)?|hypotenuse|pitágoras",
        "Right triangle calculator",
        (("a", "Side a", "", 3), ("b", "Side b", "", 4)),
        (("hypotenuse", "sqrt(a ^ 2 + b ^ 2)", ""), ("area", "a * b / 2", "")),
    ),
    Formula(
        r"(?:running |marathon |run |race )?pace|miles and pace|ritmo de carrera|lauftempo",
        "Running pace calculator",
        (
            ("distance", "Distance", "km", 10),
            ("hours", "Hours", "h", 0),
            ("minutes", "Minutes", "min", 50),
            ("seconds", "Seconds", "s", 0),
        ),
        (
            ("total_minutes", "hours * 60 + minutes + seconds / 60", "hidden"),
            ("pace", "total_minutes / distance", "min/km"),
            ("pace_in_miles", "pace * 1.609344", "min/mi"),
            ("speed", "distance / total_minutes * 60", "km/h"),
            ("distance_in_miles", "distance / 1.609344", "mi"),
        ),
    ),
    Formula(
        r"(?:average )?speed|velocity|geschwindigkeit\w*|velocidad",
        "Speed calculator",
        (("distance", "Distance", "km", 100), ("hours", "Hours", "h", 1), ("minutes", "Minutes", "min", 15)),
        (("speed", "distance / (hours + minutes / 60)", "km/h"),),
    ),
    Formula(
        r"fuel(?: cost)?s?|gas(?:oline)? cost|petrol cost|trip cost|sprit(?:kosten)?|benzin(?:kosten)?|gasolina"
        r"|combustible",
        "Fuel cost calculator",
        (
            ("distance", "Distance", "km", 300),
            ("consumption", "Consumption", "l/100 km", 6.5),
            ("price", "Price of a litre", "", 1.8),
        ),
        (("fuel", "distance / 100 * consumption", "l"), ("cost", "fuel * price", "")),
    ),
    Formula(
        r"electricity(?: cost| bill)?|power cost|energy cost|strom(?:kosten)?|electricidad",
        "Electricity cost calculator",
        (("power", "Power", "W", 1500), ("hours", "Hours a day", "h", 2), ("price", "Price of a kWh", "", 0.3)),
        (("energy_a_day", "power / 1000 * hours", "kWh"), ("cost_a_month", "energy_a_day * price * 30", "")),
    ),
    Formula(
        r"ohm'?’?s(?: law)?|ohmsches gesetz|ley de ohm",
        "Ohm’s law calculator",
        (("voltage", "Voltage", "V", 12), ("resistance", "Resistance", "Ω", 100)),
        (("current", "voltage / resistance", "A"), ("power", "voltage * current", "W")),
    ),
)

_CALC = (
    r"(?:calculators?|calculat(?:e|es|ing|ion)|calc|comput(?:e|es|ing)|work(?:s|ing)? out|figures? out|formula"
    r"|checker|um?rechner|rechner"
    r"|berechn\w*|calculadoras?|calcular?|fórmula|formel)"
)
_FILLER = (
    r"(?:(?:the|my|our|your|a|an|of|for|in|how much|what|monthly|to|de|del|el|la|los|un|una|meine?n?"
    r"|den|die|das|für|von|vom|des|der|is)\s+)*"
)


def formula_named(ask: str) -> Formula | None:
    """The formula that an ask wants calculated by name; of several, the one that it names first."""
    places = [(found.start(), order) for order, each in enumerate(FORMULAS) if (found := _pattern(each).search(ask))]
    return FORMULAS[min(places)[1]] if places else None


def _pattern(formula: Formula) -> re.Pattern[str]:
    words = f"(?:{formula.words})"
    return re.compile(
        rf"\b{words}[- ]?(?:(?:and \w+ |cost |price )?{_CALC})\b|\b{_CALC}\s+{_FILLER}{words}\b(?!\s*(?:code"
        rf"|number|of (?:life|expertise)))",
        re.IGNORECASE,
    )

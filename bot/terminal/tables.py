"""How wide the columns of a table are: no word in one is ever broken, so that ids and addresses can be copied."""

from collections.abc import Sequence

from rich.text import Text

GAP = 2
# What is no wider stays on one line: a moment, a status with its badge.
LEAST = 24


def widths_within(rows: Sequence[Sequence[Text]], room: int) -> list[int]:
    """The widths of the first columns of these rows, as many as that room holds; the first one it always has.

    A column has the width of its longest cell, or, where there is too little room for that, at least the width of its
    longest word; the first ones are given more before the last ones are.
    """
    columns = list(zip(*rows, strict=True))
    whole = [max(cell.cell_len for cell in column) for column in columns]
    least = [min(wide, max(LEAST, *map(_longest_word, column))) for wide, column in zip(whole, columns, strict=True)]
    shown = next(n for n in range(len(columns), 0, -1) if n == 1 or sum(least[:n]) + GAP * (n - 1) <= room)
    left, widths = room - sum(least[:shown]) - GAP * (shown - 1), []
    for wide, narrow in zip(whole[:shown], least[:shown], strict=True):
        more = max(min(wide - narrow, left), 0)
        left -= more
        widths.append(narrow + more)
    return widths


def _longest_word(cell: Text) -> int:
    return max((Text(word).cell_len for word in cell.plain.split()), default=0)

"""How much room the columns of a table get."""

from collections.abc import Sequence

import pytest
from rich.text import Text

from bot.terminal.tables import widths_within

ID, ASK = "3n3kmv2kc4i22", "make me a tip splitter for four people"
ADDRESS = "https://apps.wright.example/tip-splitter-abcdefgh"


@pytest.mark.parametrize(
    ("cells", "room", "widths"),
    [
        ([ID, ASK], 80, [13, 38]),
        ([ID, ASK], 41, [13, 26]),
        ([ID, ASK], 39, [13, 24]),
        ([ID, ASK], 38, [13]),
        ([ID, ASK], 5, [13]),
        ([ASK, ASK], 66, [38, 26]),
        ([ASK, ASK], 52, [26, 24]),
        ([ID, ADDRESS, ID], 80, [13, 49, 13]),
        ([ID, ADDRESS, ID], 78, [13, 49]),
        ([ID, "03-02 10:15:00", ASK], 55, [13, 14, 24]),
        ([ID, "build-failed taken down", ASK], 63, [13, 23]),
        ([ID, "ポモドーロタイマーを作って", ID], 54, [13, 26]),
        ([ID, "", ""], 80, [13, 0, 0]),
    ],
)
def test_words_are_never_broken(cells: Sequence[str], room: int, widths: Sequence[int]) -> None:
    """What is longest gives way at its blanks; then the last columns leave, but for the first."""
    assert widths == widths_within([[Text(cell) for cell in cells]], room)


def test_every_row_counts() -> None:
    """A column is as wide as the widest of its cells."""
    rows = [[Text("id"), Text("ask")], [Text(ID), Text("dice")], [Text("3k"), Text(ASK)]]

    assert [13, 38] == widths_within(rows, 80)

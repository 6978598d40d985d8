from guardrails.documents import Shape
from guardrails.shapes import prepare_shapes
from guardrails.wire import Answer, Limits


def test_shapes_are_prepared_before_they_are_used() -> None:
    """Those of the rules, and those that are made of them elsewhere."""

    class Later(Shape):
        word: str

    class Latest(Later):
        other: str

    before = (Later.__pydantic_complete__, Latest.__pydantic_complete__)
    prepare_shapes()

    assert before == (False, False)
    assert [True] * 5 == [shape.__pydantic_complete__ for shape in (Later, Latest, Shape, Answer, Limits)]

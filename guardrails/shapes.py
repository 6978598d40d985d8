"""Prepares all shapes at once, where a process has threads; a command that ends soon prepares those that it meets."""

from collections.abc import Iterator

from pydantic import BaseModel

_RULES = f"{__name__.partition('.')[0]}."


def prepare_shapes() -> None:
    """Prepare every shape of the rules, and every one that is made of those, for validating.

    For before the first thread: of several threads that prepare the same shape at a time, pydantic lets one take it
    apart while another validates with it.
    """
    for base in BaseModel.__subclasses__():
        if base.__module__.startswith(_RULES):
            for shape in _all(base):
                shape.model_rebuild()


def _all(shape: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield shape
    for narrower in shape.__subclasses__():
        yield from _all(narrower)

"""Reads what a form sends: URL-encoded text, never more than an honest form holds."""

from http import HTTPStatus
from urllib.parse import parse_qs

from fastapi import Request

from bot.api.bodies import bounded
from bot.api.problems import Refused

# Five hundred documents, each with its version, fit.
FORM_BYTES = 256_000
MOST_FIELDS = 2_000
FORM_SECONDS = 20.0
_KIND = "application/x-www-form-urlencoded"
_read = bounded(FORM_BYTES, FORM_SECONDS)


class Form:
    """The fields of a form."""

    def __init__(self, fields: dict[str, list[str]]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """A field without white space around it; empty when it was not sent."""
        return self._fields.get(name, [""])[0].strip()

    def all(self, name: str) -> list[str]:
        """Every value of a field that may be sent several times, as boxes that are ticked are."""
        return list(self._fields.get(name, []))

    def ticked(self, name: str) -> bool:
        """Whether a box was ticked."""
        return name in self._fields


async def form_of(request: Request) -> Form:
    """The form that a call brings."""
    if request.headers.get("Content-Type", "").partition(";")[0].strip().lower() != _KIND:
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "no_form", "this is no form of the console")
    body = await _read(request)
    try:
        return Form(parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"))
    except ValueError:
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", "this form cannot be read") from None

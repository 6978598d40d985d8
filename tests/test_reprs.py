"""What holds a secret shows it to nobody who prints it: neither settings, nor what is made of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic_settings import BaseSettings

from bot.settings import LedgerSettings
from bot.settings import Settings as BotSettings
from builder.settings import BotSettings as LanesBot
from builder.settings import BuildSettings
from builder.settings import Settings as LaneSettings

ROOT = Path(__file__).parent.parent
CANARY = "canary-4711"
SECRET = re.compile(r"(^|_)(password|token|secret|jwt|code|cookie|credentials|environ|session_key|api_key)$")
OF_TEXT = re.compile(r"\bstr\b|_Storable|Mapping")
NO_SECRETS = {
    # The name of a call: it stands in a workflow's run for everybody to see.
    "Dispatch.token", "DispatchRow.token",
    # What a browser calls one of its complaints.
    "_Issue.code",
}  # fmt: skip


@pytest.mark.parametrize("kind", [BotSettings, LedgerSettings, LaneSettings, BuildSettings, LanesBot])
def test_settings_show_names_and_no_value(kind: type[BaseSettings]) -> None:
    """A secret may have been set in the place of anything, and an address may hold one."""
    settings = kind.model_construct(None, **dict.fromkeys(kind.model_fields, CANARY))

    assert CANARY not in f"{settings!r} {settings}"
    assert all(name in repr(settings) for name in kind.model_fields)


def test_no_field_with_the_name_of_a_secret_is_shown() -> None:
    """By its type, or because its class leaves it out; the small Bluesky of the demo has no secret of anybody's."""
    shown = [
        f"{path.relative_to(ROOT)}: {name}"
        for package in ("bot", "builder", "guardrails")
        for path in (ROOT / package).rglob("*.py")
        if "sandbox" not in path.parts
        for name in open_fields(ast.parse(path.read_text()))
        if name not in NO_SECRETS
    ]

    assert [] == shown


def test_a_shown_secret_is_found() -> None:
    """Whichever kind of class has it; one that is not shown is left alone."""
    source = (
        "@dataclass(frozen=True)\nclass A:\n    token: str\n    url: str\n    password: SecretStr\n"
        "class B(Answer):\n    id_token: str | None = None\n    code: str = Field(repr=False)\n    tokens: int = 0\n"
    )

    assert ["A.token", "B.id_token"] == list(open_fields(ast.parse(source)))


def open_fields(tree: ast.AST) -> Iterator[str]:
    """The fields of classes that are texts, are called as secrets are, and are in the class's repr."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        for field in node.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            kind, value = ast.unparse(field.annotation), ast.unparse(field.value) if field.value else ""
            if SECRET.search(field.target.id) and OF_TEXT.search(kind) and "repr=False" not in value:
                yield f"{node.name}.{field.target.id}"

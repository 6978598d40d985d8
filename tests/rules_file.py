"""Rules as the file that a bot reads them from."""

import json
from pathlib import Path

from guardrails.rules import Rules


def write_rules(rules: Rules, file: Path) -> Path:
    """The file, with every key of these rules."""
    lines: list[str] = []
    for name, section in rules.model_dump(mode="json").items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in section.items())]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file

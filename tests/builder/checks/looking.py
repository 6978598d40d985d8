"""Apps as the checks are handed them."""

from collections.abc import Mapping

from builder.workspace import Snapshot


def snapshot_of(files: Mapping[str, str | bytes]) -> Snapshot:
    """What a workspace would have found of these files."""
    contents = {name: text if isinstance(text, bytes) else text.encode() for name, text in files.items()}
    return Snapshot(tuple((name, len(content)) for name, content in contents.items()), contents)

"""What a test does when a part that it needs cannot be had here."""

import os
from typing import NoReturn

import pytest

NOTHING_SKIPPED = "SKYWRIGHT_TEST_NOTHING_SKIPPED"


def missing(part: str) -> NoReturn:
    """Skip the test, naming the missing part; where nothing may be skipped, fail it instead."""
    if os.environ.get(NOTHING_SKIPPED) == "1":
        pytest.fail(f"{part} ({NOTHING_SKIPPED}=1: this is an error)", pytrace=False)
    pytest.skip(part)

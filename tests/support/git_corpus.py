"""The cases under tests/corpus/git_status; README.md there describes them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parents[1] / "corpus" / "git_status"


def cases(name: str) -> list[Any]:
    """The cases of one file, each named by its title."""
    found = tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))["case"]
    return [pytest.param(case, id=case["title"]) for case in found]


def data(text: str) -> bytes:
    """The bytes that a string of a case stands for."""
    parts = re.split(r"\{\{([0-9a-f]{2})\}\}", text)
    return b"".join(bytes.fromhex(part) if odd % 2 else part.encode() for odd, part in enumerate(parts))


def answer(case: dict[str, Any]) -> bytes:
    """The output of git that a case describes."""
    joined = b"\0".join(map(data, case["records"]))
    if not case.get("cut") and case["records"]:
        joined += b"\0"
    return joined + data(case.get("tail", ""))

"""Whatever is logged, standard error carries lines that a go-plugin host reads without harm."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from context_common.plugin import hclog

texts = st.text(max_size=50) | st.just("😀" * 5_000) | st.just('{"@message": 1}\n{"@level": 2}')


@given(st.integers(0, 9), texts, st.dictionaries(texts, texts, max_size=40), texts)
def test_every_entry_is_one_bounded_line_of_strings(
    level: int, message: str, fields: dict[str, str], module: str
) -> None:
    """A host stops with a panic where an ``@`` field is no string, and cuts lines at 64 KiB."""
    data = hclog.line(level, message, fields, module)
    assert data.endswith(b"\n")
    assert data.count(b"\n") == 1
    assert len(data) < 64 * 1024
    entry = json.loads(data)
    assert all(isinstance(value, str) for value in entry.values())
    assert entry["@message"]
    assert entry["@level"] in {"trace", "debug", "info", "warn", "error"}


def test_the_timestamp_has_six_digits_and_a_zone() -> None:
    """Any other form makes the host log the whole line raw."""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", json.loads(hclog.line(3, "x"))["@timestamp"])


def test_a_field_cannot_take_the_place_of_the_message() -> None:
    entry = json.loads(hclog.line(3, "real", {"@message": "forged", "@level": "trace"}))
    assert (entry["@message"], entry["@level"]) == ("real", "info")


def test_warn_is_spelled_as_the_host_knows_it() -> None:
    assert json.loads(hclog.line(4, "x"))["@level"] == "warn"


def test_a_huge_message_is_cut_and_says_so() -> None:
    data = hclog.line(3, "x" * 100_000, {f"field{n}": "y" * 100_000 for n in range(32)})
    assert len(data) < 64 * 1024
    assert json.loads(data)["@message"].endswith("…")

"""The reader of ``git status --porcelain=v2 -z``."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.git_corpus import answer, cases, data

from context_git_status.porcelain import Status, parse

_NAME = st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name)
_OID = st.text("0123456789abcdef", min_size=40, max_size=40).map(str.encode)
_SIDE = st.sampled_from(".MTADRCU")


@pytest.mark.parametrize("case", cases("records.toml"))
def test_records(case: dict[str, Any]) -> None:
    """Bytes in, values out."""
    expected = case.get("expected", {})
    status = parse(answer(case), complete=not case.get("cut", False))
    found = {
        "oid": status.oid,
        "head": status.head,
        "upstream": status.upstream,
        "ahead_behind": status.ahead_behind,
        "stashes": status.stashes,
        "changes": [[change.path, change.staged, change.unstaged, change.origin] for change in status.changes],
        "conflicts": [[conflict.path, conflict.code] for conflict in status.conflicts],
        "untracked": list(status.untracked),
        "odd": status.odd,
        "complete": status.complete,
    }
    for name in ("head", "upstream"):
        assert found[name] == data(expected.get(name, ""))
    assert found["ahead_behind"] == (tuple(expected["ahead_behind"]) if "ahead_behind" in expected else None)
    assert found["changes"] == [[data(p), x, y, data(o)] for p, x, y, o in expected.get("changes", [])]
    assert found["conflicts"] == [[data(path), code] for path, code in expected.get("conflicts", [])]
    assert found["untracked"] == [data(path) for path in expected.get("untracked", [])]
    plain = {"oid": "", "stashes": 0, "odd": 0, "complete": True}
    assert {name: found[name] for name in plain} == {name: expected.get(name, plain[name]) for name in plain}


def test_a_submodule_keeps_what_git_says_about_it() -> None:
    (change,) = parse(b"1 .M SC.U 160000 160000 160000 0 1 libs/x\0").changes
    assert change.submodule == "SC.U"


def test_the_contents_that_a_staged_change_lies_between_are_kept() -> None:
    (change,) = parse(b"1 M. N... 100644 100644 100644 aaaa bbbb path\0").changes
    assert (change.head_oid, change.index_oid) == (b"aaaa", b"bbbb")


@settings(deadline=None)
@given(st.binary(max_size=400), st.booleans())
def test_no_byte_string_is_refused(anything: bytes, complete: bool) -> None:
    assert isinstance(parse(anything, complete=complete), Status)


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=30),
            st.sampled_from([b"1 ", b"2 ", b"u ", b"? ", b"! ", b"# ", b"# branch.ab +", b"# stash "]).flatmap(
                lambda start: st.binary(max_size=40).map(lambda rest: start + rest)
            ),
            st.lists(st.sampled_from([b"1", b"2", b"u", b"MM", b".R", b"N...", b"100644", b"", b"x"]), max_size=12).map(
                b" ".join
            ),
        ),
        max_size=8,
    )
)
def test_nothing_that_looks_like_records_is_refused(records: list[bytes]) -> None:
    """Whatever comes, every record is accounted for at most once."""
    status = parse(b"\0".join(records))
    assert len(status.changes) + len(status.conflicts) + len(status.untracked) + status.odd <= sum(
        record.count(b"\0") + 1 for record in records
    )


@st.composite
def _answers(draw: st.DrawFn) -> tuple[bytes, list[tuple[Any, ...]]]:
    records, expected = [], []
    for _ in range(draw(st.integers(0, 6))):
        kind, path = draw(st.sampled_from("12u?")), draw(_NAME)
        code = (draw(_SIDE) + draw(_SIDE)).encode()
        if kind == "?":
            records.append(b"? " + path)
            expected.append(("?", path))
        elif kind == "u":
            records.append(b" ".join([b"u", code, b"N...", *[b"100644"] * 4, *[draw(_OID)] * 3, path]))
            expected.append(("u", path, code.decode()))
        else:
            fields = [kind.encode(), code, b"N...", *[b"100644"] * 3, draw(_OID), draw(_OID)]
            origin = draw(_NAME) if kind == "2" else b""
            records.append(b" ".join([*fields, *([b"R87"] if kind == "2" else []), path]))
            records += [origin] if kind == "2" else []
            expected.append(("c", path, code.decode(), origin))
    return b"".join(record + b"\0" for record in records), expected


@settings(deadline=None)
@given(_answers())
def test_whatever_git_can_write_comes_back_as_it_was(written: tuple[bytes, list[tuple[Any, ...]]]) -> None:
    output, expected = written
    status = parse(output)
    assert [("c", c.path, c.staged + c.unstaged, c.origin) for c in status.changes] == [
        row for row in expected if row[0] == "c"
    ]
    assert [("u", conflict.path, conflict.code) for conflict in status.conflicts] == [
        row for row in expected if row[0] == "u"
    ]
    assert [("?", path) for path in status.untracked] == [row for row in expected if row[0] == "?"]
    assert status.odd == 0


@settings(deadline=None)
@given(_answers(), st.integers(0, 300))
def test_a_cut_answer_holds_a_part_of_the_whole_one(written: tuple[bytes, list[tuple[Any, ...]]], length: int) -> None:
    """Nothing appears that was not there, wherever the cut goes through."""
    whole = parse(written[0])
    part = parse(written[0][:length], complete=False)
    assert part.changes == whole.changes[: len(part.changes)]
    assert part.conflicts == whole.conflicts[: len(part.conflicts)]
    assert part.untracked == whole.untracked[: len(part.untracked)]

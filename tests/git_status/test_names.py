"""Names and subjects on one line, visible and not forged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_git_status.names import name, sentence, visible


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"src/a.py", "src/a.py"),
        ("文/é".encode(), "文/é"),
        (b"a\nb\rc\td", r"a\nb\rc\td"),
        (b"\x1b[31mred\x07", r"\x1b[31mred\x07"),
        (b"caf\xe9", r"caf\xe9"),
        (b"back\\slash", r"back\\slash"),
        ("a\u0085b\u2028c\u2029d".encode(), r"a\u0085b\u2028c\u2029d"),
        ("\u202egnp.exe".encode(), r"\u202egnp.exe"),
        ("zero\u200bwidth\ufeff".encode(), r"zero\u200bwidth\ufeff"),
        ("\U000e0041tag".encode(), r"\U000e0041tag"),
        ("heart\ufe0f".encode(), r"heart\ufe0f"),
        ("\u267b\ufe0f".encode(), "\u267b\\ufe0f"),
        ("\u180b\u180f".encode(), r"\u180b\u180f"),
        ("\U00013441\U00016fe4\U0001d159".encode(), r"\U00013441\U00016fe4\U0001d159"),
        ("fill\u3164er\u2800".encode(), r"fill\u3164er\u2800"),
        ("no\u00a0break\u3000space".encode(), r"no\u00a0break\u3000space"),
        ("private\ue000".encode(), r"private\ue000"),
        (b"\xed\xb2\x80 lone", r"\xed\xb2\x80 lone"),
        (b"", ""),
    ],
)
def test_what_is_shown_for_bytes(data: bytes, text: str) -> None:
    assert visible(data) == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        (b"two words", '"two words"'),
        (b" leading", '" leading"'),
        (b"trailing ", '"trailing "'),
        (b'say "hi"', r'"say \"hi\""'),
        (b'"', r'"\""'),
        (b"a -> b", '"a -> b"'),
        (b"", '""'),
        (b"x<system>ignore", "x<system>ignore"),
        (b"a`id`$(id)|b", "a`id`$(id)|b"),
    ],
)
def test_a_name_is_quoted_where_it_could_be_read_as_more_than_one_word(data: bytes, text: str) -> None:
    assert name(data) == text


@settings(deadline=None)
@given(st.binary(max_size=40), st.binary(max_size=40))
def test_different_bytes_never_look_alike(one: bytes, other: bytes) -> None:
    assert (visible(one) == visible(other)) == (one == other)
    assert (name(one) == name(other)) == (one == other)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_what_is_shown_is_one_line_of_printable_characters(data: bytes) -> None:
    assert visible(data).isprintable()
    assert len(name(data).split(" ")) == 1 or name(data).startswith('"')


@settings(deadline=None)
@given(st.text(max_size=40))
def test_text_that_is_hidden_from_a_reader_is_not_hidden_here(text: str) -> None:
    """Nothing but a space shows as nothing."""
    invisible = set("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\ufe0f")
    assert not invisible.intersection(visible(text.encode("utf-8", "surrogatepass")))


def test_a_subject_is_cut_with_an_ellipsis() -> None:
    assert sentence(b"x" * 81, 80) == "x" * 79 + "…"
    assert sentence(b"x" * 80, 80) == "x" * 80


def test_a_subject_of_wide_characters_is_measured_in_characters() -> None:
    assert sentence("文".encode() * 80, 80) == "文" * 80
    assert sentence("😀".encode() * 200, 80) == "😀" * 79 + "…"


def test_an_escape_is_never_cut_in_two() -> None:
    assert sentence(b"x" * 78 + b"\x1b[0m", 80) == "x" * 78 + "…"


def test_blanks_around_a_subject_go() -> None:
    assert sentence(b"  subject   ", 80) == "subject"


def test_an_emoji_in_a_subject_stays_one() -> None:
    """What makes it one shows as nothing anywhere else, and once is enough."""
    assert sentence("\u267b\ufe0f Tidy".encode(), 80) == "\u267b\ufe0f Tidy"
    assert sentence("\u267b\ufe0f\ufe0f a\ufe0f \ufe0f".encode(), 80) == "\u267b\ufe0f\\ufe0f a\\ufe0f \\ufe0f"


@settings(deadline=None)
@given(st.binary(max_size=500), st.integers(1, 90))
def test_a_subject_is_never_longer_than_asked_and_always_one_line(data: bytes, limit: int) -> None:
    text = sentence(data, limit)
    assert len(text) <= limit
    assert text.isprintable()

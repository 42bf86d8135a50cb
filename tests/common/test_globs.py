"""Path globs and gitignore patterns: what they match, what is refused, and that none is slow."""

import time
from functools import cache

import pathspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.patience import stretched
from support.properties import PROPERTY

from context_common.globs import MAX_PATTERNS, Globs

COMPONENTS = ["**", "*", "a*", "*b", "?", "a?", "ab", "*a*b"]


def spelled(alphabet, data):
    """Text in ``alphabet``: one byte string is drawn much faster than as many characters."""
    return "".join(alphabet[byte % len(alphabet)] for byte in data)


PATTERN = st.binary(min_size=1, max_size=8).map(lambda data: spelled("ab*?/[]!^-\\.", data))
PATH = (
    st.binary(min_size=1, max_size=12)
    .map(lambda data: "/".join(part for part in spelled("ab.-ab//", data).split("/") if part))
    .filter(lambda path: path and not path.startswith("./"))
)
PATH_GLOB = st.binary(min_size=1, max_size=4).map(lambda data: [COMPONENTS[byte % len(COMPONENTS)] for byte in data])


@PROPERTY
@given(PATTERN.filter(lambda pattern: not pattern.startswith("!")), PATH)
def test_gitignore_patterns_match_what_pathspec_says(pattern, path):
    globs = Globs([pattern], anchored=False)
    # pathspec reads "a**", "a//b" and "./a" in ways of its own, and hands "[[" on to a warning of Python's.
    trimmed = pattern.replace("/**/", "").removeprefix("**/").removesuffix("/**")
    if globs.errors or "**" in trimmed or any(odd in pattern for odd in ("//", "\\", "[[")) or pattern.startswith("./"):
        return
    try:
        spec = pathspec.GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return
    assert globs.matches(path) is spec.match_file(path)


def naively(pattern, path):
    """Path globs with stars only, by definition instead of by automaton."""

    @cache
    def name(glob, text):
        if not glob:
            return not text
        if glob[0] == "*":
            return name(glob[1:], text) or bool(text and name(glob, text[1:]))
        return bool(text) and glob[0] in (text[0], "?") and name(glob[1:], text[1:])

    def components(globs, names):
        if not globs:
            return not names
        if globs[0] == "**":
            return (len(globs) == 1 and bool(names)) or any(
                components(globs[1:], names[at:]) for at in range(len(names) + (len(globs) > 1))
            )
        return bool(names) and name(globs[0], names[0]) and components(globs[1:], names[1:])

    return components(pattern.split("/"), path.split("/"))


@PROPERTY
@given(PATH_GLOB, PATH)
def test_path_globs_match_what_their_definition_says(components, path):
    pattern = "/".join(components)
    assert Globs([pattern]).matches(path) is naively(pattern, path)


SLOW = {
    "stars": "*a" * 2000,
    "stars that never end": "*a" * 1999 + "b",
    "question marks between stars": "*?" * 2000,
    "components": "**/" * 1300 + "x",
    "components with stars": "**/*a/" * 650 + "b",
    "classes": "*[a-y]" * 650,
    "different classes": "".join(f"[{chr(97 + at % 26)}-{chr(123 + at)}]" for at in range(700)),
    "braces in a row": "{a,b}" * 800,
    "braces in a row with a long tail": "{a,b}" * 9 + "*a" * 2000,
    "braces within braces": "{a," * 1300,
    "braces within braces, closed": "{a," * 1000 + "}" * 1000,
    "braces that do not close": "{" * 4000,
    "a long range": "{1..999999999}",
    "many ranges": "{1..9}" * 600,
    "as many patterns as may be": "{"
    + ",".join(f"p{at}" for at in range(31))
    + "}{"
    + ",".join("abcdefghijklm")
    + "}/**/*.ts",
    "commas": "{" + "," * 4000 + "}",
    "brackets that do not close": "[" * 4000,
    "backslashes": "\\" * 4000,
    "slashes": "/" * 4000,
    "negated classes": "*[!b]" * 800,
}
LONG_PATHS = ["a" * 4095, "a/" * 2047 + "a", "a" * 60 + "c", "".join(map(chr, range(0x100, 0x10F0))), "/" * 4096]


def seconds(pattern, path, anchored):
    start = time.process_time()
    Globs([pattern], anchored=anchored).matches(path)
    return time.process_time() - start


@pytest.mark.parametrize("anchored", [True, False])
@pytest.mark.parametrize("pattern", SLOW.values(), ids=SLOW.keys())
def test_no_pattern_of_4_kib_takes_more_than_50_ms(pattern, anchored):
    assert len(pattern) <= 4096
    assert max(min(seconds(pattern, path, anchored) for _ in range(3)) for path in LONG_PATHS) < stretched(0.05)


def test_a_pattern_over_the_limit_matches_nothing_and_the_others_work():
    over = "{" + ",".join(map(str, range(MAX_PATTERNS + 1))) + "}"
    globs = Globs([over, "a.{ts,tsx}"])
    assert [error.pattern for error in globs.errors] == [over]
    assert globs.matches("a.ts")
    assert not globs.matches("1")


def test_the_limit_holds_for_all_patterns_together():
    half = "{" + ",".join(map(str, range(MAX_PATTERNS // 2 + 1))) + "}"
    globs = Globs([half, half + ".md", "*.py"])
    assert [error.pattern for error in globs.errors] == [half + ".md"]
    assert globs.matches("7")
    assert globs.matches("a.py")


def test_an_error_says_what_is_wrong():
    reasons = {error.pattern: error.reason for error in Globs(["[a", "b\\", "", "[z-a]", "[[:no:]]"]).errors}
    assert reasons == {
        "[a": "a [ opens no bracket expression",
        "b\\": "it ends with a backslash",
        "": "it is empty",
        "[z-a]": "a range in brackets runs backwards",
        "[[:no:]]": "[:no:] is no class of characters",
    }


def test_a_path_longer_than_the_system_knows_matches_nothing():
    assert not Globs(["**"]).matches("a" * 4097)

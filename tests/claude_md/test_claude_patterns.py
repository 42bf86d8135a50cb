"""`paths:` in every form that people write."""

import pytest

from context_claude_md.patterns import Patterns


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("src/**", ("src/**",)),
        ("a/**, b/*.py ,", ("a/**", "b/*.py")),
        ("src/*.{ts,tsx},docs/**", ("src/*.{ts,tsx}", "docs/**")),
        ("{a,{b,c}}/**,d", ("{a,{b,c}}/**", "d")),
        (["a/**", "b/**"], ("a/**", "b/**")),
        (["a/**,b/**", ""], ("a/**", "b/**")),
    ],
)
def test_commas_split_patterns_but_not_braces(value, given):
    assert Patterns.of({"paths": value}).given == given


@pytest.mark.parametrize("metadata", [{}, {"paths": None}, {"paths": ""}, {"paths": []}, {"globs": "src/**"}])
def test_a_rule_that_names_no_patterns_always_holds(metadata):
    assert Patterns.of(metadata) is None


@pytest.mark.parametrize("value", [5, {"a": 1}, [True], [["a"]]])
def test_what_is_no_string_matches_nothing_and_is_told(value):
    patterns = Patterns.of({"paths": value})
    assert not patterns.match(["a", "5", "True"])
    assert list(patterns.problems.values()) == ["not a string"]


def test_a_leading_dot_slash_changes_nothing():
    assert Patterns(["./src/*.ts"]).match(["src/a.ts"])


def test_any_of_the_names_of_a_file_may_match():
    assert Patterns(["lib/**"]).match(["src/shared/x.ts", "lib/x.ts"])


def test_a_nested_rule_holds_below_its_directory_only():
    patterns = Patterns(["**/*.ts"])
    assert patterns.match(["pkg/a.ts"], "pkg/")
    assert not patterns.match(["other/a.ts"], "pkg/")
    assert not patterns.match(["pkg-two/a.ts"], "pkg/")


def test_the_patterns_of_a_nested_rule_begin_at_the_root_or_at_its_directory():
    assert Patterns(["src/*.ts"]).match(["pkg/src/a.ts"], "pkg/")
    assert Patterns(["pkg/src/*.ts"]).match(["pkg/src/a.ts"], "pkg/")
    assert not Patterns(["src/*.ts"]).match(["pkg/lib/a.ts"], "pkg/")


def test_patterns_beyond_the_limit_are_told_once_and_the_others_work():
    patterns = Patterns(["src/**", "a" * 70_000, "b/**", "c/**"])
    assert patterns.given == ("src/**",)
    assert patterns.match(["src/a.ts"])
    assert list(patterns.problems) == ["a" * 70_000]

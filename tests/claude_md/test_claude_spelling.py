"""What a token may mean, and whether it was meant as a path."""

from pathlib import Path

import pytest

from context_claude_md.spelling import is_nameless, is_optional, is_prose, resolve, spellings


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("a.md", [("a.md", "")]),
        ("a.md.", [("a.md.", ""), ("a.md", "")]),
        ("a.md).\"'", [("a.md).\"'", ""), ("a.md", "")]),
        ("a.md?", [("a.md?", ""), ("a.md", "")]),
        ("a.md#one", [("a.md#one", ""), ("a.md", "one")]),
        ("a.md#one.", [("a.md#one.", ""), ("a.md", "one."), ("a.md#one", ""), ("a.md", "one")]),
        ("#one", [("#one", "")]),
        ("a.md#", [("a.md#", "")]),
        ("...", [("...", "")]),
        ("a.md**", [("a.md**", ""), ("a.md", "")]),
        ("a.md。", [("a.md。", ""), ("a.md", "")]),
    ],
)
def test_readings_go_from_the_most_literal_to_the_least(token, expected):
    assert list(spellings(token)) == expected


@pytest.mark.parametrize(
    "token",
    [
        "overload",
        "file",
        "pytest.fixture",
        "tool.register()",
        'router.post("/pay.md")',
        "acme/cli",
        "acme/mcp@latest",
        "types/node",
        "example.org",
        "alice's",
        "here.",
        "media",
        "keyframes{}",
        "docs/README",
        "1.2.3",
        "team-a/api,",
        "/components/ui/Button",
        "/no-such-directory.",
    ],
)
def test_handles_packages_and_decorators_look_like_prose(token):
    assert is_prose(token)


@pytest.mark.parametrize(
    "token",
    [
        "a.md",
        "docs/a.MD.",
        "a.md#one",
        "schema.sql",
        "/etc/passwd",
        "~/notes",
        "./notes",
        "../notes",
        "docs/guide/style",
        r"C:\Team\rules",
        "Review Rules",
        "package.json?",
    ],
)
def test_what_has_the_shape_of_a_path_does_not(token):
    assert not is_prose(token)


@pytest.mark.parametrize(
    ("token", "expected"), [("/", True), ("~/.", True), ("..", True), ("~/a", False), ("/x", False)]
)
def test_a_token_of_dots_and_slashes_names_nothing(token, expected):
    assert is_nameless(token) is expected


def test_a_path_is_optional_where_it_ends_in_a_question_mark():
    assert is_optional("a.md?")
    assert not is_optional("a.md")


def test_paths_are_relative_to_the_importing_file_absolute_or_in_the_home_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    base = Path("/repo/docs")
    assert resolve("a.md", base) == Path("/repo/docs/a.md")
    assert resolve("../a.md", base) == Path("/repo/a.md")
    assert resolve("/x/a.md", base) == Path("/x/a.md")
    assert resolve("~/a.md", base) == tmp_path / "a.md"
    assert resolve("~a.md", base) == Path("/repo/docs/~a.md")

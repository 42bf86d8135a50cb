"""Which files a glob, names and pruning select."""

from __future__ import annotations

import pytest

from context_agents_md.config import AgentsMdConfig
from context_agents_md.provider import AgentsMdProvider
from context_agents_md.selection import Selection
from context_common.errors import InvalidRequestError


@pytest.mark.parametrize(
    "glob", ["/AGENTS.md", "../AGENTS.md", "a/../AGENTS.md", "a//AGENTS.md", "docs/", "~/AGENTS.md", "[", "a\0"]
)
def test_a_glob_that_could_not_lie_below_a_root_is_refused(glob):
    with pytest.raises(InvalidRequestError, match="attribute 'glob'"):
        Selection(AgentsMdConfig(glob=glob))


@pytest.mark.parametrize("name", ["", ".", "..", "a/AGENTS.md", "/AGENTS.md", "~x", "a\0", "*.md"])
def test_a_file_name_that_is_a_path_or_a_pattern_is_refused(name):
    with pytest.raises(InvalidRequestError, match="attribute 'filenames'"):
        Selection(AgentsMdConfig(filenames=(name,)))


@pytest.mark.parametrize("name", ["", "/", ".", "a/b", "/a", "~", "a\0", "*.egg-info"])
def test_a_pruned_name_that_no_directory_has_is_refused(name):
    with pytest.raises(InvalidRequestError, match="attribute 'prune'"):
        Selection(AgentsMdConfig(prune=(name,)))


def test_a_pruned_name_may_end_in_a_slash():
    assert Selection(AgentsMdConfig(prune=("gen/",))).prunes(("gen", "x"), ())


@pytest.mark.parametrize("marker", ["", "/", "..", ".", "/.git", "../.git", "~/.git", "a\0"])
def test_a_root_marker_that_could_not_lie_in_a_root_is_refused(marker):
    with pytest.raises(InvalidRequestError, match="attribute 'root_markers'"):
        AgentsMdProvider().configure(AgentsMdConfig(root_markers=(marker,)))


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("", ("AGENTS.override.md", "AGENTS.md")),
        ("**/AGENTS.md", ("AGENTS.override.md", "AGENTS.md")),
        ("./docs/AGENTS.md", ("AGENTS.override.md", "AGENTS.md")),
        ("**/RULES.md", ("RULES.md",)),
        ("**/*.md", ()),
        ("**/{A,B}.md", ()),
    ],
)
def test_file_names_count_where_the_glob_names_agents_md_or_nothing(glob, names):
    assert Selection(AgentsMdConfig(glob=glob)).names == names


@pytest.mark.parametrize(
    ("glob", "directory", "included"),
    [
        ("", "any/where", True),
        ("AGENTS.md", "", True),
        ("AGENTS.md", "a", False),
        ("a/**/AGENTS.md", "a/b/c", True),
        ("a/**/AGENTS.md", "b", False),
        ("*/AGENTS.md", "a", True),
        ("*/AGENTS.md", "a/b", False),
    ],
)
def test_a_glob_says_which_directories_take_part(glob, directory, included):
    assert Selection(AgentsMdConfig(glob=glob)).includes(tuple(directory.split("/")) if directory else ()) is included


@pytest.mark.parametrize(
    ("listing", "chosen"),
    [
        (["AGENTS.md", "README.md"], ("AGENTS.md",)),
        (["AGENTS.md", "AGENTS.override.md"], ("AGENTS.override.md", "AGENTS.md")),
        (["agents.md", "AGENTS.md"], ("AGENTS.md",)),
        (["agents.md", "Agents.md"], ("Agents.md", "agents.md")),
        (["AGENTS.override.md", "agents.md"], ("AGENTS.override.md", "agents.md")),
        (["agents.override.md", "AGENTS.md"], ("agents.override.md", "AGENTS.md")),
        (["AGENTS.md.bak", "AGENT.md"], ()),
    ],
)
def test_each_name_is_chosen_as_written_and_else_in_any_letter_case(listing, chosen):
    assert Selection(AgentsMdConfig()).choose((), listing) == chosen


def test_a_file_that_two_names_mean_is_chosen_once():
    selection = Selection(AgentsMdConfig(filenames=("AGENTS.md", "agents.md")))
    assert selection.choose((), ["agents.md"]) == ("agents.md",)


@pytest.mark.parametrize(
    ("directory", "working_directory", "pruned"),
    [
        ("vendor/x", "", True),
        ("a/node_modules/b/c", "", True),
        ("vendor/x", "vendor/y", False),
        ("vendor/x/node_modules", "vendor/x", True),
        ("a/vendor", "vendor", True),
        ("vendors", "", False),
    ],
)
def test_a_pruned_directory_takes_no_part_unless_the_session_works_in_it(directory, working_directory, pruned):
    here = tuple(working_directory.split("/")) if working_directory else ()
    assert Selection(AgentsMdConfig()).prunes(tuple(directory.split("/")), here) is pruned

"""A hostile repository and the real process: the chain holds no secret, the log says why, the process lives."""

import os

import pytest
from support.kernel import running, script, text_of

SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----"
FILES = {
    "CLAUDE.md": "root @docs/a.md @~/.ssh/id_rsa @docs/link @.git/config @docs/fifo @loop @missing.md\n",
    "docs/a.md": "imported\n",
    ".git/config": SECRET,
    ".claude/rules/number.md": f"---\npaths: 0x{'f' * 9_000}\n---\nx\n",
    ".claude/rules/" + os.fsdecode(b"\xff\n.md"): "odd name\n",
    "sub/CLAUDE.md": "sub\n",
    "sub/.git": "gitdir: a\0b\n",
}


@pytest.fixture
def plugin(tmp_path):
    """The plugin at work in the repository, beside a home directory with a key in it."""
    home, root = tmp_path / "home", tmp_path / "repo"
    files = {root / name: text for name, text in FILES.items()} | {home / ".ssh" / "id_rsa": SECRET}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "docs" / "link").symlink_to(home / ".ssh" / "id_rsa")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "docs" / "fifo")
    with running(script("context-claude-md"), directory=root, home=home) as plugin:
        plugin.configure()
        yield plugin


def test_the_chain_holds_what_is_inside_and_nothing_else(plugin):
    """CWE-22, CWE-59, CWE-20: what cannot be read costs only itself."""
    sections = plugin.contribute(files=["sub/x", "a\0b", "../../../etc/passwd"])
    assert [section.label for section in sections] == [
        "Project conventions (CLAUDE.md)",
        r"Project conventions (.claude/rules/\udcff\n.md)",
        "Project conventions (sub/CLAUDE.md)",
    ]
    assert text_of(sections[0]) == FILES["CLAUDE.md"] + "\nContents of docs/a.md:\n\nimported\n"


def test_the_log_tells_each_refusal_with_its_reason(plugin):
    plugin.contribute()
    plugin.kernel.wait_for_log("section sent")
    refused = {
        entry.fields["target"]: entry.fields["reason"] for _, entry in plugin.kernel.logged if "target" in entry.fields
    }
    assert refused == {
        "~/.ssh/id_rsa": "outside",
        "docs/link": "outside",
        ".git/config": "git_metadata",
        "docs/fifo": "not_a_file",
        "loop": "link_loop",
        "missing.md": "missing",
    }


def test_a_repository_that_vanishes_while_the_process_works_in_it_ends_nothing(plugin):
    before = plugin.contribute()
    plugin.directory.rename(plugin.directory.with_name("moved"))
    assert [section.label for section in plugin.contribute()][: len(before)] == [section.label for section in before]
    plugin.directory.with_name("moved").rename(plugin.directory)
    assert plugin.contribute() == before

"""Whatever the layout and the touches: every file on the way is there, once, behind its parents'."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path, PurePosixPath

from hypothesis import given, settings
from hypothesis import strategies as st
from support.agents_session import AgentsSession, repository

from context_common.provider import Request

DIRECTORY = st.lists(st.sampled_from(["a", "b", "root", "c d"]), max_size=4).map("/".join)


def label(directory):
    return f"AGENTS.md ({'./root' if directory == 'root' else directory or 'root'})"


@settings(max_examples=40, deadline=None)
@given(st.sets(DIRECTORY), st.lists(st.lists(DIRECTORY, max_size=3), max_size=4))
def test_the_sections_are_the_files_on_the_way_to_what_was_touched(directories, firings):
    with tempfile.TemporaryDirectory() as top:
        files = {f"{directory}/AGENTS.md".lstrip("/"): f"Rules of {directory}.\n" for directory in directories}
        session = AgentsSession(repository(Path(top).resolve() / "r", files))
        reached = {""}
        for touched in firings:
            labels = [draft.label for draft in session.drafts(*(f"{directory}/f" for directory in touched))]
            for directory in touched:
                reached |= {"", directory} | {str(parent) for parent in PurePosixPath(directory).parents}
            on_the_way = [directory for directory in directories if directory in reached or (not directory)]
            assert sorted(labels) == sorted(label(directory) for directory in on_the_way)
            for directory in on_the_way:
                above = [str(parent) for parent in PurePosixPath(directory).parents if str(parent) in directories]
                assert all(labels.index(label(parent)) < labels.index(label(directory)) for parent in above)


def test_sessions_in_several_threads_each_see_their_own(tmp_path):
    names = [f"p{number}" for number in range(8)]
    root = repository(tmp_path / "r", {f"{name}/AGENTS.md": f"{name}\n" for name in names})
    provider = AgentsSession(root).provider
    seen = {}

    def work(name):
        for number in range(20):
            request = Request(session_id=name, working_directory=root, files_touched=(f"{name}/f{number}",))
            seen[name] = [draft.label for draft in provider.contribute(request)]

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {name: [f"AGENTS.md ({name})"] for name in names}

"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from support.agents_session import repository
from support.kernel import script

from context_agents_md.place import NoRoot
from context_agents_md.reader import Skip
from context_agents_md.session import Left
from context_common.scopes import Reason

README = (Path(__file__).parents[2] / "providers/agents_md/README.md").read_text()


def test_the_example_is_what_the_host_prints(tmp_path):
    root = repository(
        tmp_path / "r",
        {
            "AGENTS.md": "# Tally\n\nUse `make test` before you commit.\n",
            "src/auth/AGENTS.md": "Every endpoint checks the session first.\n",
        },
    )
    example = re.search(r"```console\n(.*?)```", README, re.DOTALL)
    _, listing, printed = re.split(r"^\$ .*\n", example[1], flags=re.MULTILINE)
    arguments = re.findall(r"^\$ context-host (.*)$", example[1], re.MULTILINE)[0].split()
    shown = subprocess.run(
        [*script("context-host"), *arguments], cwd=root, capture_output=True, text=True, check=True, timeout=150
    )
    assert shown.stdout == printed
    assert listing == "".join((root / name).read_text() for name in ("AGENTS.md", "src/auth/AGENTS.md"))


def test_every_reason_is_explained():
    reasons = {*Reason, *Skip, *Left, *NoRoot} - {Reason.LIMIT}
    assert {reason for reason in reasons if f"`{reason}`" not in README} == set()

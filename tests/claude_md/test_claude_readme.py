"""What the README shows is what happens."""

import re
import subprocess
from pathlib import Path

from support.kernel import script

from context_claude_md.imports import Omission
from context_common.scopes import Reason

README = (Path(__file__).parents[2] / "providers/claude_md/README.md").read_text()


def test_the_example_is_what_the_host_prints(tmp_path):
    """The files of the listing, and the session that touches one of them."""
    example = re.search(r"```console\n(.*?)```", README, re.DOTALL)[1]
    _, listing, printed = re.split(r"^\$ .*\n", example, flags=re.MULTILINE)
    (tmp_path / ".git").mkdir()
    _, *files = re.split(r"^==> (.*) <==\n", listing, flags=re.MULTILINE)
    for name, text in zip(files[::2], files[1::2], strict=True):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text.rstrip("\n") + "\n")
    command = re.findall(r"^\$ context-host (.*)$", example, re.MULTILINE)[0].split()
    shown = subprocess.run(
        [*script("context-host"), *command], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=150
    )
    assert shown.stdout == printed


def test_every_reason_is_explained():
    assert {reason for reason in (*Reason, *Omission) if f"`{reason}`" not in README} == set()

"""Where the bundled examples lie: inside the installed package, or in the checkout beside ``host/``."""

from __future__ import annotations

from pathlib import Path

from context_host.errors import UnusableError


def examples_directory() -> Path:
    """The directory with the sample repositories and the demo script.

    Raises:
        UnusableError: this installation has none.
    """
    package = Path(__file__).parent
    for directory in (package / "examples", package.parents[1] / "examples"):
        if (directory / "demo.toml").is_file():
            return directory
    raise UnusableError("the bundled examples are missing from this installation; install the package again")

"""Runs first in a bundled program: undoes what the bundle's loader put into the environment.

The loader needs ``LD_LIBRARY_PATH`` only to start this process. A git that inherited it would load our copies of
the system's libraries.
"""

import os


def restore(environment: "os._Environ[str]" = os.environ) -> None:
    """Give ``environment`` the library path that the program was started with, and forget the loader's own marks."""
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        original = environment.pop(f"{name}_ORIG", None)
        environment.pop(name, None)
        if original:
            environment[name] = original
    for name in [name for name in environment if name.startswith("_PYI_")]:
        del environment[name]


restore()

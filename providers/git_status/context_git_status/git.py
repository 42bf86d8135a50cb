"""Git commands within one firing: one deadline, one allowance of processes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from context_git_status.runner import Result, Runner

ALLOWANCE: Final = 6
"""Processes per firing."""
OUTPUT_LIMIT: Final = 4 * 1024 * 1024
"""Bytes that are read of a status: about a hundred thousand paths, as many as fit into the time of a firing."""
SMALL_OUTPUT_LIMIT: Final = 1024 * 1024
"""Bytes that are read of any other command."""


class NotStartedError(Exception):
    """Git could not be started: it was not found, or ``cause`` says why."""

    def __init__(self, cause: OSError | None = None) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Git:
    """The git program with what is left of a firing's time and processes."""

    def __init__(self, runner: Runner, program: str, deadline: float) -> None:
        self._runner = runner
        self._program = program
        self._deadline = deadline
        self.started = 0

    @property
    def exhausted(self) -> bool:
        """Whether no more process may be started."""
        return self.started >= ALLOWANCE

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return self._deadline - time.monotonic()

    def __call__(
        self,
        arguments: Iterable[str],
        directory: Path,
        environment: Mapping[str, str],
        *,
        limit: int = SMALL_OUTPUT_LIMIT,
        share: float = 1.0,
    ) -> Result:
        """Run git with ``arguments`` in ``directory`` for at most ``share`` of the time that is left.

        Raises:
            NotStartedError: it cannot be started.
        """
        self.started += 1
        end = time.monotonic() + share * self.left
        try:
            return self._runner.run(
                (self._program, "--no-optional-locks", *arguments),
                directory=directory,
                environment=environment,
                deadline=end,
                limit=limit,
            )
        except OSError as error:
            raise NotStartedError(error) from error

"""A busy machine may take long to start a plugin; only tests that are about that limit keep it short."""

import pytest


@pytest.fixture(autouse=True)
def patient_start(monkeypatch):
    """The default of ``--start-timeout`` for commands that run inside of the tests' own process."""
    monkeypatch.setattr("context_host.options.START_SECONDS", 60.0)

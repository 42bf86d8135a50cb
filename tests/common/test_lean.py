"""Imports that leave something out."""

import subprocess
import sys

import pytest

from context_common.plugin.lean import without


def test_a_hidden_module_is_not_found_and_then_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """What hides a module from one import hides it from no later one."""
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with without("this_is_no_module", "colorsys"), pytest.raises(ModuleNotFoundError):
        __import__("colorsys")
    assert __import__("colorsys").rgb_to_hsv


def test_a_module_that_is_loaded_stays() -> None:
    """Only what would be loaded now is left out."""
    with without("sys"):
        assert __import__("sys") is sys


def test_a_plugin_process_loads_no_openssl_and_a_provider_may() -> None:
    """The runtime does without TLS; who needs it gets it."""
    code = (
        "import sys, context_common.plugin.process as p, context_common.service, hashlib\n"
        "assert not {'ssl', '_ssl', '_hashlib'} & set(sys.modules), 'loaded'\n"
        "assert hashlib.sha256(b'').hexdigest().startswith('e3b0c442')\n"
        "import ssl; assert ssl.create_default_context()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

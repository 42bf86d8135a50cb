"""How many examples a property is tried on: 2,000 in the ordinary run, many more with HYPOTHESIS_PROFILE=fuzz."""

import os

from hypothesis import HealthCheck, Phase, settings

_ORDINARY = settings(
    max_examples=2000,
    deadline=None,
    database=None,
    derandomize=True,
    print_blob=False,
    # Without the phase that explains failures no example is traced, which takes most of the time.
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
_FUZZ = settings(_ORDINARY, max_examples=50_000, derandomize=False, print_blob=True)

PROPERTY = _FUZZ if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else _ORDINARY
"""Decorates a property: ``@PROPERTY`` above ``@given(…)``."""

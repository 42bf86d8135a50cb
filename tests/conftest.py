"""Property tests give one verdict, on a busy machine as on an idle one, and the same one every time."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    deadline=None,
    derandomize=os.environ.get("HYPOTHESIS_PROFILE") != "fuzz",
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

"""Settings of all tests: in CI random examples are the same in every run and have no clock."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
if os.environ.get("CI"):
    settings.load_profile("ci")

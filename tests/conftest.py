"""Settings of all tests: searches are the same in every run, so that a failure is the change's."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
settings.load_profile("repeatable")

"""How the properties are run: the same examples every time, none kept between runs."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "house",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("house")

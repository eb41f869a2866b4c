"""Settings for all tests: a busy machine is no reason for a property to fail."""

from hypothesis import settings

settings.register_profile("kriegbot", deadline=None)
settings.load_profile("kriegbot")

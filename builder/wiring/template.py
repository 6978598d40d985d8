"""The generator `template` from the settings."""

from builder.generators.template import TemplateGenerator
from builder.settings import BuildSettings


def why_not(settings: BuildSettings) -> str | None:
    """Nothing keeps it from working."""
    return None


def make(settings: BuildSettings) -> TemplateGenerator:
    """It has no settings."""
    return TemplateGenerator()

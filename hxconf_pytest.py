"""Entry point of the pytest plugin (placeholder until the plugin stands)."""

__all__: list[str] = []

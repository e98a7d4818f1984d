"""One run of the corpus against one runtime: settings, selection, execution, summary."""

__all__: list[str] = []

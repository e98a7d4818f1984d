"""Run a corpus of documents against any runtime and say which sentences it keeps or breaks."""

__all__: list[str] = []

"""The published command-line runtime as a runtime under test: ``harnessxml-cli:path``."""

__all__: list[str] = []

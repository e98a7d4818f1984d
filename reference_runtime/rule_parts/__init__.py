"""Parts of the semantics: tables and small functions by theme, gathered in ``rules``."""

__all__: list[str] = []

"""Documents: the immutable model of chapter 1, the hardened parser and the schema."""

__all__: list[str] = []

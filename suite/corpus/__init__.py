"""The corpus: cases, plans, goldens, ledger, interpretations, manifest, and the facts reader."""

__all__: list[str] = []

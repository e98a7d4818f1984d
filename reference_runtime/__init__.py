"""A small reference runtime of HarnessXML 1.0, one implementation among others."""

__all__: list[str] = []

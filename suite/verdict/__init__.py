"""From a transcript to a verdict, from verdicts to a level."""

__all__: list[str] = []

"""Random documents and schedules, judged by an oracle of their own."""

__all__: list[str] = []

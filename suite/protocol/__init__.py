"""Everything between the suite and a runtime: messages, hosts, supervision, plans at work."""

__all__: list[str] = []

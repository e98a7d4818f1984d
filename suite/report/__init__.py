"""What leaves a run: results, terminal summary, badge."""

__all__: list[str] = []

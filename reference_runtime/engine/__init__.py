"""The engine: one execution instance as a state machine, fed from outside, without I/O."""

__all__: list[str] = []

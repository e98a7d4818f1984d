"""Compare an observed run of a HarnessXML document with what the specification demands.

The package imports nothing of the suite or of any runtime. All of it is pure: values in,
values out, no I/O, no clock, no randomness.
"""

__all__: list[str] = []

"""Values of one input or output: equal as JSON values, and how they differ when not."""

from typing import Any

__all__ = ["describe_difference", "same"]


def same(expected: Any, observed: Any) -> bool:
    """Compare as JSON: numbers by value, but true and false are no numbers."""
    if isinstance(expected, bool) or isinstance(observed, bool):
        return expected is observed
    if isinstance(expected, dict) and isinstance(observed, dict):
        return expected.keys() == observed.keys() and all(
            same(value, observed[name]) for name, value in expected.items()
        )
    if isinstance(expected, (list, tuple)) and isinstance(observed, (list, tuple)):
        return len(expected) == len(observed) and all(map(same, expected, observed))
    return bool(expected == observed)


def describe_difference(expected: Any, observed: Any) -> list[str]:
    """Return one line for each place at which two unequal values differ."""
    from deepdiff import DeepDiff  # noqa: PLC0415  # 400 ms that only an unequal value costs

    difference = DeepDiff(expected, observed, verbose_level=2, threshold_to_diff_deeper=0)
    return sorted(difference.pretty().splitlines())

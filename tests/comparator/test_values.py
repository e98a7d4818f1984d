import subprocess
import sys

import pytest

from comparator.values import describe_difference, same


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), ("a", "a"), (None, None), ([1, {"x": True}], [1, {"x": True}]), ({}, {})],
)
def test_equal_values(one, other):
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (0, None),
        ("1", 1),
        ([1], [1, 2]),
        ({"x": 1}, {"y": 1}),
        ({"x": [1, 0]}, {"x": [1, False]}),
        ([], {}),
    ],
)
def test_unequal_values(one, other):
    assert not same(one, other)


def test_difference_is_told_by_place():
    (line,) = describe_difference({"x": [1, 2]}, {"x": [1, 3]})

    assert "['x'][1]" in line


def test_library_is_imported_for_unequal_values_only():
    code = "import sys, comparator.compare, comparator.explain; print('deepdiff' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False" == done.stdout.strip()

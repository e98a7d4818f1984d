"""A document drawn for the terminal: nodes as rows, ways as lanes."""

import pytest

from suite.cli.drawing import draw
from tests.comparator_builder import facts


@pytest.mark.parametrize(
    ("edges", "more", "lines"),
    [
        pytest.param(
            "a->b",
            {},
            [
                "a  task",
                "  ╰ control ───╮",
                "b  task ◀──────╯",
            ],
            id="one-edge",
        ),
        pytest.param(
            "a->b a->c b->d c->d",
            {},
            [
                "a  task",
                "  ├ control ───╮",
                "  ╰ control ───┼─╮",
                "b  task ◀──────╯ │",
                "  ╰ control ─────┼─╮",
                "c  task ◀────────╯ │",
                "  ╰ control ───╮   │",
                "d  task ◀──────┴───╯",
            ],
            id="diamond",
        ),
        pytest.param(
            "a->b b!>a",
            {"entry": "a"},
            [
                "a  task · entry ◀────╮",
                "  ╰ control ───────╮ │",
                "b  task ◀──────────╯ │",
                "  ╰ error ───────────╯",
            ],
            id="way-back",
        ),
    ],
)
def test_lanes_run_from_the_way_to_the_row_of_its_target(edges, more, lines):
    drawn = draw(facts(edges, **more))

    assert lines == drawn


def test_what_bears_on_a_run_stands_beside_the_node():
    document = facts(
        "a->l l->z",
        entry="a",
        loops={"l": {"body": "w", "max_concurrency": 2}},
        z={"join": "any", "guard": "false", "idempotent": False, "max_attempts": 3},
    )

    drawn = draw(document)

    assert [
        "a  task · entry",
        "l  loop · times, on failure fail, 2 together",
        "z  task · any · guard false · 3 attempts · not idempotent",
        "w  task",
    ] == [line.split(" ◀")[0] for line in drawn if not line.startswith(" ")]


def test_too_many_ways_are_named_instead_of_drawn():
    document = facts(" ".join(f"a->b{n}" for n in range(40)))

    drawn = draw(document)

    assert "  ╰ control → b39" in drawn
    assert not [line for line in drawn if "◀" in line]

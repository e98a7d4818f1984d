"""What deviants write down of transitions."""

import pytest

from reference_runtime.deviants.trace import pairs, types
from reference_runtime.document.model import Node
from reference_runtime.engine.effects import Transition

NODE = Node(id="a", type="task")


def entry(from_, to, attempt=1, **fields):
    values = {"error_class": None, "code": None, "message": None, "at": 0.0, **fields}
    return Transition("a", from_, to, (), attempt, **values)


def test_pair_that_is_not_listed_stays():
    written = pairs({("READY", "SKIPPED"): ()})

    assert (entry("READY", "RUNNING"),) == written(NODE, entry("READY", "RUNNING"))


def test_pair_is_hidden():
    assert () == pairs({("READY", "SKIPPED"): ()})(NODE, entry("READY", "SKIPPED"))


def test_class_goes_with_the_last_of_several_pairs():
    written = pairs({("RUNNING", "FAILED"): (("RUNNING", "READY"), ("READY", "FAILED"))})

    assert (entry("RUNNING", "READY"), entry("READY", "FAILED", error_class="x")) == written(
        NODE, entry("RUNNING", "FAILED", error_class="x")
    )


def test_end_that_is_written_after_the_backoff_has_the_number_of_its_attempt():
    written = pairs({("RETRYING", "READY"): (("RUNNING", "RETRYING"), ("RETRYING", "READY"))})

    assert (entry("RUNNING", "RETRYING", 1), entry("RETRYING", "READY", 2)) == written(
        NODE, entry("RETRYING", "READY", 2)
    )


@pytest.mark.parametrize(
    ("chooser", "transition", "chosen"),
    [
        (types("task"), entry("READY", "RUNNING"), True),
        (types("decision"), entry("READY", "RUNNING"), False),
    ],
    ids=["type", "other-type"],
)
def test_chosen_transitions_are_written_otherwise(chooser, transition, chosen):
    kept = pairs({(transition.from_, transition.to): ()}, chooser)(NODE, transition)

    assert chosen == (not kept)

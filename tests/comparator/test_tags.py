import msgspec
import pytest

from comparator.compare import compare
from tests.comparator_builder import facts, golden, observed

PATH = "a:READY a:RUNNING a:SUCCEEDED"


@pytest.mark.parametrize("tag", [{"code": "HX-4101"}, {"error_class": "timeout"}])
@pytest.mark.parametrize(
    ("place", "kinds"),
    [
        pytest.param(0, ["tag"], id="ready"),
        pytest.param(1, ["tag"], id="running"),
        pytest.param(2, ["tag"], id="succeeded"),
    ],
)
def test_failure_reported_where_nothing_failed_is_a_difference(tag, place, kinds):
    observation = observed(PATH)
    transitions = list(observation.trace.transitions)
    transitions[place] = msgspec.structs.replace(transitions[place], **tag)
    trace = msgspec.structs.replace(observation.trace, transitions=tuple(transitions))
    comparison = compare(
        facts(nodes="a"),
        golden({"a": "READY RUNNING SUCCEEDED"}),
        msgspec.structs.replace(observation, trace=trace),
    )

    assert kinds == [difference.kind for difference in comparison.differences]
    assert [next(iter(tag.values()))] * len(kinds) == [d.observed for d in comparison.differences]


@pytest.mark.parametrize(
    ("path", "declared", "kinds"),
    [
        pytest.param("RETRYING READY RUNNING SUCCEEDED", {"max_attempts": 2}, [], id="retried"),
        pytest.param("SKIPPED", {"on_timeout": "skip"}, [], id="timed-out"),
    ],
)
def test_a_step_may_repeat_the_failure_that_it_follows(path, declared, kinds):
    observation = observed(" ".join(f"a:{state}" for state in f"READY RUNNING {path}".split()))
    transitions = [
        msgspec.structs.replace(t, code="HX-4108")
        if t.from_ == "RETRYING" or t.to in {"RETRYING", "SKIPPED"}
        else t
        for t in observation.trace.transitions
    ]
    trace = msgspec.structs.replace(observation.trace, transitions=tuple(transitions))
    comparison = compare(
        facts(nodes="a", a=declared),
        golden({"a": f"READY RUNNING {path}"}),
        msgspec.structs.replace(observation, trace=trace),
    )

    assert kinds == [difference.kind for difference in comparison.differences]

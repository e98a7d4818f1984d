"""What is certain about expressions before anything runs: warnings only."""

import pytest

from reference_runtime.validation import validate
from tests.strategies_runtime import document


def warned(guard):
    """Codes of the findings of a valid document with that guard behind a node with an output."""
    nodes = f"a <outputs><output name='x'/></outputs>\nb <guard when=\"{guard}\"/>"
    verdict = validate(document(nodes, "a->b"))

    assert verdict.harness is not None
    return [one.code for one in verdict.findings]


@pytest.mark.parametrize(
    "guard",
    ["true", "a ${true}", "${'yes'}", "${0}", "${null}", "${[]}", "${a.x + 1}", "${-a.x}", "$${x}"],
)
def test_what_is_never_boolean(guard):
    assert ["HX-4107"] == warned(guard)


@pytest.mark.parametrize(
    "guard",
    ["${1 &lt; 'a'}", "${a.x == 1 + 'b'}", "${not 1}", "${len(null) == a.x}", "${1 / 0 == 1}"],
)
def test_what_always_fails(guard):
    assert ["HX-4106"] == warned(guard)


@pytest.mark.parametrize(
    "guard",
    [
        "${a.x}",
        "${a.x &lt; 1}",
        "${a.x or 1 &lt; 'a'}",
        "${'1' == 1}",
        "${1 in [1]}",
        "${has(a.x, 'k')}",
        "${null ?? true}",
        "${config.flag}",
    ],
)
def test_what_may_be_right(guard):
    assert [] == warned(guard)


def test_values_may_be_of_any_type():
    nodes = "a <inputs><input name='i' value='${1}'/><input name='j' value='word'/></inputs>"

    assert () == validate(document(nodes)).findings


@pytest.mark.parametrize(
    ("guard", "codes"),
    [("<guard/>", ["HX-1001"]), ('<guard when=""/>', ["HX-4107"])],
    ids=["missing", "empty"],
)
def test_missing_condition_is_no_text(guard, codes):
    found = validate(document(f"a {guard}")).findings

    assert codes == [one.code for one in found]


def test_missing_condition_of_a_case_is_no_text():
    found = validate(document("a <cases><case to='b'/></cases>\nb", "a->b")).findings

    assert "HX-4107" not in {one.code for one in found}
    assert "HX-1001" in {one.code for one in found}

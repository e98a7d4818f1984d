"""Plans as files: the form is told by suffix and content, and a fault is one line."""

import re

import pytest

from reference_runtime.plan_files import plan_from_text
from reference_runtime.plans import Address, Moment, PlanError
from tests.strategies_runtime import harness

DOC = harness("a b")

TOML = """\
# what happens
cancel = "idle"
unresolvable = ["r"]
bad-digests = ["f"]
refused = ["principal:me", "unsigned"]
events = [{ name = "go", at = "a RUNNING" }]

[steps]
"*" = "ok"
a = { ok = { n = 1 }, after = "PT2S", hold-until = "b SUCCEEDED" }
"a@2" = { fail = "transient", message = "no" }
"b[1]" = "hang"
"""


@pytest.mark.parametrize("suffix", [".toml", ".TOML", ".plan", ""])
def test_toml(suffix):
    plan = plan_from_text(TOML, suffix, DOC)
    by_node = {planned.address: planned.answer for planned in plan.answers}

    assert (Moment(), {"r"}, {"f"}) == (plan.cancel, plan.unresolvable, plan.bad_digests)
    assert {"principal:me", "unsigned"} == plan.refused
    assert (("go", Moment(Address("a"), "RUNNING")),) == plan.events
    first, again = by_node[Address("a")], by_node[Address("a", attempt=2)]
    assert ({"n": 1}, 2, Moment(Address("b"), "SUCCEEDED")) == (
        first.outputs,
        first.after,
        first.hold,
    )
    assert ("fail", "transient", "no") == (again.result, again.error_class, again.message)
    assert "hang" == by_node[Address("b", ((None, 1),))].result


@pytest.mark.parametrize("suffix", [".json", ".txt"])
def test_json(suffix):
    plan = plan_from_text(' {"answers": [{"node": "a", "result": "fail"}]}', suffix, DOC)

    assert "fail" == plan.answers[0].answer.result


def test_lines():
    plan = plan_from_text("a fail transient\n", ".txt", DOC)

    assert "transient" == plan.answers[0].answer.error_class


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[steps", "Expected ']'"),
        ("other = 1", "unknown key 'other'; known are steps, events"),
        ("[steps]\na = 3", 'steps.a: expected "ok", "hang" or a table, observed 3'),
        ("[steps]\na = {}", "steps.a: expected exactly one of ok, fail and hang"),
        ("[steps]\na = { oka = 1 }", "steps.a: unknown key 'oka'; known are ok, fail"),
        ("[steps]\na = { ok = {}, after = '3' }", "steps.a.after: expected a duration like PT10S"),
        ("[steps]\na = { ok = {}, hold-until = 'b' }", "steps.a.hold-until: expected 'idle' or"),
        ("[steps]\nz = 'ok'", "the document has no node 'z'"),
        ("[steps]\na = { ok = {}, hold-until = 'z READY' }", "the document has no node 'z'"),
        ("events = [1]", r"events\[0\]: expected name and at, observed 1"),
        ("events = 1", "expected a table of steps and a list of events"),
        ("cancel = 'z READY'", "the document has no node 'z'"),
        ("refused = ['unsign']", r"refused\[0\]: expected principal:NAME, isolation:NAME"),
        ('{"answers": 1}', "answers: expected list"),
        ("{", "line 1: "),
        ("z ok", "line 1: the document has no node 'z'"),
    ],
)
def test_faults_name_the_place(text, message):
    with pytest.raises(PlanError, match=f"^{message}"):
        plan_from_text(text, "", DOC)


def test_nodes_inside_of_subworkflows_are_addressed_below_their_node():
    doc = harness("s:subworkflow <subworkflow href='c'/>")
    plan = plan_from_text('[steps]\n"s/x@2" = "hang"', "", doc)

    assert Address("s/x", attempt=2) == plan.answers[0].address


@pytest.mark.parametrize(
    ("text", "suffix", "message"),
    [
        (
            "[steps]\na={ok={},hold-until='a DONE'}",
            ".toml",
            "there is no state 'DONE'; known are PE",
        ),
        ("cancel='a DONE'", ".toml", "there is no state 'DONE'"),
        ("events=[{name='e',at='a DONE'}]", ".toml", "there is no state 'DONE'"),
        ("[steps]\na={fail=3}", ".toml", "a: class: expected a text, observed 3"),
        ("[steps]\na={fail='x',message=3}", ".toml", "a: message: expected a text, observed 3"),
        ("[steps]\na={hang=false}", ".toml", "expected exactly one of ok, fail and hang"),
        ("[steps]\na={ok={x=nan}}", ".toml", "a: output 'x': expected a JSON value"),
        ("[steps]\na={ok={x=2026-01-01}}", ".toml", "a: output 'x': expected a JSON value"),
        ("unresolvable=[3]", ".toml", "expected the id of a resource or artifact, observed 3"),
        ("bad-digests=[3]", ".toml", "expected the id of a resource or artifact, observed 3"),
        ("x=" + "[" * 9999, ".toml", "its values are nested too deep"),
        ("[" * 9999, ".json", "its values are nested too deep"),
        (f"[steps]\na={{ok={{x={'9' * 5000}}}}}", ".toml", "line 2: a number has more than 4,300"),
        (
            f"[steps]\na={{ok={{x={'1_' * 5000}1}}}}",
            ".toml",
            "line 2: a number has more than 4,300",
        ),
        (f"x = {'9' * 5000}", ".toml", "line 1: a number has more than 4,300 digits"),
        (f"[steps]\na=0x{'f' * 5000}", ".toml", "steps.a: expected"),
        (f'{{"answers":\n{"9" * 5000}}}', ".json", "line 2: a number has more than 4,300 digits"),
        (f'[steps]\n"a[{"9" * 5000}]"="hang"', ".toml", "answers[0]: expected node, node[0]"),
        (
            '{"answers": [{"node": "a", "result": "ok", "outputs": {"x": "\\ud800"}}]}',
            ".json",
            "answers[0]: outputs.x: expected whole characters, observed half of one in '\\ud800'",
        ),
        (
            '{"answers": [{"node": "a", "result": "ok", "outputs": {"x": 1e999}}]}',
            ".json",
            "answers[0]: outputs.x: expected a JSON value, observed inf",
        ),
        (
            '{"answers": [{"node": "a", "result": "ok", "after": NaN}]}',
            ".json",
            "answers[0]: after: expected seconds, observed nan",
        ),
        (
            f"[steps]\na={{ok={{x={'[' * 62}{']' * 62}}}}}",
            ".toml",
            "a: output 'x': expected a value",
        ),
        (f"a ok x={'9' * 5000}", ".txt", "line 1: a number has more than 4,300 digits"),
    ],
    ids=lambda value: value[:30],
)
def test_what_cannot_be_meant_is_refused(text, suffix, message):
    with pytest.raises(PlanError, match=re.escape(message)) as caught:
        plan_from_text(text, suffix, harness("a"))

    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("suffix", "text"),
    [(".toml", "[steps]\na = 'hang'\n"), (".json", '{"answers": []}'), ("", "a timeout")],
)
def test_time_passes_at_last_in_every_form(suffix, text):
    assert plan_from_text(text, suffix, harness("a")).at_last

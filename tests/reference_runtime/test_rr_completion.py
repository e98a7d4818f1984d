"""Nodes that cannot have completed when an expression reads them (HX-3104)."""

import pytest

from reference_runtime.validation import validate
from reference_runtime.validation.completion import _BUDGET
from tests.strategies_runtime import document

OUT = "<outputs><output name='x'/></outputs>"


def found(nodes, edges="", entry=None):
    """(code, value) of the errors."""
    lines = [
        line if "<" in line or not line.strip() else f"{line} {OUT}" for line in nodes.splitlines()
    ]
    verdict = validate(document("\n".join(lines), edges, entry))
    return [(one.code, one.value) for one in verdict.findings if one.severity == "error"]


def reading(name, text, rest=""):
    """A task with an output and a guard."""
    return f"{name} {OUT}<guard when='{text}'/>{rest}"


@pytest.mark.parametrize(
    ("reader", "nodes", "edges"),
    [
        (reading("a", "${a.x}"), "b", "a->b"),
        (reading("a", "${b.x}"), "b", "a->b"),
        (reading("a", "${b.x}"), "b\nc", "a..>c c=x:y=>b".replace("c=x:y=>b", "c->b")),
        (reading("a", "${b.x}"), "b", "a-!>b"),
        (reading("a", "${b.x}"), "b\nc", "a->b c->b"),
        (reading("a", "${b.x}"), "b joinPolicy=any\nc", "a->b a->c c->b"),
        (reading("a", "${b.x}"), "b joinPolicy=quorum quorum=2\nc", "a->b c->b"),
        (reading("a", "${b.x}"), "b\nc\nd", "a-!>c a-!>d c->b d->b"),
    ],
    ids=[
        "itself",
        "successor",
        "at a distance",
        "its handler",
        "all join",
        "any join of its own branches",
        "quorum that needs it",
        "behind two handlers",
    ],
)
def test_reader_and_what_waits_for_it_have_not_completed(reader, nodes, edges):
    value = "a.x" if "${a.x}" in reader else "b.x"

    assert [("HX-3104", value)] == found(f"{reader}\n{nodes}", edges)


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        ("b", ""),
        ("b", "b->a"),
        ("b\nc", "c->a c->b"),
        ("b joinPolicy=any\nc", "a->b c->b"),
        ("b joinPolicy=quorum quorum=1\nc", "a->b c->b"),
        ("b\nc", "a-!>b c-!>b"),
        ("b\nc", "a->b c-!>b"),
    ],
    ids=[
        "no edge",
        "predecessor",
        "parallel",
        "any join",
        "small quorum",
        "shared handler",
        "join that a failure elsewhere starts, too",
    ],
)
def test_what_may_have_completed_is_no_finding(nodes, edges):
    assert [] == found(f"{reading('a', '${b.x == null}')}\n{nodes}", edges)


def test_condition_reads_its_source_and_not_its_target():
    nodes = f"a {OUT}\nb {OUT}"

    assert [] == found(nodes, "a->b[${a.x}]")
    assert [("HX-3104", "b.x")] == found(nodes, "a->b[${b.x}]")


def test_a_condition_between_others_reads_what_runs_beside_them():
    assert [] == found(f"a {OUT}\nb {OUT}\nc {OUT}", "a->b[${c.x}]")


def test_undoing_node_reads_what_it_undoes():
    undo = f"u {OUT}<inputs><input name='i' value='${{a.x}}'/></inputs>".replace(
        OUT + "<inputs>", "<inputs>"
    )

    assert [] == found(f"a {OUT}\n{undo}\nb", "a-~>u a->b")


def test_condition_of_unwinding_reads_what_ran_later():
    assert [] == found(f"a {OUT}\nu {OUT}\nb {OUT}", "a->b a-~>u[${b.x}]")


DECISION = (
    "d:decision <cases><case when='${t.x == 1}' to='t'/><otherwise to='e'/></cases>\n"
    f"t {OUT}\ne {OUT}"
)


def test_decision_cannot_read_its_targets():
    assert [("HX-3104", "t.x")] == found(DECISION, entry="d")


def test_target_of_two_decisions_may_have_run_before():
    other = "\no:decision <cases><case when='${true}' to='t'/></cases>"

    assert [] == found(DECISION + other)


LOOP = (
    "l:loop <guard when='{}'/><loop kind='{}' {}='{}' maxIterations='2'><body ref='b'/></loop>\n"
    f"b {OUT}"
)


def test_loop_reads_its_body_between_iterations_only():
    assert [] == found(LOOP.format("${true}", "until", "while", "${b.x}"), entry="l")
    assert [("HX-3104", "b.x")] == found(
        LOOP.format("${true}", "forEach", "over", "${b.x}"), entry="l"
    )
    assert [("HX-3104", "b.x")] == found(
        LOOP.format("${b.x}", "until", "while", "${true}"), entry="l"
    )


def test_body_reads_what_an_earlier_iteration_left():
    body = reading("b", "${h.x}")
    loop = LOOP.splitlines()[0].format("${true}", "until", "while", "${true}")

    assert [] == found(f"{loop}\n{body}\nh {OUT}", "b-!>h", entry="l")
    assert [("HX-3104", "b.x")] == found(f"{loop}\n{reading('b', '${b.x}')}", entry="l")


def test_entry_starts_whatever_leads_into_it():
    assert [] == found(f"{reading('a', '${b.x}')}\nb", "a->b", entry="b")


def test_work_is_bounded():
    width = 500
    nodes = [reading(f"a{n}", "${z.x}") for n in range(width)]
    nodes += [f"m{n} {OUT}" for n in range(width)] + [f"z joinPolicy=any {OUT}", f"y {OUT}"]
    edges = [f"a{n}->m0" for n in range(width)]
    edges += [f"m{n}->m{n + 1}" for n in range(width - 1)]
    edges += [f"m{width - 1}->z", "y->z"]

    assert width * width > _BUDGET
    assert [] == found("\n".join(nodes), " ".join(edges))

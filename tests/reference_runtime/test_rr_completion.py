"""Nodes that cannot have completed when an expression reads them (HX-3104)."""

import pytest

from reference_runtime.validation import validate
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


#: A loop ``l`` with body ``b``, and ``z`` after it.
AFTER = "l:loop {} <loop kind='times' count='2' maxIterations='2'><body ref='{}'/></loop>\n"
INNER = "m:loop {} <guard when='${{true}}'/><loop {} maxIterations='2'><body ref='b'/></loop>\n"


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz", "l->z"),
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz\ny", "l->y y->z"),
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz", "l-!>z"),
        (AFTER.format("", "b") + f"b {OUT}\n" + reading("h", "${z.x}") + "\nz", "l->z b-!>h"),
        (AFTER.format("", "b") + f"b {OUT}\nh {OUT}\nz", "l->z b-!>h[${z.x}]"),
        (
            AFTER.format("", "m") + INNER.format("", "kind='times' count='1'")
            + reading("b", "${z.x}") + "\nz", "l->z",
        ),
        (
            AFTER.format("", "m") + INNER.format("", "kind='forEach' over='${z.x}'")
            + f"b {OUT}\nz", "l->z",
        ),
        (
            AFTER.format("", "m") + INNER.format("", "kind='until' while='${z.x}'")
            + f"b {OUT}\nz", "l->z",
        ),
        (
            AFTER.format("", "b") + reading("b", "${z.x}")
            + "\nk:loop <loop kind='times' count='1' maxIterations='1'><body ref='z'/></loop>\n"
            + f"z {OUT}", "l->k",
        ),
    ],
    ids=[
        "body", "at a distance", "handler of the loop", "handler of the body",
        "condition in the body", "inner body", "inner over", "inner while", "body of a later loop",
    ],
)  # fmt: skip
def test_what_runs_in_a_loop_cannot_read_what_waits_for_the_loop(nodes, edges):
    assert [("HX-3104", "z.x")] == found(nodes, edges, entry="l")


def test_what_runs_in_a_loop_cannot_read_the_loop():
    nodes = AFTER.format(OUT, "b") + reading("b", "${l.x}")

    assert [("HX-3104", "l.x")] == found(nodes, entry="l")


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz", "z->l"),
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz", ""),
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz joinPolicy=any\ny", "l->z y->z"),
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz", "l->z b-!>z"),
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz\na", "a->z l-!>z"),
        (
            AFTER.format("", "b") + f"b {OUT}\n" + reading("h", "${z.x}") + "\nz\nc",
            "l->z b-!>h c-!>h",
        ),
        (
            AFTER.format("", "b") + f"b {OUT}\n" + reading("h", "${z.x}") + "\nz",
            "l->z b-!>h z->h",
        ),
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz\na", "l->z a-~>l"),
        (AFTER.format("", "b") + reading("b", "${z.x}") + "\nz\na", "l->z a-~>b"),
        (
            AFTER.format("", "b").replace("<loop", "<timeout duration='PT1S'/><loop")
            + reading("b", "${z.x}") + "\nz", "l-!>z",
        ),
        (
            AFTER.format("", "b") + AFTER.format("", "b").replace("l:", "k:")
            + reading("b", "${z.x}") + "\nz", "l->z",
        ),
        (
            AFTER.format("", "m") + INNER.format("", "kind='times' count='1'")
            + reading("b", "${z.x}") + "\nz", "m-!>z",
        ),
    ],
    ids=[
        "before the loop", "beside the loop", "other way to start", "handler of loop and body",
        "other join", "shared handler", "handler that starts later, too", "loop that undoes",
        "body that undoes", "loop that may be given up", "body of two loops",
        "handler of an inner loop",
    ],
)  # fmt: skip
def test_what_runs_in_a_loop_reads_what_may_have_run(nodes, edges):
    assert "HX-3104" not in [code for code, _ in found(nodes, edges)]


def test_case_is_a_link_of_the_join_that_it_leads_to():
    nodes = (
        f"{reading('r', '${t.x}')}\n"
        "d:decision <cases><case when='${r.x == 1}' to='t'/><otherwise to='e'/></cases>\n"
        "o:decision <cases><case when='${true}' to='t'/><otherwise to='e'/></cases>\n"
        f"e {OUT}\nt joinPolicy=any {OUT}"
    )

    assert [] == found(nodes, "r->d d->t")
    assert [("HX-3104", "t.x")] == found(nodes, "r->d d->t r->o")


def test_many_questions_keep_none_from_its_answer():
    size = 700
    nodes = [reading(f"a{n}", f"${{b{size - 1 - n}.x}}") for n in range(size)]
    nodes += [reading(f"b{n}", f"${{a{size - 1 - n}.x}}") for n in range(size)]
    nodes += [reading("y", "${z.x}"), f"z {OUT}"]
    edges = [f"{chain}{n}->{chain}{n + 1}" for chain in "ab" for n in range(size - 1)]

    assert [("HX-3104", "z.x")] == found("\n".join(nodes), " ".join([*edges, "y->z"]))


def test_every_reader_of_a_long_chain_is_found():
    size = 700
    nodes = [reading(f"a{n}", f"${{a{size}.x}}") for n in range(size)]
    edges = [f"a{n}->a{n + 1}" for n in range(size)]

    assert [("HX-3104", f"a{size}.x")] * size == found(
        "\n".join([*nodes, f"a{size} {OUT}"]), " ".join(edges)
    )


def test_many_readers_of_what_may_have_run_are_no_finding():
    width = 500
    nodes = [reading(f"a{n}", "${z.x}") for n in range(width)]
    nodes += [f"m{n} {OUT}" for n in range(width)] + [f"z joinPolicy=any {OUT}", f"y {OUT}"]
    edges = [f"a{n}->m0" for n in range(width)]
    edges += [f"m{n}->m{n + 1}" for n in range(width - 1)]
    edges += [f"m{width - 1}->z", "y->z"]

    assert [] == found("\n".join(nodes), " ".join(edges))

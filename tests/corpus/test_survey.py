from suite.corpus.survey import Delay, survey
from tests.corpus_builder import document


def test_reads_come_from_data_edges_and_expressions():
    seen = survey(
        document(
            '<node id="a" type="task"><outputs><output name="x"/><output name="x-y"/></outputs>'
            '</node><node id="b" type="decision"><cases>'
            '<case when="${a.x == \'b.z\' and a.v}" to="c"/></cases></node>'
            '<node id="c" type="task"><inputs><input name="i" value="n ${b.w} ${a.x-y}"/>'
            '</inputs><guard when="${config.limit}"/></node>',
            '<edge from="a" to="b" type="data" fromPort="u" toPort="i"/>'
            '<edge from="a" to="c" condition="${c.t}"/>',
        ).encode()
    )

    assert {
        ("a", "x"),
        ("a", "v"),
        ("b", "w"),
        ("a", "x-y"),
        ("a", "u"),
        ("c", "t"),
    } == seen.reads


def test_times_are_declared_by_retry_timeout_and_wait():
    seen = survey(
        document(
            '<node id="a" type="task"><retry maxAttempts="2"/><timeout duration="PT2H"/></node>'
            '<node id="b" type="wait"><wait duration="PT0.05S"/></node>'
            '<node id="c" type="task"><retry maxAttempts="2" initialDelay="PT10S"/></node>'
            '<node id="e" type="task"><retry maxAttempts="1"/></node>'
            '<node id="f" type="task"><retry maxAttempts="2" backoff="none"/></node>'
            '<node id="g" type="wait"><wait event="go"/></node>'
        ).encode()
    )

    assert (
        Delay("a", "retry", 1.0),
        Delay("a", "timeout", 7200.0),
        Delay("b", "wait", 0.05),
        Delay("c", "retry", 10.0),
    ) == seen.delays
    assert seen.faults == ()


def test_unreadable_durations_are_faults():
    seen = survey(document('<node id="b" type="wait"><wait duration="P1Y"/></node>').encode())

    assert len(seen.faults) == 1
    assert "node 'b': wait: duration 'P1Y'" in seen.faults[0]


def test_node_ids_outside_of_references_clash():
    seen = survey(
        document(
            '<node id="a" type="task" impl="a"><inputs><input name="b"/></inputs></node>'
            '<node id="b" type="loop" compensates="a"><cases><case when="x" to="a"/>'
            '<otherwise to="b"/></cases><loop kind="times" maxIterations="1" var="a">'
            '<body ref="a"/></loop></node>',
            '<edge from="a" to="b" id="b"/>',
            'entry="a"',
        ).encode()
    )

    assert seen.clashes == ("node impl='a'", "input name='b'", "loop var='a'", "edge id='b'")


def test_resources_and_artifacts_are_known():
    text = document('<node id="a" type="task"/>').replace(
        "<nodes>",
        '<resources><resource id="r" type="queue"/></resources>'
        '<artifacts><artifact id="f" type="log"/></artifacts><nodes>',
    )
    seen = survey(text.encode())

    assert {"r"} == seen.resources
    assert {"f"} == seen.artifacts

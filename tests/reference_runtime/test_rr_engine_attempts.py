"""Preparation, retries and timeouts; expectations are read off §5.5, §5.6, §8.1 and §8.2."""

import pytest

from tests.strategies_runtime import fail, harness, hold, ok, plan, shown

RAN = "READY RUNNING SUCCEEDED"
FAILED = "READY RUNNING FAILED"
OUT = "<outputs><output name='x'/></outputs>"
OFF = "<guard when='${false}'/>"


def into(how=""):
    return f"<inputs><input name='x' {how}/></inputs>"


def times(run, node, state):
    return [t.at for t in run.played.transitions() if (t.node, t.to) == (node, state)]


def test_value_travels_along_a_data_edge():
    run = shown(harness(f"p {OUT}\nq {into()}", "p=x:x=>q"), plan({"p": ok(x={"k": [1]}, y=2)}))

    assert [("p", {}), ("q", {"x": {"k": [1]}})] == run.calls


@pytest.mark.parametrize(
    ("how", "inputs"),
    [
        pytest.param("value='3'", {"x": "3"}, id="text"),
        pytest.param("type='integer' value='3'", {"x": 3}, id="typed-literal"),
        pytest.param("value='${1 + 2}'", {"x": 3}, id="expression"),
        pytest.param("required='false' default='d'", {"x": "d"}, id="default"),
        pytest.param("required='false'", {}, id="nothing"),
    ],
)
def test_input_takes_value_then_default(how, inputs):
    run = shown(harness(f"a {into(how)}"))

    assert [("a", inputs)] == run.calls


@pytest.mark.parametrize(
    ("how", "path", "codes"),
    [
        pytest.param("", FAILED, {"q": "HX-4101"}, id="required"),
        pytest.param("default='0'", RAN, {}, id="default"),
        pytest.param("required='false'", RAN, {}, id="optional"),
    ],
)
def test_consumer_of_a_skipped_producer(how, path, codes):
    run = shown(harness(f"p {OUT}{OFF}\nq {into(how)}", "p=x:x=>q"))

    assert (path, codes) == (run.paths["q"], run.codes)
    assert [node for node, _ in run.calls] == (["q"] if path == RAN else [])


def test_output_that_the_step_did_not_deliver_is_unavailable():
    run = shown(harness(f"p {OUT}\nq {into()}", "p=x:x=>q"), plan({"p": ok(z=1)}))

    assert {"q": "HX-4101"} == run.codes


def test_false_guard_resolves_nothing():
    nodes = f"p {OUT}{OFF}\nq {into()}<guard when='${{false}}'/>"
    run = shown(harness(nodes.replace("<inputs>", "<inputs>"), "p=x:x=>q"))

    assert "READY SKIPPED" == run.paths["q"]
    assert {} == run.codes


@pytest.mark.parametrize(
    ("when", "code"),
    [("${'x' &lt; 1}", "HX-4106"), ("${0}", "HX-4107"), ("${null}", "HX-4107")],
    ids=["operation", "number", "null"],
)
def test_faulty_guard_fails_the_node_without_calling_it(when, code):
    run = shown(harness(f'a <guard when="{when}"/>\nh', "a-!>h"))

    assert (FAILED, RAN, {"a": code}) == (run.paths["a"], run.paths["h"], run.codes)
    assert [("h", {})] == run.calls


def test_unresolvable_resource_fails_the_node_without_calling_it():
    doc = harness(
        "a <resourceRef ref='r'/>", before="<resources><resource id='r' type='queue'/></resources>"
    )
    run = shown(doc, plan(unresolvable=["r"]))

    assert (FAILED, {"a": "HX-4102"}, []) == (run.paths["a"], run.codes, run.calls)


def test_inputs_are_resolved_before_resources():
    doc = harness(
        f"p {OUT}{OFF}\nq {into()}<resourceRef ref='r'/>",
        "p=x:x=>q",
        before="<resources><resource id='r' type='queue'/></resources>",
    )

    assert {"q": "HX-4101"} == shown(doc, plan(unresolvable=["r"])).codes


def test_wrong_digest_fails_the_node():
    doc = harness(
        "a <artifactRef ref='r'/>",
        before="<artifacts><artifact id='r' type='log' digest='sha256:00'/></artifacts>",
    )

    assert {"a": "HX-4105"} == shown(doc, plan(badDigests=["r"])).codes


@pytest.mark.parametrize(
    ("retry", "class_", "path"),
    [
        pytest.param("", "transient", FAILED, id="absent"),
        pytest.param("maxAttempts='1'", "transient", FAILED, id="one"),
        pytest.param(
            "maxAttempts='3'",
            "internal",
            "READY RUNNING RETRYING READY RUNNING RETRYING READY RUNNING FAILED",
            id="any-class",
        ),
        pytest.param(
            "maxAttempts='2' retryOn='a transient'",
            "transient",
            "READY RUNNING RETRYING READY RUNNING FAILED",
            id="listed",
        ),
        pytest.param("maxAttempts='2' retryOn='a'", "transient", FAILED, id="not-listed"),
        pytest.param("maxAttempts='2' retryOn='a'", None, FAILED, id="no-class"),
    ],
)
def test_attempts_are_counted(retry, class_, path):
    element = f"<retry backoff='none' {retry}/>" if retry else ""
    run = shown(harness(f"a {element}"), plan({"a": fail(class_)}))

    assert (path, "failed") == (run.paths["a"], run.outcome)


def test_success_stops_retrying_and_error_edges_stay_untaken():
    doc = harness("a <retry maxAttempts='3' backoff='none'/>\nb\nh", "a->b a-!>h")
    run = shown(doc, plan({"a@1": fail("transient")}))

    assert {
        "a": "READY RUNNING RETRYING READY RUNNING SUCCEEDED",
        "b": RAN,
        "h": "",
    } == run.paths


@pytest.mark.parametrize(
    ("policy", "delays"),
    [
        pytest.param("backoff='none' initialDelay='PT2S'", [0, 0, 0], id="none"),
        pytest.param("backoff='fixed' initialDelay='PT2S'", [2, 2, 2], id="fixed"),
        pytest.param(
            "backoff='linear' initialDelay='PT2S' multiplier='3'", [6, 12, 18], id="linear"
        ),
        pytest.param(
            "backoff='exponential' initialDelay='PT2S' multiplier='3'", [2, 6, 18], id="exponential"
        ),
        pytest.param("initialDelay='PT2S' maxDelay='PT5S'", [2, 4, 5], id="limited"),
    ],
)
def test_delays_follow_the_backoff(policy, delays):
    doc = harness(f"a <retry maxAttempts='4' jitter='false' {policy}/>")
    run = shown(doc, plan({"a": fail("transient")}))

    pauses = zip(times(run, "a", "RETRYING"), times(run, "a", "READY")[1:], strict=True)

    assert delays == [ready - retrying for retrying, ready in pauses]


def test_jitter_stays_within_the_delay_and_depends_on_the_seed():
    doc = harness("a <retry maxAttempts='2' backoff='fixed' initialDelay='PT8S'/>")
    ready = [
        times(shown(doc, plan({"a": fail("transient")}), seed=seed), "a", "READY")[1]
        for seed in (1, 2, 2)
    ]

    assert all(0 <= moment <= 8 for moment in ready)
    assert ready[0] != ready[1] == ready[2]


def test_successor_waits_while_the_source_is_retrying():
    retry = "<retry maxAttempts='2' backoff='fixed' initialDelay='PT10S' jitter='false'/>"
    run = shown(harness(f"a {retry}\nb", "a->b"), plan({"a@1": fail("transient")}))

    assert [10] == times(run, "b", "READY")


@pytest.mark.parametrize(
    ("policy", "path", "codes"),
    [
        pytest.param("", FAILED, {"a": "HX-4108"}, id="fail"),
        pytest.param("onTimeout='retry'", FAILED, {"a": "HX-4108"}, id="retry-without-policy"),
        pytest.param("onTimeout='skip'", "READY RUNNING SKIPPED", {}, id="skip"),
    ],
)
def test_timeout_ends_the_attempt(policy, path, codes):
    run = shown(
        harness(f"a <timeout duration='PT5S' {policy}/>\nb\nh", "a->b a-!>h"),
        plan({"a": {"result": "hang"}}),
    )

    assert (path, codes, ["a"]) == (run.paths["a"], run.codes, run.aborts)
    assert (RAN if "SKIPPED" in path else "") == run.paths["b"]


@pytest.mark.parametrize(
    ("policy", "attempts"),
    [("fail", 1), ("retry", 2)],
    ids=["fail-obeys-retry-on", "retry-overrides-it"],
)
def test_timeout_and_retry_on(policy, attempts):
    doc = harness(
        "a <retry maxAttempts='2' backoff='none' retryOn='transient'/>"
        f"<timeout duration='PT5S' onTimeout='{policy}'/>"
    )
    run = shown(doc, plan({"a": {"result": "hang"}}))

    assert attempts == len(run.calls)
    assert "timeout" == run.played.transitions()[-1].error_class


def test_timeout_starts_anew_with_each_attempt():
    doc = harness("a <retry maxAttempts='2' backoff='none'/><timeout duration='PT5S'/>")
    run = shown(doc, plan({"a@1": fail("transient", after=4), "a@2": ok(after=4)}))

    assert "READY RUNNING RETRYING READY RUNNING SUCCEEDED" == run.paths["a"]


def test_handled_failure_ends_succeeded_and_runs_a_shared_handler_once():
    doc = harness("a b h", "a-!>h b-!>h")
    run = shown(doc, plan({"a": fail("x"), "b": fail("y", until=hold("h SUCCEEDED"))}))

    assert {"a": FAILED, "b": FAILED, "h": RAN} == run.paths
    assert "succeeded" == run.outcome


def test_only_error_edges_with_a_true_condition_are_traversed():
    run = shown(harness("a h i", "a-!>h[${false}] a-!>i"), plan({"a": fail("x")}))

    assert ("", RAN) == (run.paths["h"], run.paths["i"])


def test_human_step_is_called_and_barrier_is_not():
    run = shown(harness("a:human\nb:barrier\nc:parallel", "a->b b->c"))

    assert [("a", {})] == run.calls
    assert {"a": RAN, "b": RAN, "c": RAN} == run.paths

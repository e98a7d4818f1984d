import pytest

from comparator.observation import Report
from tests.comparator_builder import differences, facts, golden, kinds, observed

OK = "READY RUNNING SUCCEEDED"
LOOP = facts("l->z", entry="l", loops={"l": {"body": "b"}})
PAIR = facts("l->z", entry="l", loops={"l": {"body": "b", "max_concurrency": 2}})


def begun(*numbers):
    return " ".join(f"b[l:{n}]:READY b[l:{n}]:RUNNING" for n in numbers)


def ended(*numbers):
    return " ".join(f"b[l:{n}]:SUCCEEDED" for n in numbers)


def around(inner):
    return f"l:READY l:RUNNING {inner} l:SUCCEEDED"


@pytest.mark.parametrize(
    ("document", "inner"),
    [
        (LOOP, f"{begun(0)} {ended(0)} {begun(1)} {ended(1)}"),
        (
            LOOP,
            (
                "b[l:0]:READY b[l:1]:READY b[l:0]:RUNNING b[l:0]:SUCCEEDED "
                "b[l:1]:RUNNING b[l:1]:SUCCEEDED"
            ),
        ),
        (PAIR, f"{begun(1, 0)} {ended(1)} {begun(2)} {ended(0, 2)}"),
    ],
    ids=["sequence", "ready-together", "two-at-a-time"],
)
def test_allowed_iterations_pass(document, inner):
    assert () == differences(document, around(inner))


@pytest.mark.parametrize(
    ("document", "inner", "kind", "key", "cite"),
    [
        (LOOP, f"{begun(0, 1)} {ended(0, 1)}", "sequence", "b[1]",
         "5.4-sequential-iterations-in-order"),
        (LOOP, f"{begun(1)} {ended(1)} {begun(0)} {ended(0)}", "sequence", "b[0]",
         "5.4-sequential-iterations-in-order"),
        (PAIR, f"{begun(0, 1, 2)} {ended(0, 1, 2)}", "concurrency", "b[2]",
         "5.4-loop-concurrency-bound"),
    ],
    ids=["overlap", "wrong-order", "three-at-a-time"],
)  # fmt: skip
def test_forbidden_iterations_are_noticed(document, inner, kind, key, cite):
    found = differences(document, around(inner))

    assert [(kind, key)] == kinds(found)
    assert cite in found[0].cites


@pytest.mark.parametrize(
    ("text", "cite"),
    [
        (f"l:READY {begun(0)} {ended(0)} l:RUNNING l:SUCCEEDED",
         "7.2.6-body-runs-only-as-iteration"),
        (f"{around('')} {begun(0)} {ended(0)}", "6.5-fail-policy"),
        ("b:READY b:RUNNING b:SUCCEEDED l:READY l:RUNNING l:SUCCEEDED",
         "7.2.6-body-runs-only-as-iteration"),
    ],
    ids=["before", "after", "main-flow"],
)  # fmt: skip
def test_iteration_needs_its_loop_running(text, cite):
    found = differences(LOOP, text)

    assert "iteration-start" == found[0].kind
    assert cite in found[0].cites


def test_without_entry_a_body_may_start_by_itself():
    # A113: the letter of §5.2.
    document = facts(loops={"l": {"body": "b"}})
    text = "b:READY b:RUNNING b:SUCCEEDED l:READY l:RUNNING l:SUCCEEDED"

    assert () == differences(document, text)


def loop_of(policy, bound=1, **declared):
    element = {"body": "b", "on_item_failure": policy, "max_concurrency": bound}
    return facts("l!>h", entry="l", loops={"l": element}, **declared)


@pytest.mark.parametrize(
    ("document", "inner"),
    [
        (loop_of("fail"), f"{begun(0)} {ended(0)} {begun(1)} l:SUCCEEDED {ended(1)}"),
        (loop_of("fail"), f"{begun(0)} l:SUCCEEDED b[l:0]:FAILED"),
        (loop_of("continue", 2), f"{begun(0, 1)} b[l:0]:FAILED l:SUCCEEDED {ended(1)}"),
        (loop_of("break", 2), f"{begun(0, 1)} {ended(0)} l:SUCCEEDED {ended(1)}"),
    ],
    ids=["sequence", "failure-to-come", "continue", "break-without-failure"],
)
def test_loop_is_not_over_while_an_iteration_goes_on(document, inner):
    (found,) = differences(document, f"l:READY l:RUNNING {inner}")

    assert ("loop-end", "l") == (found.kind, str(found.key))
    assert "6.2-no-succeeded-without-completion" == found.cites[0]


def test_loop_that_broke_may_leave_iterations_behind():
    text = f"l:READY l:RUNNING {begun(0, 1)} b[l:0]:FAILED l:SUCCEEDED {ended(1)}"

    assert () == differences(loop_of("break", 2), text)


def test_inner_loop_is_not_over_while_its_iteration_goes_on():
    document = facts(entry="o", loops={"o": {"body": "l"}, "l": {"body": "b"}})
    text = (
        "o:READY o:RUNNING l[o:0]:READY l[o:0]:RUNNING b[o:0,l:0]:READY b[o:0,l:0]:RUNNING "
        "l[o:0]:SUCCEEDED b[o:0,l:0]:SUCCEEDED o:SUCCEEDED"
    )

    assert [("loop-end", "l[0]")] == kinds(differences(document, text))


EARLY = f"l:READY l:RUNNING {begun(0)} l:FAILED b[l:0]:FAILED h:READY h:RUNNING h:SUCCEEDED"
ALONE = f"l:READY l:RUNNING {begun(0)} {ended(0)} l:FAILED h:READY h:RUNNING h:SUCCEEDED"


@pytest.mark.parametrize(
    ("document", "text", "reports"),
    [(loop_of("fail"), EARLY, None), (loop_of("fail"), ALONE, ()), (loop_of("fail", 2), EARLY, ())],
    ids=["before-the-failure", "without-a-failure", "before-the-failure-of-one-in-flight"],
)
def test_loop_fails_on_a_failure_or_with_a_code(document, text, reports):
    (found,) = differences(document, observed(text, reports=reports))

    assert ("loop-end", "l", ("6.5-fail-policy",)) == (found.kind, str(found.key), found.cites)


@pytest.mark.parametrize(
    ("document", "text", "reports"),
    [
        (loop_of("fail"), ALONE, None),
        (loop_of("fail"), ALONE, (Report("HX-4104", "l"),)),
        (loop_of("fail"), ALONE, (Report("HX-4104"),)),
        (loop_of("fail", 2), EARLY, None),
        (loop_of("fail", l={"on_timeout": "fail"}), EARLY, ()),
        (loop_of("continue"), EARLY, ()),
    ],
    ids=["codes-not-shown", "code", "code-of-nobody", "concurrent", "timeout", "continue"],
)
def test_loop_may_fail_by_itself(document, text, reports):
    assert () == differences(document, observed(text, reports=reports))


def test_iteration_in_flight_may_end_after_its_loop():
    text = f"l:READY l:RUNNING {begun(0, 1)} b[l:0]:FAILED l:FAILED b[l:1]:SUCCEEDED"

    assert () == differences(PAIR, text)


@pytest.mark.parametrize(
    ("kind", "policy", "first", "cites"),
    [
        ("times", "continue", "SUCCEEDED", ("7.2.2-times-exact",)),
        ("forEach", "fail", "SUCCEEDED", ("7.2.2-foreach-once-per-element",)),
        ("while", "break", "FAILED", ("6.5-break-policy", "7.2.2-while-tests-before")),
    ],
)
def test_iteration_too_many_is_a_difference(kind, policy, first, cites):
    document = facts(entry="l", loops={"l": {"body": "b", "kind": kind, "on_item_failure": policy}})
    text = around(f"{begun(0)} b[l:0]:{first} {begun(1)} {ended(1)}")
    found = differences(
        document, text, golden({"l": OK, "b": "", "b[0]": f"READY RUNNING {first}"})
    )

    assert [("unlisted", "b[1]")] == kinds(found)
    assert cites == found[0].cites


def test_body_is_blamed_before_the_end_of_its_loop():
    text = f"l:READY l:RUNNING {begun(0)} b[l:0]:FAILED l:FAILED"
    found = differences(LOOP, text, golden({"l": OK, "b": "", "b[0]": OK, "z": OK}))

    assert [("path", "b[0]"), ("path", "l"), ("path", "z")] == kinds(found)
    assert [(), (0,), (0,)] == [difference.causes for difference in found]

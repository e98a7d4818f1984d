import pytest

from comparator.normal_form import normal_form
from tests.comparator_builder import facts, trace

PAIR = facts(nodes="a b", entry=None)
RUN = "a:READY b:READY a:RUNNING a:SUCCEEDED"


def test_paths_are_listed_by_address():
    document = facts(entry="l", loops={"l": {"body": "b"}})
    form = normal_form(document, trace("l:READY l:RUNNING b[l:0]:READY b[l:10]:READY"))

    assert {"b[l:0]": "READY", "b[l:10]": "READY", "l": "READY RUNNING"} == form.paths


@pytest.mark.parametrize(
    "text",
    [
        "b:READY a:READY a:RUNNING a:SUCCEEDED",
        "a:READY a:RUNNING a:SUCCEEDED b:READY",
        "a:PENDING a:READY a:RUNNING@1 a:SUCCEEDED@1 b:READY",
    ],
    ids=["interleaving", "later", "creation-and-attempts"],
)
def test_form_is_the_same(text):
    assert normal_form(PAIR, trace(RUN)) == normal_form(PAIR, trace(text))


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        (RUN, "failed"),
        ("a:READY b:READY a:RUNNING", "succeeded"),
        ("b:READY a:READY b:RUNNING b:SUCCEEDED", "succeeded"),
        ("a:READY b:READY a:RUNNING a:READY>SUCCEEDED", "succeeded"),
        ("a:READY b:READY a:RUNNING a:SUCCEEDED a:SUCCEEDED", "succeeded"),
    ],
    ids=["outcome", "shorter", "other-node", "other-state-left", "twice"],
)
def test_digest_differs(text, outcome):
    other = normal_form(PAIR, trace(text, outcome))

    assert normal_form(PAIR, trace(RUN)).digest != other.digest

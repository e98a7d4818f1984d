"""What a plan speaks of although no document declares it."""

import pytest

from suite.cli.undeclared import undeclared
from suite.corpus.plan import Answer, EventAt, IdlePoint, Plan
from tests.strategies_runtime import document

DOC = document(
    "a <outputs><output name='total'/></outputs><security><permission action='read' "
    "resource='x'/></security>\n"
    "b <outputs><output name='rest'/></outputs>\nw:wait <wait event='start'/>",
    before="<security principal='me' isolation='vm'/><resources>"
    "<resource id='store' type='queue'><credential ref='key' store='vault'/></resource>"
    "<resource id='bare' type='queue'><credential ref='pin'/></resource></resources>"
    "<artifacts><artifact id='data' type='log'/></artifacts>",
)


def ok(node, **outputs):
    return Answer(node=node, result="ok", outputs=outputs)


def event(name):
    return EventAt(name, IdlePoint())


def said(document=DOC, *others, **fields):
    return list(undeclared(Plan(**fields), (document, *others)))


def test_names_that_are_declared_are_no_slips():
    assert [] == said(
        answers=(ok("a[0]@2", total=1), ok("*", rest=1, total=2), ok("w")),
        events=(event("start"),),
        unresolvable=("store",),
        bad_digests=("data",),
        refused=("principal:me", "isolation:vm", "permission:read", "unsigned"),
        secrets={"vault/key": "x", "pin": "y"},
    )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"unresolvable": ("stor",)},
            "unresolvable: no document declares resource 'stor'; the nearest is store",
        ),
        ({"unresolvable": ("data",)}, "unresolvable: no document declares resource 'data'"),
        (
            {"bad_digests": ("date",)},
            "bad-digests: no document declares artifact 'date'; the nearest is data",
        ),
        (
            {"events": (event("stars"),)},
            "events: no document declares event 'stars'; the nearest is start",
        ),
        ({"refused": ("principal:you",)}, "refused: no document declares principal 'you'"),
        ({"refused": ("isolation:xyz",)}, "refused: no document declares isolation 'xyz'"),
        (
            {"refused": ("permission:reed",)},
            "refused: no document declares permission 'reed'; the nearest is read",
        ),
        (
            {"secrets": {"vault/kye": "hazel"}},
            "secrets: no document declares credential 'vault/kye'; the nearest is vault/key",
        ),
        (
            {"answers": (ok("a@1", totals=1),)},
            "a@1: the node does not declare output 'totals'; the nearest is total",
        ),
        (
            {"answers": (ok("b", total=1),)},
            "b: the node does not declare output 'total'",
        ),
        (
            {"answers": (ok("*", tot=1),)},
            "*: the node does not declare output 'tot'; the nearest is total",
        ),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(value),
)
def test_each_name_that_nobody_declares(fields, expected):
    assert [expected] == said(**fields)


def test_name_that_a_companion_declares_is_no_slip():
    assert [] == said(document("x"), DOC, unresolvable=("store",), events=(event("start"),))


def test_same_name_is_told_once_and_many_are_counted():
    many = tuple(f"z{number}" for number in range(13))
    lines = said(unresolvable=(*many, "z0"))

    assert (11, "3 more like these") == (len(lines), lines[-1])


@pytest.mark.parametrize(
    "text", [b"<", b"", b"<?xml version='1.0' encoding='utf-7'?><a/>"], ids=["cut", "empty", "enc"]
)
def test_nothing_is_said_about_what_cannot_be_read(text):
    assert [] == said(text, unresolvable=("z",))

"""Faults of expressions that are found before anything runs."""

import pytest

from reference_runtime.validation.sites import LONGEST_TEXT
from tests.strategies_documents import codes, document, findings

BEFORE = (
    '<resources><resource id="m" type="model"/></resources>'
    '<artifacts><artifact id="f" type="log"/></artifacts>'
)
#: One document for each place of an expression; {} is the text.
SITES = {
    "guard": '<node id="n" type="task"><guard when="{}"/></node>',
    "case": '<node id="n" type="decision"><cases><case when="{}" to="k-1"/></cases></node>',
    "over": '<node id="n" type="loop"><loop kind="forEach" over="{}" maxIterations="1">'
    '<body ref="k-1"/></loop></node>',
    "while": '<node id="n" type="loop"><loop kind="until" while="{}" maxIterations="1">'
    '<body ref="a"/></loop></node>',
    "until": '<node id="n" type="wait"><wait until="{}"/></node>',
    "value": '<node id="n" type="task"><inputs><input name="i" value="{}"/></inputs></node>',
    "condition": '<node id="n" type="task"/>',
}
NODE = (
    '<node id="a" type="task"><outputs><output name="x"/></outputs></node>'
    '<node id="a.b" type="task"><outputs><output name="x"/></outputs></node>'
    '<node id="k-1" type="task"><outputs><output name="x"/></outputs></node>'
)


def at(site, text):
    """A document with the text at that place."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    edges = f'<edge from="a.b" to="n" condition="{text}"/>' if site == "condition" else ""
    return document(NODE + SITES[site].replace("{}", text), edges, before=BEFORE)


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${a.x == 1}", []),
        ("${a.x ==}", ["HX-3101"]),
        ("${now()}", ["HX-3105"]),
        ("${a.y}", ["HX-3103"]),
        ("${b.x}", ["HX-3103"]),
        ("${artifact('g').digest}", ["HX-3103"]),
        ("${resource('f').uri}", ["HX-3103"]),
    ],
)
def test_fault_is_found_at_every_place(site, text, expected):
    assert expected == codes(at(site, text))


@pytest.mark.parametrize(
    "text",
    [
        "no expression at all",
        "$${a.y} is escaped",
        "${artifact('f').digest} ${resource('m').uri}",
        "${config.anything}",
        "${a.b.x}",
        "${k-1.x}",
        "${a.x.member}",
        "${a.x-1}",
        "${'}' == \"${\"}",
    ],
)
def test_text_without_fault(text):
    assert codes(at("value", text)) == []


@pytest.mark.parametrize(
    ("text", "code", "value", "words"),
    [
        ("${a.xx}", "HX-3103", "a.xx", "Did you mean 'x'?"),
        ("${a.x-y.z}", "HX-3103", "a.x-y.z", "A minus between names needs blanks"),
        ("${elsewhere}", "HX-3103", "elsewhere", "strings stand in quotes"),
        ("a ${a.x +} b", "HX-3101", "a ${a.x +} b", "character 10: It ends too early."),
        ("${a.x", "HX-3101", "${a.x", "character 1: There is no } for this ${."),
        ("${foo(1)}", "HX-3105", "${foo(1)}", "character 3: There is no function 'foo'"),
        ("${artifact(lower('F'))}", "HX-3101", "${artifact(lower('F'))}", "one id as a literal"),
    ],
)
def test_finding_names_place_and_way_out(text, code, value, words):
    (finding,) = findings(at("guard", text))

    assert (code, value, "node 'n'") == (finding.code, finding.value, finding.near)
    assert words in finding.message


def test_name_is_reported_once_for_each_place():
    assert codes(at("guard", "${b.x == b.x and c.x}")) == ["HX-3103", "HX-3103"]


LOOP = (
    '<node id="l" type="loop"><loop kind="forEach" over="${[1]}" var="e" indexVar="n" '
    'maxIterations="1"><body ref="w"/></loop></node>'
    '<node id="w" type="task"><inputs><input name="i" value="%s"/></inputs></node>'
)


@pytest.mark.parametrize("text", ["${e}", "${n}", "${e.member}", "${e + n}"])
def test_iteration_variables_of_a_loop_are_known(text):
    assert codes(document(LOOP % text)) == []


def test_default_names_are_unknown_when_the_loop_gives_others():
    assert codes(document(LOOP % "${item}")) == ["HX-3103"]


def test_plain_strings_hold_no_expressions():
    node = (
        '<node id="a" type="task" name="${"><inputs><input name="i" required="false" '
        'default="${x y}"/></inputs><outputs><output name="o" value="${x y}"/></outputs>'
        '<config><property name="p" value="${"/></config></node>'
    )

    assert codes(document(node)) == []


def test_endless_text_with_expressions_is_refused():
    text = f"{'x' * LONGEST_TEXT}${{true}}"
    (finding,) = findings(document(SITES["value"].format(text)))

    assert ("HX-3101", True) == (finding.code, f"at most {LONGEST_TEXT}" in finding.message)


def test_endless_text_without_expressions_is_a_literal():
    assert [] == codes(document(SITES["value"].format("x" * (LONGEST_TEXT + 1))))


@pytest.mark.parametrize(
    ("call", "meant"),
    [("LEN(a.x)", "len"), ("contain(a.x, 1)", "contains"), ("artefact('f')", "artifact")],
)
def test_close_function_is_suggested(call, meant):
    (finding,) = findings(at("guard", f"${{{call} == 1}}"))

    assert f"Did you mean {meant!r}?" in finding.message


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("${clam}", "clan"),
        ("${clam.x}", "clan"),
        ("${clam.x.deeper}", "clan"),
        ("${cofig.x}", "config"),
        ("${Config.x}", "config"),
        ("${TRUE}", "true"),
        ("${True == true}", "true"),
        ("${False}", "false"),
        ("${Null}", "null"),
        ("${place AND true}", "and"),
        ("${place oR true}", "or"),
        ("${place IN [1]}", "in"),
    ],
)
def test_close_name_is_suggested(text, meant):
    loop = LOOP.replace('var="e" indexVar="n"', 'var="clan" indexVar="place"')
    (finding,) = findings(document(loop % text))

    assert f" Did you mean {meant!r}? " in finding.message


def test_variable_that_is_not_visible_is_no_suggestion():
    loop = LOOP.replace('var="e" indexVar="n"', 'var="clan" indexVar="place"')
    other = '<node id="o" type="task"><guard when="${clam.x}"/></node>'
    (finding,) = findings(document(loop % "${clan}" + other))

    assert "Did you mean" not in finding.message


@pytest.mark.parametrize("text", ["${min(1)}", "${len(a.x, 1)}", "${a.x a.x}", "${true true}"])
def test_fault_that_is_no_slip_of_a_name_has_no_suggestion(text):
    (finding,) = findings(at("guard", text))

    assert ("HX-3101", False) == (finding.code, "Did you mean" in finding.message)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${now() == b.x}", ["HX-3103", "HX-3105"]),
        ("${len() == b.x}", ["HX-3101", "HX-3103"]),
        ("${now(artifact('g'), later())}", ["HX-3103", "HX-3105", "HX-3105"]),
        ("${now(} ${b.x} ${later()}", ["HX-3101", "HX-3103", "HX-3105"]),
        ("${b.x} ${", ["HX-3101", "HX-3103"]),
        ("${now() == n.x}", ["HX-3103", "HX-3105"]),
        ("${now() == index}", ["HX-3102", "HX-3105"]),
    ],
)
def test_all_faults_of_a_text_are_reported(text, expected):
    assert expected == sorted(codes(at("guard", text)))

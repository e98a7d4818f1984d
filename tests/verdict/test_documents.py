import msgspec
import pytest

from suite.corpus.case import Case, CaseText, WhereText
from suite.protocol.messages import Finding
from suite.verdict.documents import errors_of, judge_findings, misplaced, missing_advice


def case(group: str = "invalid", **fields) -> Case:
    text = CaseText(description="Something is so.", level="core", **fields)
    return Case(id=f"{group}/t/x", group=group, text=text, document=b"")


def findings(*codes: str) -> list[Finding]:
    """Return errors, and warnings for codes with a trailing w."""
    return [Finding(c.removesuffix("w"), "warning" if c.endswith("w") else "error") for c in codes]


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        pytest.param({"codes": ("HX-2001",)}, ["HX-2001"], id="the-code"),
        pytest.param({"codes": ("HX-2001",)}, ["HX-2001", "HX-2001"], id="the-code-twice"),
        pytest.param({"codes": ("HX-2001",)}, ["HX-2001", "HX-3005w"], id="with-a-warning"),
        pytest.param({"any_of": ("HX-1001", "HX-1003")}, ["HX-1003"], id="any"),
        pytest.param(
            {"codes": ("HX-2001",), "also": ("HX-1001",)}, ["HX-1001", "HX-2001"], id="also"
        ),
        pytest.param(
            {"codes": ("HX-2001",), "any_of": ("HX-1001", "HX-1003")},
            ["HX-2001", "HX-1001", "HX-1003"],
            id="code-and-any",
        ),
    ],
)
def test_the_exact_code_rejects(fields, codes):
    assert judge_findings(case(**fields), findings(*codes)) is None


@pytest.mark.parametrize(
    ("fields", "codes", "sentence"),
    [
        pytest.param(
            {"codes": ("HX-2001",)},
            [],
            "expected the document rejected with HX-2001, observed it accepted",
            id="accepted",
        ),
        pytest.param(
            {"codes": ("HX-2001",)}, ["HX-2001w"], "observed it accepted", id="only-a-warning"
        ),
        pytest.param(
            {"codes": ("HX-2001",)}, ["HX-1001"], "expected HX-2001, observed HX-1001", id="other"
        ),
        pytest.param(
            {"codes": ("HX-2001",)},
            ["HX-2001", "HX-1001"],
            "expected HX-2001 and no other error, observed also HX-1001",
            id="one-too-many",
        ),
        pytest.param(
            {"codes": ("HX-2001",), "also": ("HX-1001",)},
            ["HX-1001"],
            "expected HX-2001, observed HX-1001",
            id="only-the-tolerated-one",
        ),
        pytest.param(
            {"codes": ("HX-2001", "HX-2002")},
            ["HX-2002"],
            "expected HX-2001 and HX-2002, observed HX-2002",
            id="one-of-two",
        ),
        pytest.param(
            {"any_of": ("HX-1001", "HX-1003")},
            ["HX-2001"],
            "expected one of HX-1001, HX-1003, observed HX-2001",
            id="none-of-any",
        ),
        pytest.param(
            {"codes": ("HX-2001",), "any_of": ("HX-1001", "HX-1003")},
            ["HX-2001"],
            "expected HX-2001 and one of HX-1001, HX-1003, observed HX-2001",
            id="code-without-any",
        ),
    ],
)
def test_anything_else_is_told(fields, codes, sentence):
    assert sentence in judge_findings(case(**fields), findings(*codes))


@pytest.mark.parametrize("group", ["valid", "execution"])
def test_valid_documents_are_accepted_whatever_the_warnings(group):
    assert judge_findings(case(group), findings("HX-3005w")) is None
    assert (
        judge_findings(case(group), findings("HX-2001", "HX-3005w"))
        == "expected the document accepted, observed it rejected with HX-2001"
    )


def test_errors_are_listed_once_in_order():
    assert errors_of(findings("HX-2", "HX-1", "HX-3w", "HX-2")) == ("HX-2", "HX-1")


PLACE = WhereText(line=9, near="birch", value="maple")


@pytest.mark.parametrize(
    ("found", "says"),
    [
        pytest.param({"line": 9, "near": "node 'birch'", "value": "maple"}, None, id="words"),
        pytest.param({"line": 8, "near": "birch", "value": "maple"}, "observed line 8", id="line"),
        pytest.param({"line": 9, "near": "birch", "value": "oak"}, "value 'oak'", id="value"),
        pytest.param({"line": 9, "value": "maple"}, "near None", id="no-id"),
        pytest.param({}, "observed line None, near None, value None", id="code-only"),
    ],
)
def test_place_of_the_finding_is_compared(found, says):
    told = misplaced(case(codes=("HX-2001",), where=PLACE), [Finding("HX-2001", **found)])

    assert (told is None) if says is None else says in told


WITHIN = b"""<harness id="h"><nodes>
<node id="n"
><inputs>
<input
name="i"/></inputs></node>
</nodes></harness>"""


@pytest.mark.parametrize(("line", "accepted"), [(5, True), (3, True), (4, False), (1, False)])
def test_line_may_be_that_of_the_element_with_an_id_around(line, accepted):
    subject = case(codes=("HX-2001",), where=WhereText(line=5))
    subject = msgspec.structs.replace(subject, document=WITHIN)

    assert accepted == (misplaced(subject, [Finding("HX-2001", line=line)]) is None)


def test_what_a_valid_document_is_rejected_for_is_told_with_its_place():
    given = [Finding("HX-2001", line=4, near="birch", value="oak"), *findings("HX-3101")]
    told = judge_findings(case("valid"), given)

    assert told.endswith("rejected with HX-2001 (line 4, near 'birch', value 'oak'), HX-3101")


def test_advised_warning_that_is_missing_is_a_note():
    advised = case("valid", warnings=("HX-3005",))

    assert {"warning-missing HX-3005": 1} == missing_advice(advised, [])
    assert {} == missing_advice(advised, findings("HX-3005w"))


HUGE = "x" * 900_000


@pytest.mark.parametrize(
    ("subject", "given"),
    [
        pytest.param(case("valid"), findings(HUGE), id="code of a valid document"),
        pytest.param(case(codes=("HX-2001",)), findings(HUGE), id="another code"),
        pytest.param(case(codes=("HX-2001",)), findings("HX-2001", HUGE), id="one code too many"),
        pytest.param(
            case(codes=("HX-2001",)), findings(*map(str, range(45_000))), id="very many codes"
        ),
        pytest.param(
            case(codes=("HX-2001",), where=WhereText(near="a", value="b")),
            [Finding("HX-2001", near=HUGE, value=HUGE)] * 45,
            id="places",
        ),
    ],
)
def test_what_is_shown_of_findings_has_a_bound(subject, given):
    fault = judge_findings(subject, given) or misplaced(subject, given)

    assert fault.startswith("expected ")
    assert len(fault) < 5000

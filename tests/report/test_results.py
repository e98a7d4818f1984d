import msgspec
import pytest

from comparator.difference import Reading
from suite.protocol.exchange import Exchange
from suite.protocol.messages import Finding
from suite.report.results import (
    Footer,
    Header,
    Record,
    ResultsError,
    ResultsWriter,
    decode_record,
    encode_record,
    read_results,
    record_of,
)
from suite.verdict.judge import judge
from suite.verdict.verdict import Verdict
from tests.verdict_builder import describe, ended, execution, pair_messages, run_messages

HEADER = Header(
    tool="0.1.0",
    corpus="0.1.0",
    digest="sha256:0",
    implementation=describe(),
    mode="full control",
    options={"limit": 10},
    started="2026-01-01T00:00:00Z",
)
PASS = Record(id="a", status="pass")
FAIL = Record(id="b", status="fail", reason="no")


def lines(*values) -> bytes:
    return b"".join(msgspec.json.encode(v) + b"\n" for v in values)


def footer(*, complete: bool = True, **counts: int) -> Footer:
    return Footer(counts=counts, complete=complete, finished="2026-01-01T00:00:01Z")


def test_a_run_is_written_line_by_line_and_read_back(tmp_path):
    path = tmp_path / "deep" / "results.jsonl"
    with ResultsWriter(path, HEADER) as writer:
        writer.append(PASS)
        assert read_results(path).records == {"a": PASS}
        writer.append(FAIL)
        writer.finish(complete=True, finished="2026-01-01T00:00:01Z")
    results = read_results(path)

    assert results.header == HEADER
    assert results.records == {"a": PASS, "b": FAIL}
    assert results.footer == Footer(
        counts={"pass": 1, "fail": 1}, complete=True, finished="2026-01-01T00:00:01Z"
    )
    assert results.complete
    assert len(path.read_bytes().splitlines()) == 4


@pytest.mark.parametrize(
    ("data", "records"),
    [
        pytest.param(lines(HEADER, PASS), 1, id="no-footer"),
        pytest.param(lines(HEADER, PASS) + b'{"type":"scen', 1, id="torn"),
        pytest.param(lines(HEADER), 0, id="only-the-header"),
        pytest.param(
            lines(HEADER, PASS, footer(complete=False, **{"pass": 1})), 1, id="part-of-the-corpus"
        ),
        pytest.param(
            lines(HEADER, PASS, footer(**{"pass": 1})) + b"{", 1, id="torn-after-the-footer"
        ),
    ],
)
def test_a_run_that_was_broken_off_is_incomplete(data, records):
    results = read_results(data)

    assert not results.complete
    assert len(results.records) == records


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        pytest.param(b"", "line 1: expected the header", id="empty"),
        pytest.param(lines(PASS), "line 1: expected the header", id="no-header"),
        pytest.param(lines(HEADER, HEADER), "line 2: expected nothing more", id="two-headers"),
        pytest.param(
            lines(HEADER, footer(), PASS),
            "line 3: expected nothing more, observed a record",
            id="r",
        ),
        pytest.param(
            lines(HEADER, PASS, footer(**{"pass": 2})),
            "line 3: expected counts of 1 records",
            id="counts",
        ),
        pytest.param(lines(HEADER) + b"what\n", "line 2: ", id="no-json"),
        pytest.param(lines(HEADER) + b'{"type":"odd"}\n', "line 2: ", id="unknown-kind"),
        pytest.param(
            lines(HEADER) + b'{"type":"scenario","id":"a","status":"good"}\n',
            r"line 2: Invalid enum value 'good'",
            id="unknown-status",
        ),
    ],
)
def test_what_is_no_results_file_is_refused(data, sentence):
    with pytest.raises(ResultsError, match=sentence):
        read_results(data)


def test_what_others_do_to_the_file_is_told_and_undone(tmp_path):
    path = tmp_path / "results.jsonl"
    with ResultsWriter(path, HEADER) as writer:
        writer.append(FAIL)
        path.unlink()
        writer.append(PASS)
        damage = writer.finish(complete=True, finished="2026-01-01T00:00:01Z")
    results = read_results(path)

    assert f"{path}: deleted during the run; it was written again" == damage
    assert ({"a": PASS, "b": FAIL}, True) == (results.records, results.complete)


EVIL = "\x1b]0;owned\x07\u202ertl\nlevel: Full reached"
SHOWN = "\\x1b]0;owned\\x07\\u202ertl\\nlevel: Full reached"


def test_words_of_a_runtime_steer_no_terminal_and_begin_no_line():
    verdict = Verdict(scenario="a", status="fail", reason=EVIL, text=("one", EVIL))
    record = record_of(verdict)
    made = Record(id="a", status="fail", reason=EVIL, text=(EVIL,))
    changed = msgspec.structs.replace(PASS, reason=EVIL)
    read = decode_record(
        msgspec.json.encode({"type": "scenario", "id": "a", "status": "fail", "text": [EVIL]})
    )

    assert (SHOWN, ("one", SHOWN)) == (record.reason, record.text)
    assert (SHOWN, (SHOWN,)) == (made.reason, made.text)
    assert (SHOWN, (SHOWN,)) == (changed.reason, read.text)


def test_a_record_is_enough_to_judge_again():
    scenario = execution()
    exchange = ended(*run_messages(*pair_messages()), stderr_tail="tail", seconds=0.5)
    verdict = judge(scenario, None, exchange, describe())
    record = decode_record(encode_record(record_of(verdict, exchange)))

    assert record.exchange() == exchange
    assert judge(scenario, None, record.exchange(), describe()) == verdict
    assert record.verdict() == verdict
    assert record.stderr == "tail"
    assert record.seconds == 0.5


def test_a_refusal_can_be_judged_again():
    exchange = Exchange(
        kind="findings", transcript=ended().transcript, findings=(Finding("HX-2001"),)
    )
    verdict = judge(execution(), None, exchange, describe())
    record = decode_record(encode_record(record_of(verdict, exchange)))

    assert judge(execution(), None, record.exchange(), describe()) == verdict


def test_a_scenario_that_did_not_run_has_no_exchange():
    verdict = Verdict(
        scenario="a",
        status="not-run",
        reason="why",
        cites=("r",),
        readings=(Reading("A1", "a", preferred=True),),
        notes={"n": 1},
        unjudged=("w",),
        text=("t",),
    )
    record = decode_record(encode_record(record_of(verdict)).decode())

    assert record.exchange() is None
    assert record.verdict() == verdict


def test_no_record_is_told():
    with pytest.raises(ResultsError, match="record: "):
        decode_record(b"{}")


HUGE = "x" * 900_000


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"reason": HUGE}, id="reason"),
        pytest.param({"text": (HUGE,)}, id="line"),
        pytest.param({"text": ("", "y") * 50_000}, id="many short lines"),
        pytest.param({"text": (HUGE,) * 100}, id="many long lines"),
        pytest.param({"detail": HUGE}, id="detail"),
    ],
)
def test_what_is_shown_of_a_record_has_a_bound(fields):
    record = Record(id="a", status="fail", **fields)

    assert len(encode_record(record)) < 40_000
    assert record == decode_record(encode_record(record))
    assert max(map(len, (record.reason, *record.text))) <= 1000


def test_lines_that_are_left_out_are_counted():
    record = Record(id="a", status="fail", text=("y" * 99,) * 1000)

    assert "… and 841 more lines" == record.text[-1]
    assert 1000 == len(record.text) - 1 + 841


def test_an_explanation_of_usual_length_is_whole():
    text = tuple(f"line {number}" for number in range(500))

    assert text == Record(id="a", status="fail", text=text).text


def test_the_exit_code_of_a_run_that_broke_off_is_kept(tmp_path):
    path = tmp_path / "results.jsonl"
    with ResultsWriter(path, HEADER) as writer:
        writer.finish(complete=False, finished="2026-01-01T00:00:01Z", code=2)

    assert 2 == read_results(path).footer.code

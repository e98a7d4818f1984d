"""What a program is started with, and what is made of its words when it starts or is over."""

import sys
import time

import pytest

from suite.corpus.plan import Plan
from suite.protocol.exchange import AdapterDidNotStart
from suite.protocol.runtime import open_runtime

HEAD = """
import json, os, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
def describe(id, **more):
    say(**{"type": "description", "id": id, "protocol": 1, "name": "p", "version": "1",
           "levels": ["core"], "control": "scripted", **more})
def end(id):
    say(type="end", id=id, n=1, messages=1, outcome="succeeded")
"""

LOOP = """
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "describe":
        describe(request["id"], {described})
    elif request["type"] == "run":
        {run}
    elif request["type"] == "stop":
        break
"""


@pytest.fixture
def opened(tmp_path):
    """Open a runtime whose program is the given text."""

    def opened(text):
        path = tmp_path / "program.py"
        path.write_text(HEAD + text, encoding="utf-8")
        return open_runtime(f"cmd:{sys.executable} {path}")

    return opened


def run(runtime):
    return runtime.run(b"", {}, Plan(), 3.0)


def test_id_of_the_running_test_is_not_told(opened, monkeypatch):
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "execution/joins/all-diamond.trace")
    told = 'version=",".join(name for name in os.environ if name.startswith("PYTEST"))'
    with opened(LOOP.format(described=told, run="end(request['id'])")) as runtime:
        version = runtime.description.version

    assert "" == version


def test_other_description_at_a_later_start_is_refused(opened, tmp_path):
    mark = tmp_path / "started"
    text = LOOP.format(
        described=f"version=str(os.path.exists({str(mark)!r}))",
        run=f"open({str(mark)!r}, 'w').close(); os._exit(1)",
    )
    with opened(text) as runtime:
        crashed, refused = run(runtime), run(runtime)

    assert "crash" == crashed.kind
    assert ("crash", "expected the description of the first start, observed other version") == (
        refused.kind,
        refused.detail,
    )


@pytest.mark.parametrize(
    "name", ["a\\nlevel: Full reached", "\\x1b[2J", "acme\\u202egpj", "a\\u200bb"]
)
def test_name_that_would_steer_the_terminal_is_refused(opened, name):
    text = LOOP.format(described=f'name="{name}"', run="end(request['id'])")
    with pytest.raises(AdapterDidNotStart, match="name"):
        opened(text)


AFTER = [
    pytest.param("end(request['id'])", "protocol-error", id="message"),
    pytest.param("os._exit(3)", "crash", id="exit"),
]


@pytest.mark.parametrize(("after", "kind"), AFTER)
def test_what_follows_an_answer_belongs_to_its_request(opened, after, kind):
    text = LOOP.format(described="", run=f"end(request['id']); time.sleep(0.1); {after}")
    with opened(text) as runtime:
        first = run(runtime)
        time.sleep(0.5)
        second = run(runtime)
        late, none = runtime.take_late(), runtime.take_late()

    assert ("ended", "ended", kind, None) == (first.kind, second.kind, late.kind, none)


def test_message_of_an_earlier_request_spoils_no_later_one(opened):
    text = LOOP.format(
        described="",
        run="if request['id'] == 3: end(2)\n        end(request['id'])",
    )
    with opened(text) as runtime:
        first, second = run(runtime), run(runtime)
        late = runtime.take_late()

    assert ("ended", "ended", "protocol-error") == (first.kind, second.kind, late.kind)
    assert late.detail.startswith("request 2 had ended, nothing more of it is expected")


#: Where a message of an earlier request may come between those of a later one.
BETWEEN = [
    pytest.param("end(2); end(request['id'])", id="before the answer"),
    pytest.param("end(request['id']); end(2)", id="with the answer"),
    pytest.param("end(request['id']); time.sleep(0.1); end(2)", id="after the answer"),
]


@pytest.mark.parametrize("between", BETWEEN)
def test_late_message_belongs_to_the_request_that_it_names(opened, between):
    text = LOOP.format(
        described="",
        run=f"if request['id'] == 4: {between}\n        else: end(request['id'])",
    )
    with opened(text) as runtime:
        group = runtime._wire.group
        kinds = [run(runtime).kind for _ in range(3)]
        time.sleep(0.3)
        kinds.append(run(runtime).kind)
        late, none = runtime.take_late(), runtime.take_late()
        same = group == runtime._wire.group

    assert (["ended"] * 4, None, True) == (kinds, none, same)
    assert ("protocol-error", 3) == (late.kind, late.ago)


def test_late_messages_of_several_requests_are_told_once_each(opened):
    text = LOOP.format(
        described="",
        run="for id in (2, 3, 2, 3) if request['id'] == 5 else (): end(id)\n"
        "        end(request['id'])",
    )
    with opened(text) as runtime:
        kinds = [run(runtime).kind for _ in range(4)]
        late = [runtime.take_late() for _ in range(3)]

    assert ["ended"] * 4 == kinds
    assert [3, 2] == [each.ago for each in late[:2]]
    assert late[2] is None


def test_second_description_is_no_message_of_an_earlier_case(opened):
    text = LOOP.format(
        described="",
        run="if request['id'] == 4: describe(1)\n        end(request['id'])",
    )
    with opened(text) as runtime:
        kinds = [run(runtime).kind for _ in range(3)]
        late = runtime.take_late()

    assert (["ended", "ended", "protocol-error"], None) == (kinds, late)


def test_empty_line_after_an_answer_is_noticed(opened):
    text = LOOP.format(described="", run="end(request['id']); time.sleep(0.1); print(flush=True)")
    with opened(text) as runtime:
        run(runtime)
        time.sleep(0.3)
        run(runtime)
        late = runtime.take_late()

    assert ("protocol-error", 1) == (late.kind, late.ago)


LAST = [
    pytest.param("end(request['id']); end(request['id'])", "time.sleep(0)", "protocol-error"),
    pytest.param("end(request['id'])", "end(2)", "protocol-error"),
    pytest.param("end(request['id'])", "print('half', end='', flush=True)", "protocol-error"),
    pytest.param("end(request['id'])", "os._exit(3)", "crash"),
    pytest.param("end(request['id']); time.sleep(0.02); os._exit(0)", "time.sleep(0)", "crash"),
    pytest.param("end(request['id'])", "sys.exit(0)", None),
    pytest.param("end(request['id'])", "time.sleep(60)", None),
]


@pytest.mark.parametrize(
    ("answer", "stop", "kind"),
    LAST,
    ids=["twice", "at stop", "half a line", "exit code", "exit", "well", "has to be killed"],
)
def test_what_follows_the_last_answer_is_noticed_when_it_is_stopped(opened, answer, stop, kind):
    text = LOOP.replace("break", "{stop}; break").format(described="", run=answer, stop=stop)
    with opened(text) as runtime:
        seen = run(runtime)
    late = runtime.take_late()
    kinds = [None if late is None else late.kind, seen.kind]

    assert kind in ([kinds[0]] if kind is None else kinds)

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


@pytest.mark.parametrize("name", ["a\\nlevel: Full reached", "\\x1b[2J"])
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

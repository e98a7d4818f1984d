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


def test_message_long_after_the_end_is_noticed_with_its_request(opened):
    late = "end(request['id']); time.sleep(0.1); end(request['id'])"
    with opened(LOOP.format(described="", run=late)) as runtime:
        first = run(runtime)
        time.sleep(0.3)
        second = run(runtime)

    assert "ended" == first.kind
    assert "protocol-error" == second.kind
    assert second.detail.startswith("request 2 had ended, nothing more of it is expected")


def test_what_a_dying_program_said_cannot_steer_the_terminal(opened):
    last = r"sys.stderr.write('\x1b[2Jbye\n'); sys.stderr.flush(); os._exit(1)"
    with opened(LOOP.format(described="", run=last)) as runtime:
        exchange = run(runtime)

    assert r"\x1b[2Jbye" == exchange.stderr_tail.strip()


def test_line_that_names_the_error_is_told_when_a_program_does_not_start(opened):
    words = "node:internal\\nError: Cannot find module 'x'\\n  at y (z:1)\\n\\nNode.js v20\\n"
    with pytest.raises(AdapterDidNotStart, match="Error: Cannot find module 'x'"):
        opened(f'sys.stderr.write("{words}"); sys.exit(1)')

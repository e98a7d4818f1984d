"""Lines to messages, or to a hint."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suite.protocol.breach import Breach
from suite.protocol.decode import DEEPEST, decode, tag_of
from suite.protocol.messages import Invoke


def invoke(inputs: str) -> bytes:
    return f'{{"type":"invoke","id":1,"n":1,"call":1,"node":"a","inputs":{inputs}}}'.encode()


@given(st.binary(max_size=60))
def test_no_line_breaks_the_reader(line):
    with pytest.raises(Breach, match=r".") as caught:
        decode(line)

    assert "\n" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.dictionaries(st.text(), JSON, max_size=3))
def test_inputs_arrive_as_they_were_sent(inputs):
    message = decode(invoke(json.dumps(inputs)))

    assert isinstance(message, Invoke)
    assert inputs == message.inputs


def test_values_may_nest_to_the_limit():
    deep = "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)

    assert "invoke" == tag_of(decode(invoke(f'{{"x":{deep}}}')))


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (b"{}", "missing required field `type`"),
        (b'"x"', "text on standard output|not a message"),
        (b"{'type': 'end'}", "not JSON"),
        (b'{"type":"end"}', "missing required field `id`"),
        (b'{"type":"end","id":0,"n":1,"messages":1}', "`int` >= 1"),
        (b'{"type":"end","id":1,"n":1,"messages":1,"outcome":"done"}', "'done'"),
        (b'{"type":"run","id":1}', "unknown message type"),
        (invoke('{"x":' + "9" * 5000 + "}"), "."),
        (invoke('{"x":"\\ud800"}'), "a lone surrogate in a string"),
        (invoke('{"x":"\\uDFFF"}'), "a lone surrogate in a string"),
        (invoke('{"x":"\\ud800\\ud800"}'), "a lone surrogate in a string"),
        (invoke('{"x":"\\ud800\\n"}'), "a lone surrogate in a string"),
        (invoke('{"x":"\\ud800 and more"}'), "a lone surrogate in a string"),
        (invoke('{"x":"\\ud83d\\ude00\\udc00"}'), "a lone surrogate in a string"),
        (b'{"message":"\\ud800","type":"fault","id":1}', "a lone surrogate in a string"),
        (b'{"x":"\\ud800","type":"fault","id":1}', "a lone surrogate in a string"),
        (b'{"type":"fault","id":1,"message":"\\ud83d\\ude00', "half a JSON value"),
        (b'{"type":"fault","id":1,"message":"\\ud83d', "half a JSON value"),
        (b'{"type":"fault","id":1,"message":"\\ud83d\\ude', "half a JSON value"),
        (b'{"type":"fault","id":1,"message":"\\\\ud83d', "half a JSON value"),
        (b"\xef\xbb\xbf" + invoke("{}"), "a byte order mark before the message"),
        (b" \xef\xbb\xbf{}", "a byte order mark before the message"),
        (invoke('{"x":' + "[" * DEEPEST + "]" * DEEPEST + "}"), "nested deeper than 64"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_hint_names_the_mistake(line, hint):
    with pytest.raises(Breach, match=hint):
        decode(line)

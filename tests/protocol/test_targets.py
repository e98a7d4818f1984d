"""Values of ``--runtime``."""

import pytest

from suite.protocol.exchange import TargetError
from suite.protocol.runtime import open_runtime
from suite.protocol.targets import CommandTarget, PythonTarget, parse_target


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("adapter:pkg.mod", PythonTarget("pkg.mod", "adapter")),
        ("adapter:pkg.mod:Thing.inner", PythonTarget("pkg.mod", "Thing.inner")),
        ("pkg.mod:thing", PythonTarget("pkg.mod", "thing")),
        ("cmd:node 'my file.js' -v", CommandTarget(("node", "my file.js", "-v"))),
        ("cmd:./a:b", CommandTarget(("./a:b",))),
    ],
    ids=str,
)
def test_target_is_read(text, expected):

    assert expected == parse_target(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a scheme or an attribute is missing"),
        ("pkg.mod", "a scheme or an attribute is missing"),
        ("adapter:", "'' is not a module"),
        ("adapter:a-b", "'a-b' is not a module"),
        ("adapter:a:b:c", "'a:b:c' is not a module"),
        ("http://x", "'http://x' is not a module"),
        ("cmd:", "no program is named"),
        ("cmd:a 'b", "cannot be split"),
    ],
    ids=str,
)
def test_wrong_target_is_one_line(text, reason):
    with pytest.raises(TargetError, match=reason) as caught:
        parse_target(text)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("target", "options", "reason"),
    [
        ("cmd:x", {"in_process": True}, "--hx-in-process goes with Python objects"),
        ("cmd:x", {"python": "python3"}, "--hx-python goes with Python objects"),
        ("a:b", {"python": "python3", "in_process": True}, "exclude each other"),
    ],
    ids=["command-in-process", "command-python", "both"],
)
def test_options_that_do_not_go_together_are_one_line(target, options, reason):
    with pytest.raises(TargetError, match=reason):
        open_runtime(target, **options)

"""What the command line is given: companions are found where they are, and nothing else is."""

import re

import pytest

from reference_runtime.given import GivenError, read_companions, read_file, read_plan_of
from tests.strategies_runtime import document, harness


def naming(*hrefs):
    """A document with a subworkflow for each of the URIs."""
    return document(
        "\n".join(f"s{n}:subworkflow <subworkflow href='{href}'/>" for n, href in enumerate(hrefs))
    )


def test_companions_are_found_beside_the_document_and_beside_each_other(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b").write_bytes(naming("c"))
    (tmp_path / "sub" / "c").write_bytes(document("x"))
    main = naming("sub/b")

    assert {"sub/b": naming("c"), "sub/c": document("x")} == read_companions(
        tmp_path / "a", main, []
    )


@pytest.mark.parametrize(
    "href",
    ["x" * 5000, "urn:a", "file:///etc/passwd", "/etc/passwd", "//host/x", "no", "?x", "a%00b"],
    ids=lambda href: href[:20],
)
def test_uri_that_leads_to_no_file_is_left_out(tmp_path, href):
    assert {} == read_companions(tmp_path / "a", naming(href), [])


def test_companion_that_was_named_is_read_and_has_the_first_word(tmp_path):
    (tmp_path / "b").write_bytes(document("x"))
    (tmp_path / "other").write_bytes(document("y"))
    named = [f"b={tmp_path / 'other'}", f"urn:x={tmp_path / 'b'}"]

    assert {"b": document("y"), "urn:x": document("x")} == read_companions(
        tmp_path / "a", naming("b", "urn:x"), named
    )


def test_companion_under_a_uri_that_is_none_leads_nowhere(tmp_path):
    (tmp_path / "b").write_bytes(naming("c"))
    named = [f"//[={tmp_path / 'b'}"]

    assert {"//[": naming("c")} == read_companions(tmp_path / "a", naming("x"), named)


@pytest.mark.parametrize("named", ["b", "=b", ""])
def test_companion_needs_uri_and_file(tmp_path, named):
    with pytest.raises(GivenError, match=re.escape(f"expected URI=FILE, observed {named!r}")):
        read_companions(tmp_path / "a", naming("b"), [named])


def test_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(GivenError, match="missing: No such file"):
        read_file(tmp_path / "missing")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("p.json", b'{"answers": [{"node": "a", "result": "ok", "after": Infinity}]}', "seconds"),
        ("p.json", b"9" * 5000, "line 1: a number has more than 4,300 digits"),
        ("p.toml", b"x = 1", "unknown key 'x'"),
        ("p.txt", b"a ok \xff", "not UTF-8 at byte 5"),
    ],
)
@pytest.mark.parametrize("public", [False, True], ids=["own", "public"])
def test_plan_with_a_fault_is_one_line_with_the_file(tmp_path, name, content, words, public):
    path = tmp_path / name
    path.write_bytes(content)
    given = (None, path) if public else (path, None)
    if public and "UTF" not in words:
        words = "line 1: "

    with pytest.raises(
        GivenError, match=f"^{re.escape(str(path))}: .*{re.escape(words)}"
    ) as caught:
        read_plan_of(*given, harness("a b"))

    assert "\n" not in str(caught.value)

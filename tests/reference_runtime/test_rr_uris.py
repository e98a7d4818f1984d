"""What references to documents resolve to, in one spelling (RFC 3986)."""

import pytest

from reference_runtime.validation.uris import is_beside, resolve

BASE = "http://a/b/c/d;p?q"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y#s", "http://a/b/c/g?y"),
        ("", BASE),
        ("#s", BASE),
        (".", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("..g", "http://a/b/c/..g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
    ],
)
def test_examples_of_the_standard(reference, expected):
    assert expected == resolve(BASE, reference)


@pytest.mark.parametrize(
    ("base", "reference", "expected"),
    [
        ("", "", ""),
        ("", "#d", ""),
        ("", "./a", "a"),
        ("", "x/../a", "a"),
        ("", "x/..", "./"),
        ("", "..//x", "..//x"),
        ("", "./a:b", "./a:b"),
        ("../x/a", "../y/b", "../y/b"),
        ("../../a", "../b", "../../../b"),
        ("sub/a", "/b", "/b"),
        ("", " a b\n", "a%20b"),
        ("", "%7Ea%2f", "~a%2F"),
        ("", "file:/x", "file:///x"),
        ("", "FILE://LOCALHOST/x", "file:///x"),
        ("file:///x/a", "b", "file:///x/b"),
        ("flow://X/a", "b", "flow://x/b"),
        ("http://h", "b", "http://h/b"),
        ("", "https://u:P@H:443/b", "https://u:P@h/b"),
        ("", "urn:a:../b", "urn:a:../b"),
        ("", "http://[", "http://[/"),
    ],
)
def test_relative_and_odd_ones(base, reference, expected):
    assert expected == resolve(base, reference)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [("a", True), ("a?b/c", True), ("sub/a", False), ("../a", False), ("urn:a", False)],
)
def test_what_stands_in_the_same_folder(uri, expected):
    assert expected == is_beside(uri)

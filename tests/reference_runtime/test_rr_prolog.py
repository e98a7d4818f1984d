"""What never reaches the XML parser."""

import pytest

from reference_runtime.document.prolog import MAX_BYTES, check_prolog

DOCTYPES = {
    "plain": b"<!DOCTYPE harness><harness/>",
    "after declaration": b'<?xml version="1.0"?>\n<!DOCTYPE harness SYSTEM "file:///etc/passwd"><a/>',
    "after comments": b"<!-- <a> -->\n<?p i?>\n  <!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
    "after mark": b"\xef\xbb\xbf<!DOCTYPE a><a/>",
    "unfinished": b"<!DOCTYPE",
}


@pytest.mark.parametrize("text", DOCTYPES.values(), ids=DOCTYPES)
def test_doctype_is_refused_at_its_place(text):
    fault = check_prolog(text)
    line = text.removeprefix(b"\xef\xbb\xbf").split(b"<!DOCTYPE", maxsplit=1)[0].count(b"\n") + 1

    assert fault is not None
    assert ("HX-1001", "<!DOCTYPE", line) == (fault.code, fault.value, fault.line)
    assert fault.message.endswith("Remove it. Nothing after this place was checked.")


@pytest.mark.parametrize("text", [b"<a><!-- <!DOCTYPE a> --></a>", b"<a b='<!DOCTYPE a>'/>"])
def test_doctype_inside_the_root_is_the_parsers_affair(text):
    assert check_prolog(text) is None


ENCODINGS = {
    "utf-16 with mark": ("<a/>".encode("utf-16"), "UTF-16"),
    "utf-16 without mark": ("<a/>".encode("utf-16-le"), "UTF-16"),
    "utf-16 big endian": ("<a/>".encode("utf-16-be"), "UTF-16"),
    "utf-32": ("<a/>".encode("utf-32"), "UTF-32"),
    "utf-32 big endian": ("<a/>".encode("utf-32-be"), "UTF-32"),
    "ebcdic": ("<?xml version='1.0'?><a/>".encode("cp500"), "EBCDIC"),
    "latin-1 declared": (b'<?xml version="1.0" encoding="ISO-8859-1"?><a/>', "ISO-8859-1"),
    "ascii declared": (b"<?xml version='1.0' encoding='us-ascii'?><a/>", "us-ascii"),
    "utf-16 declared, utf-8 bytes": (b'<?xml version="1.0" encoding="utf-16"?><a/>', "utf-16"),
    "bytes that are not utf-8": (b'<a b="\xe9"/>', "0xe9"),
    "half a character": ("<a>ü".encode()[:-1], "0xc3"),
    "surrogate": (b"<a>\xed\xa0\x80</a>", "0xed"),
    "overlong": (b"<a>\xc0\xaf</a>", "0xc0"),
}


@pytest.mark.parametrize(("text", "value"), ENCODINGS.values(), ids=ENCODINGS)
def test_other_encodings_are_refused(text, value):
    fault = check_prolog(text)

    assert fault is not None
    assert ("HX-1005", value) == (fault.code, fault.value)
    assert "UTF-8" in fault.message


@pytest.mark.parametrize(
    "text",
    [
        b"<a/>",
        b"\xef\xbb\xbf<a/>",
        b'<?xml version="1.0" encoding="UTF-8"?><a/>',
        b"<?xml version='1.0' encoding='utf-8' standalone='yes'?><a/>",
        "<a b='ü€𝄞'/>".encode(),
        b"",
    ],
)
def test_utf8_is_accepted_with_and_without_declaration_and_mark(text):
    assert check_prolog(text) is None


def test_place_counts_characters():
    fault = check_prolog("<a>\n€€".encode() + b"\xff")

    assert fault is not None
    assert (2, 3) == (fault.line, fault.column)


def test_size_is_bounded():
    text = b"<a>" + b" " * MAX_BYTES + b"</a>"
    fault = check_prolog(text)

    assert check_prolog(text[: MAX_BYTES - 4]) is None
    assert fault is not None
    assert ("HX-1001", 1) == (fault.code, fault.line)
    assert f"at most {MAX_BYTES} are read" in fault.message

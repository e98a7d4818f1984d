"""Spelling of the schema's simple types."""

import sys

import pytest

from reference_runtime.document import lexical
from reference_runtime.document.lexical import LexicalError

DAY, HOUR, MINUTE = 86400.0, 3600.0, 60.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT0S", 0.0),
        ("PT1.5S", 1.5),
        ("P1DT2H", DAY + 2 * HOUR),
        ("P3D", 3 * DAY),
        ("PT1M", MINUTE),
        ("P0DT1H1M1.25S", HOUR + MINUTE + 1.25),
        (" \t\nPT1H\r ", HOUR),
    ],
)
def test_duration_in_seconds(text, seconds):
    assert seconds == lexical.read_duration(text)


@pytest.mark.parametrize("text", ["P1Y", "P1M", "P1Y2M3DT4H", "P0M", "-P1Y", "P2MT3S"])
def test_calendar_duration_has_its_own_code(text):
    with pytest.raises(LexicalError, match="days, hours, minutes and seconds only") as caught:
        lexical.read_duration(text)

    assert caught.value.code == "HX-3401"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "P",
        "PT",
        "P1DT",
        "PT.5S",
        "PT1.S",
        "-PT1S",
        "P1W",
        "1S",
        "PT1",
        "PT1H1D",
        "P 1D",
        "PT1H2H",
    ],
)
def test_other_durations_are_plain_schema_faults(text):
    with pytest.raises(LexicalError, match="a duration such as") as caught:
        lexical.read_duration(text)

    assert caught.value.code == "HX-1001"


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("1", True), ("false", False), ("0", False), ("\n true\t", True)],
)
def test_boolean_forms(text, value):
    assert value is lexical.read_boolean(text)


@pytest.mark.parametrize("text", ["", "True", "yes", "TRUE", "01", "tru e"])
def test_other_booleans_are_refused(text):
    with pytest.raises(LexicalError, match="true, false, 1 or 0"):
        lexical.read_boolean(text)


@pytest.mark.parametrize(("text", "value"), [("1", 1), ("+7", 7), ("0012", 12), (" 3 ", 3)])
def test_positive_integer_forms(text, value):
    assert value == lexical.read_positive(text)


@pytest.mark.parametrize("text", ["0", "000", "-1", "1.0", "1e3", "", "one", "٣", "1_000"])
def test_other_integers_are_refused(text):
    with pytest.raises(LexicalError, match="at least 1"):
        lexical.read_positive(text)


def test_long_integers_are_told_apart():
    assert int("9" * 40) == lexical.read_positive("9" * 40)


def test_endless_integer_is_the_largest_one():
    assert lexical.LARGEST == lexical.read_positive("9" * 10_000)


@pytest.mark.parametrize("sign", ["", "-"])
def test_endless_decimal_stays_finite(sign):
    assert float(f"{sign}{sys.float_info.max}") == lexical.read_decimal(f"{sign}{'9' * 400}")


def test_bound_of_attempts():
    assert [1, 1000] == [lexical.read_max_attempts("1"), lexical.read_max_attempts("1000")]

    with pytest.raises(LexicalError, match="1 to 1000"):
        lexical.read_max_attempts("1001")


@pytest.mark.parametrize(("text", "value"), [("2", 2.0), ("-1.5", -1.5), (".5", 0.5), ("5.", 5.0)])
def test_decimal_forms(text, value):
    assert value == lexical.read_decimal(text)


@pytest.mark.parametrize("text", ["", ".", "1e3", "inf", "NaN", "1,5"])
def test_other_decimals_are_refused(text):
    with pytest.raises(LexicalError, match="a decimal number"):
        lexical.read_decimal(text)


@pytest.mark.parametrize("text", ["a", "_", "A1", "a.b-c_d", "x" * 255])
def test_identifier_forms(text):
    assert text == lexical.read_identifier(text)


@pytest.mark.parametrize("text", ["", "1a", "-a", ".a", "a b", " a", "a ", "é", "a\n", "a:b"])
def test_other_identifiers_are_refused(text):
    with pytest.raises(LexicalError, match="a letter or underscore"):
        lexical.read_identifier(text)


def test_identifier_of_256_characters_is_refused():
    with pytest.raises(LexicalError, match="at most 255 characters, not 256"):
        lexical.read_identifier("x" * 256)


@pytest.mark.parametrize("text", ["1.0", "1.7", "1.123"])
def test_minor_versions_are_read(text):
    assert text == lexical.read_spec_version(text)


@pytest.mark.parametrize("text", ["2.0", "0.9", "1", "1.", "1.0.0", "", "abc", " 1.0"])
def test_other_versions_have_their_own_code(text):
    with pytest.raises(LexicalError, match=r"1\.") as caught:
        lexical.read_spec_version(text)

    assert caught.value.code == "HX-1002"


@pytest.mark.parametrize("text", ["2026-08-04T09:00:00Z", " 2026-08-04T09:00:00.25+02:00 "])
def test_date_time_forms(text):
    assert text.strip() == lexical.read_date_time(text)


@pytest.mark.parametrize("text", ["", "2026-08-04", "2026-13-04T09:00:00Z", "04.08.2026 09:00"])
def test_other_date_times_are_refused(text):
    with pytest.raises(LexicalError, match="a time such as"):
        lexical.read_date_time(text)


def test_type_name_is_not_empty():
    assert lexical.read_data_type("map<string,int>") == "map<string,int>"

    with pytest.raises(LexicalError, match="a type name"):
        lexical.read_data_type("")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2024-02-29T00:00:00",
            "2000-02-29T23:59:59Z",
            "12000-02-29T00:00:00",
            "2026-04-30T24:00:00",
        ),
        *(
            " \n2026-01-31T00:00:00.5+14:00\t",
            "-0001-01-01T00:00:00Z",
            "2026-01-01T24:00:00.00-13:59",
        ),
    ],
)
def test_times_of_the_calendar(text):
    assert text.strip() == lexical.read_date_time(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2026-02-29T00:00:00",
            "1900-02-29T00:00:00",
            "2026-04-31T00:00:00",
            "2026-01-00T00:00:00",
        ),
        *("2026-01-01T24:00:01", "2026-01-01T00:00:00+14:01", "0000-01-01T00:00:00"),
        *("02026-01-01T00:00:00", "026-01-01T00:00:00", "2026-01-01T00:00:60Z"),
    ],
)
def test_times_outside_the_calendar_are_refused(text):
    with pytest.raises(LexicalError, match=r"a time such as|a day from 01 to (28|30|31)"):
        lexical.read_date_time(text)


def test_endless_duration_is_finite():
    longest = lexical.read_duration("PT" + "9" * 400 + "S")

    assert 2.0**63 < longest < float("inf")
    assert 2.0**63 == lexical.read_duration("PT9223372036854775808S")


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "a b", " a ", "{x}|\\^`<>", "é", "a%20b", "#a:b", "?a:b", "a/b:c", "./a:b"),
        *("urn:", "urn:x#y", "a+b.c-d:e", "mailto:a[b]", "https://h/", "http://", "//h:x", "/a:b"),
        *("http://[::1]/", "http://u:p@[::1]:80/x", "https://h:port/x", "http://h:99999999999/"),
        *("s3://b/k?x=1&y=[2]", "#[1]", "http://h/?[#[", "file:///c:/x", "docker://a:1@sha256:0"),
    ],
)
def test_uri_forms(text):
    assert text == lexical.read_uri(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, "two hexadecimal digits") for text in ("100%", "%zz", "http://h/%2", "?%", "#%")),
        *((text, "one # at most") for text in ("a#b#c", "http://h/##")),
        *((text, "a scheme") for text in ("1a:b", ":x", "-a:b", "é:b", "a b:c")),
        *((f"http://{text}/", "around the whole address") for text in ("[", "[::1", "]", "h]")),
        *((f"http://{text}/", "around the whole address") for text in ("[::1]x", "[::1]:x")),
        *((text, "no brackets in a path") for text in ("a[1]", "http://h/a[1]?b", "/[")),
    ],
)
def test_other_uris_are_refused(text, expected):
    with pytest.raises(LexicalError, match=expected) as caught:
        lexical.read_uri(text)

    assert "HX-1001" == caught.value.code

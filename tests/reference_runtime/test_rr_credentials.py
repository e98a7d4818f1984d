"""HX-3501: secrets in a document, sure and suspected, and words that only look like them."""

import pytest

from reference_runtime.validation import validate
from tests.strategies_documents import document

KEY = "A1b2" * 10


def findings(name, value):
    document = f"""<harness xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0">
  <nodes>
    <node id="alder" type="task">
      <config><property name="{name}" value="{value}"/></config>
    </node>
  </nodes>
</harness>"""
    return [
        (finding.code, finding.severity, finding.line)
        for finding in validate(document.encode()).findings
    ]


@pytest.mark.parametrize(
    ("name", "value", "severity"),
    [
        pytest.param("login", "-----BEGIN OPENSSH PRIVATE KEY-----", "error", id="pem"),
        pytest.param("login", "AKIAABCDEFGHIJKLMNOP", "error", id="cloud-key"),
        pytest.param("login", f"ghp_{KEY}", "error", id="forge-token"),
        pytest.param("login", f"Bearer sk-{KEY}", "error", id="model-key"),
        pytest.param("login", f"sk-ant-api03-{KEY}-x_y", "error", id="key-with-hyphens"),
        pytest.param("login", f"sk_live_{KEY}", "error", id="payment-key"),
        pytest.param("login", f"glpat-{KEY}", "error", id="forge-token-with-hyphen"),
        pytest.param("login", "sk-proj-a1b2c3d4e5f6", "warning", id="short-key"),
        pytest.param("login", "hf_a1b2c3d4e5f6a1b2", "warning", id="prefix-and-digits"),
        pytest.param("login", "hf_" + "abCD" * 9, "warning", id="prefix-and-letters"),
        pytest.param("login", f"eyJ{KEY}.eyJ{KEY}.{KEY}", "warning", id="signed-token"),
        pytest.param("login", f"SG.{KEY[:22]}.{KEY}", "warning", id="mail-key"),
        pytest.param("login", "dop_v1_" + "a1" * 32, "warning", id="cloud-token"),
        pytest.param("login", "shpat_" + "a1" * 16, "warning", id="shop-token"),
        pytest.param("login", f"ya29.{KEY}", "warning", id="access-token"),
        pytest.param("header", f"Bearer {KEY}", "warning", id="header-with-token"),
        pytest.param("uri", "https://me:pass@example.org/x", "warning", id="address"),
        pytest.param("password", "hunter2", "warning", id="password"),
        pytest.param("db.api-key", "x", "warning", id="api-key"),
        pytest.param("dbPassword", "x", "warning", id="capital-inside"),
        pytest.param("clientSecret", "x", "warning", id="secret-with-capital"),
        pytest.param("accessToken", "x", "warning", id="token-that-opens"),
        pytest.param("aws_secret_access_key", "x", "warning", id="access-key"),
        pytest.param("PASSWORD", "$ecret", "warning", id="dollar-inside"),
        pytest.param("uri", "redis://:x1@host/0", "warning", id="address-without-user"),
    ],
)
def test_secret_is_found_at_its_line(name, value, severity):

    assert [("HX-3501", severity, 4)] == findings(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("library", "sk-learn", id="library"),
        pytest.param("package", "sk-image-processing-with-networks", id="long-name"),
        pytest.param("uri", "https://example.org:80/x@y", id="address"),
        pytest.param("uri", "postgres://me:${config.p}@h/x", id="address-with-expression"),
        pytest.param("image", "docker://python:3.12@sha256:0f1e2d", id="digest-of-an-image"),
        pytest.param("name", "hf_model_of_many_words_without_digits", id="long-name-with-prefix"),
        pytest.param("text", "-----BEGIN CERTIFICATE-----", id="public"),
        pytest.param("header", "Bearer ${config.t}", id="header-with-expression"),
        pytest.param("header", "Bearer authentication-of-the-client", id="words-about-a-header"),
        pytest.param("code", "SG.12.34", id="short-numbers"),
        pytest.param("password", "", id="empty"),
        pytest.param("tokens", "512", id="plural"),
        pytest.param("stopToken", "END", id="token-of-text"),
        pytest.param("bypass", "true", id="end-of-a-word"),
        pytest.param("passwordPolicy", "strict", id="about-passwords"),
        pytest.param("password", "$PASSWORD", id="variable"),
        pytest.param("password", "$${PASSWORD}", id="escaped-placeholder"),
        pytest.param("password", "{{ vault.db }}", id="placeholder"),
        pytest.param("password", "&lt;your password&gt;", id="to-be-filled-in"),
        pytest.param("id", "AKIAABCDEFGHIJKLMNOPQ", id="too-long"),
    ],
)
def test_what_only_looks_like_a_secret_is_none(name, value):

    assert [] == findings(name, value)


def test_message_does_not_repeat_the_secret():
    document = f"""<harness xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0">
  <nodes>
    <node id="a" type="task"><inputs><input name="x" value="ghp_{KEY}"/></inputs></node>
  </nodes>
</harness>"""
    (finding,) = validate(document.encode()).findings

    assert KEY not in f"{finding.message} {finding.value}"


@pytest.mark.parametrize("value", ["1234", "hunter2", "correct horse battery staple"])
def test_message_shows_nothing_of_a_password(value):
    property_ = f'<config><property name="password" value="{value}"/></config>'
    (finding,) = validate(document(f'<node id="a" type="task">{property_}</node>')).findings

    assert ("HX-3501", "…") == (finding.code, finding.value)
    assert value[:4] not in finding.message


@pytest.mark.parametrize(
    ("resource", "advice"),
    [
        (f'<credential ref="ghp_{KEY}"/>', "Remove it, and name the secret as its store knows it."),
        ('<property name="k" value="AKIAABCDEFGHIJKLMNOP"/>', "Declare a resource with"),
    ],
    ids=["reference", "property"],
)
def test_advice_fits_the_place(resource, advice):
    resources = f'<resources><resource id="r" type="service">{resource}</resource></resources>'
    (finding,) = validate(document(before=resources)).findings

    assert advice in finding.message


@pytest.mark.parametrize(
    "text", ["sk-", "eyJ-", "-----BEGIN ", "a://b:", "ghp_", "SG.a", "shpat_", "Bearer a", "ya29."]
)
def test_long_texts_are_searched_in_linear_time(text):
    assert [] == findings("login", text * 100_000)


@pytest.mark.parametrize(
    ("content", "severity"),
    [
        ('<credential ref="-----BEGIN PRIVATE KEY-----"/>', "error"),
        (f'<credential ref="ghp_{KEY}"/>', "error"),
        ('<credential ref="DB_PASSWORD" store="vault"/>', None),
    ],
    ids=["pem", "key", "reference"],
)
def test_reference_to_a_secret_is_no_secret(content, severity):
    resource = f'<resource id="password" type="service">{content}</resource>'
    text = document(before=f"<resources>{resource}</resources>")

    assert [("HX-3501", severity)] * (severity is not None) == [
        (one.code, one.severity) for one in validate(text).findings
    ]


@pytest.mark.parametrize(
    "before",
    [
        '<resources><resource id="a" type="queue" uri="{}"/></resources>',
        '<artifacts><artifact id="a" type="log" uri="{}"/></artifacts>',
    ],
    ids=["resource", "artifact"],
)
@pytest.mark.parametrize(
    ("uri", "severities"),
    [
        ("https://example.org/x", []),
        ("postgres://me:pass@example.org/x", ["warning"]),
        ("https://example.org/?k=AKIAABCDEFGHIJKLMNOP", ["error"]),
    ],
    ids=["plain", "password", "key"],
)
def test_addresses_hold_no_secret(before, uri, severities):
    found = validate(document(before=before.format(uri))).findings

    assert severities == [one.severity for one in found]


def test_every_shape_contains_a_mark():
    samples = [
        *("-----BEGIN PRIVATE KEY", "AKIA" + "A" * 16, "ASIA" + "A" * 16, f"gho_{KEY}"),
        *("github_pat_" + "a" * 60, f"glpat-{KEY}", f"xoxb-{KEY}", f"sk-{KEY}", f"rk_live_{KEY}"),
        *("AIza" + "a" * 35, f"pk-{KEY}", f"npm_{KEY}", f"hf_{KEY}", "ab://c:d@"),
        *(f"rk-{KEY}", f"sk_{KEY}", f"pk_{KEY}", f"hf-{KEY}", f"eyJ{KEY}.eyJ{KEY}.a"),
    ]

    assert [] == [one for one in samples if not findings("login", one)]

"""What looks like a secret, and what a message shows of it."""

import time

import pytest

from reference_runtime.document.masking import (
    hidden,
    is_perhaps_secret,
    is_secret,
    mask,
    mask_message,
)

KEY = "A1b2" * 10


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("nothing of note", "nothing of note", id="plain"),
        pytest.param(f"Bearer sk-proj-{KEY} x", "Bearer sk-p… x", id="key"),
        pytest.param(f"ghp_{KEY}, ghp_{KEY}", "ghp_…, ghp_…", id="two"),
        pytest.param("redis://u:p@h/0", "redis://…@h/0", id="address"),
        pytest.param("-----BEGIN PRIVATE KEY-----\nMIIE\n", "----…", id="private key"),
        pytest.param("'-----BEGIN PRIVATE KEY-----MI' is", "'----…' is", id="quoted private key"),
        pytest.param("https://example.org:80/x", "https://example.org:80/x", id="port"),
    ],
)
def test_mask(text, shown):
    assert shown == mask(text)
    assert shown == mask(shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("1234", "…"), ("correct horse battery staple", "…"), (f"x ghp_{KEY}", "ghp_…")],
    ids=["short", "long", "key"],
)
def test_hidden_shows_nothing_but_beginnings_of_known_shapes(text, shown):
    assert shown == hidden(text)


def test_quoted_pieces_of_a_secret_are_hidden():
    value = f"${{ghp_{KEY} +}}"
    message = f"'ghp_{KEY[:12]}' and {KEY[:10]!r} do not fit, 'else' does, {'x' * 9!r} does"

    assert "'…' and '…' do not fit, 'else' does, 'xxxxxxxxx' does" == mask_message(message, value)
    assert message == mask_message(message, "harmless")


def test_kinds_of_shapes():
    assert is_secret(f"ghp_{KEY}")
    assert not is_secret("hf_a1b2c3d4e5f6a1b2")
    assert is_perhaps_secret("hf_a1b2c3d4e5f6a1b2")
    assert not is_perhaps_secret("hf-learning")


@pytest.mark.parametrize("piece", ["sk-", "eyJ-", "ghp_", "ab://c:d ", "-----BEGIN PRIVATE KEY"])
def test_endless_texts_are_searched_in_bounded_time(piece):
    def seconds(number):
        before = time.process_time()
        is_secret(piece * number)
        is_perhaps_secret(piece * number)
        return time.process_time() - before

    small, large = seconds(30_000), seconds(1_000_000)

    assert large < 100 * small + 0.1

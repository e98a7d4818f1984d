import pytest

from suite.corpus.durations import DurationError, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        pytest.param("PT0S", 0, id="zero"),
        pytest.param("PT0.05S", 0.05, id="fraction"),
        pytest.param("PT90M", 5400, id="minutes"),
        pytest.param("PT1H1M1S", 3661, id="all-of-the-clock"),
        pytest.param("P2D", 172800, id="days"),
        pytest.param("P1DT2H", 93600, id="days-and-hours"),
    ],
)
def test_durations_are_seconds(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "P", "PT", "P1DT", "1S", "PT1", "P1Y", "P1M", "-PT1S", "PT.5S", "PT1S ", "pt1s"]
)
def test_other_forms_are_refused(text):
    with pytest.raises(DurationError, match="expected a form like PT"):
        parse_duration(text)

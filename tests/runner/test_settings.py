import re

import pytest

from suite.runner.settings import Order, SettingError, Settings, read_settings, rerun_options


def test_defaults():
    assert Settings(target="a:b") == read_settings(
        {"runtime": "a:b", "hx-limit": None, "hx-in-process": False}
    )


def test_every_option_is_read(tmp_path):
    expected = tmp_path / "e.toml"
    expected.touch()
    settings = read_settings(
        {
            "runtime": "a:b",
            "hx-python": "python3",
            "hx-in-process": True,
            "hx-settle": "0.5",
            "hx-limit": "2",
            "hx-level": "executing",
            "hx-order": "shuffle:7",
            "hx-expected": str(expected),
            "hx-results": str(tmp_path / "r.jsonl"),
            "hx-select": ["a", "b"],
            "hx-fuzz": "joins",
            "hx-fuzz-examples": "12",
            "hx-fuzz-seed": "3",
            "hx-fuzz-out": str(tmp_path / "found"),
        }
    )

    assert settings.python.endswith("python3")
    assert (True, 0.5, 2.0) == (settings.in_process, settings.settle, settings.limit)
    assert ("executing", ("core", "executing")) == (settings.level, settings.levels)
    assert Order("shuffle", 7) == settings.order
    assert (expected, tmp_path / "r.jsonl") == (settings.expected, settings.results)
    assert ("a", "b") == settings.select
    assert ("joins", 12, 3) == (settings.fuzz, settings.fuzz_examples, settings.fuzz_seed)
    assert tmp_path / "found" == settings.fuzz_out


@pytest.mark.parametrize("value", ["", "0", "-1", "inf", "nan", "1s"])
def test_seconds_are_above_zero(value):
    with pytest.raises(SettingError, match=r"^--hx-limit: "):
        read_settings({"runtime": "a:b", "hx-limit": value})


@pytest.mark.parametrize("value", ["1.5", "-1", "x", "9" * 19])
def test_seeds_are_whole_numbers(value):
    with pytest.raises(SettingError, match=r"^--hx-fuzz-seed: expected a whole number from 0 on"):
        read_settings({"runtime": "a:b", "hx-fuzz": "joins", "hx-fuzz-seed": value})


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("hx-limit", "soon", "expected seconds above 0, observed 'soon'"),
        ("hx-settle", "nan", "expected seconds above 0, observed 'nan'"),
        ("hx-settle", "", "needs a value"),
        ("hx-select", ["a", ""], "needs a value"),
        ("hx-level", "ful", "one of core, executing, full, observed 'ful'; did you mean full?"),
        ("hx-order", "shuffle", "reverse or shuffle:SEED with a whole number, observed 'shuffle'"),
        ("hx-order", "shuffle:x", "observed 'shuffle:x'"),
        ("hx-python", "/no/such", "'/no/such' is no program that can be run"),
        ("hx-expected", "none.toml", "there is no file 'none.toml'"),
        ("hx-results", "no/such/file", "expected a file in an existing folder, got 'no/such/file'"),
        ("hx-results", ".", "expected a file in an existing folder, got '.'"),
        ("hx-fuzz-examples", "10", "goes with --hx-fuzz=AREA, which is missing"),
        ("hx-fuzz-seed", "1", "goes with --hx-fuzz=AREA, which is missing"),
        ("hx-fuzz-out", "x", "goes with --hx-fuzz=AREA, which is missing"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(name, value, says):
    with pytest.raises(SettingError, match=f"^--{name}: .*{re.escape(says)}$") as raised:
        read_settings({"runtime": "a:b", name: value})

    assert "\n" not in str(raised.value)


def test_the_fuzzer_does_not_write_over_a_file(tmp_path):
    path = tmp_path / "file"
    path.touch()

    with pytest.raises(SettingError, match=r"^--hx-fuzz-out: expected a folder"):
        read_settings({"runtime": "a:b", "hx-fuzz": "joins", "hx-fuzz-out": str(path)})


def test_examples_are_at_least_one():
    with pytest.raises(SettingError, match=r"^--hx-fuzz-examples: expected a whole number from 1"):
        read_settings({"runtime": "a:b", "hx-fuzz": "joins", "hx-fuzz-examples": "0"})


def test_options_that_bear_on_a_verdict_are_repeated_by_the_command_that_runs_it_again():
    given = Settings(target="x:y", python="/py", limit=3.0, settle=0.5, level="core")

    assert () == rerun_options(Settings(target="x:y"))
    assert (
        "--hx-settle=0.5",
        "--hx-limit=3",
        "--hx-python=/py",
        "--hx-level=core",
    ) == rerun_options(given)
    assert ("--hx-in-process",) == rerun_options(Settings(target="x:y", in_process=True))

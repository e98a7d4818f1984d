"""A wrong option is one clear line and exit code 4; test_settings.py has every wrong value."""

import pytest

pytest_plugins = ["pytester"]

REFERENCE = "--runtime=adapter:reference_runtime"
SILENT = "--runtime=cmd:true"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([REFERENCE, "--hx-limit=soon"], "--hx-limit: expected seconds above 0, observed 'soon'"),
        ([REFERENCE, "--hx-settle"], "--hx-settle: needs a value"),
        ([REFERENCE, "--hx-expected=none.toml"], "--hx-expected: there is no file 'none.toml'"),
        ([REFERENCE, "--hx-expected=bad.toml"], "--hx-expected: bad.toml"),
        ([REFERENCE, "--hx-expected=unknown.toml"], "not in this corpus: scenario no/such: fail"),
        ([REFERENCE, "--hx-select"], "--hx-select: needs a value"),
        (
            [REFERENCE, "--hx-select=execution/joins/all-dimond"],
            "case 'execution/joins/all-dimond'; the nearest is execution/joins/all-diamond.trace",
        ),
        ([REFERENCE, "--hx-fuzz=everything"], "--hx-fuzz: unknown fuzz area 'everything'"),
        ([REFERENCE, "--hx-limt=3"], "--hx-limt: no such option; there are --hx-python"),
        (["--runtime"], "--runtime: needs a value"),
        (["--runtime=nonsense"], "--runtime=nonsense: a scheme or an attribute is missing"),
        (["--runtime=adapter:no.such.module"], "No module named 'no'"),
        (["--runtime=cmd:/no/such/program"], "/no/such/program"),
        ([SILENT, "--hx-in-process"], "--hx-in-process goes with Python objects"),
        ([SILENT], "adapter did not start"),
        ([SILENT, "-n", "1"], "adapter did not start"),
        (["--hx-limit=3"], "--hx-limit: goes with --runtime=TARGET, which is missing"),
        (["--hx-select=a"], "--hx-select: goes with --runtime=TARGET, which is missing"),
        (["--hx-in-process"], "--hx-in-process: goes with --runtime=TARGET, which is missing"),
        (["--hx-settle"], "--hx-settle: needs a value"),
        ([REFERENCE, "no-such-path"], "file or directory not found: no-such-path"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_option_is_one_line(pytester, arguments, says):
    entry = '[[expected]]\nscenario = "no/such"\nstatus = "fail"\nreason = "r"\nlink = "l"\n'
    (pytester.path / "bad.toml").write_text("][", encoding="utf-8")
    (pytester.path / "unknown.toml").write_text(entry, encoding="utf-8")
    ran = pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)
    errors = [line for line in ran.errlines if line.startswith("ERROR:")]

    assert 4 == ran.ret
    assert 1 == len(errors)
    assert says in errors[0]
    assert "Traceback" not in ran.stdout.str() + ran.stderr.str()


def test_help_lists_the_options_without_starting_anything(pytester):
    ran = pytester.runpytest_inprocess("--help", "--runtime=adapter:no.such")

    assert 0 == ran.ret
    ran.stdout.fnmatch_lines(["*HarnessXML conformance*", "*--runtime=*", "*--hx-python=*"])

"""First contact: a skeleton in a new folder, and eight scenarios that say what to write next."""

import re
import shutil
import subprocess
import sys

import pytest

from suite.cli.new_adapter import TEMPLATES
from suite.cli.smoke import LADDER
from suite.corpus.catalogue import load_corpus
from tests.pytest_runs import run

LANGUAGES = [
    "python",
    pytest.param(
        "node",
        marks=pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    ),
]


@pytest.fixture(params=LANGUAGES)
def made(request, hxconf, tmp_path, monkeypatch):
    """A fresh skeleton: its language and its folder, which is the working directory."""
    folder = tmp_path / "new" / "adapter"
    code, out, _ = hxconf("new-adapter", "--lang", request.param, folder)
    monkeypatch.chdir(folder)

    assert (0, f"written: {folder}/.github/workflows/conformance.yml") == (code, out[2])
    return request.param, folder


def test_the_skeleton_passes_its_own_test(made):
    language, folder = made
    words = TEMPLATES[language].test.replace("python", sys.executable, 1).split()
    done = subprocess.run(words, cwd=folder, capture_output=True, timeout=60, check=False)

    assert 0 == done.returncode


def test_the_commands_of_the_workflow_are_commands(made):
    language, folder = made
    text = (folder / ".github/workflows/conformance.yml").read_text(encoding="utf-8")
    words = re.findall(r"hxconf-env/bin/hxconf (\w+) --runtime=\"([^\"]*)\"", text)

    assert [("smoke", TEMPLATES[language].target), ("certify", TEMPLATES[language].target)] == words
    assert f"run: {TEMPLATES[language].test}" in text


def test_the_skeleton_climbs_as_far_as_its_toy_engine_goes(made):
    language, folder = made
    ran = run(folder, "smoke", f"--runtime={TEMPLATES[language].target}", module="suite.cli")
    lines = ran.out.splitlines()

    assert 1 == ran.code
    assert [f"{n}. pass: {LADDER[n - 1].says}" for n in (1, 2)] == [
        re.sub(r" \([\d.]+ s\)$", "", line) for line in lines if re.match(r"\d\. pass", line)
    ]
    assert f"   write next: {LADDER[2].next}" in lines
    assert "2 of 8 pass" in lines


def test_nothing_is_overwritten(made, hxconf):
    language, folder = made
    code, _, error = hxconf("new-adapter", "--lang", language, folder)

    assert (4, True) == (code, "exists; nothing was written" in error)


def test_the_reference_runtime_climbs_to_the_top(hxconf):
    code, out, _ = hxconf("smoke", "--runtime=adapter:reference_runtime")

    assert 0 == code
    assert "8 of 8 pass" in out
    assert any(line.startswith("a limit of --hx-limit=") for line in out)


def test_the_ladder_is_eight_scenarios_of_the_corpus():
    corpus = load_corpus()

    assert 8 == len(LADDER)
    assert set() == {rung.scenario for rung in LADDER} - set(corpus.scenarios)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--runtime=nonsense"], "a scheme or an attribute is missing"),
        (["--runtime=cmd:/no/such/program"], "No such file"),
        (["--runtime=a:b", "--hx-limit=-1"], "--hx-limit: expected seconds above 0"),
        ([], "required: --runtime"),
    ],
    ids=["no-target", "no-program", "no-limit", "nothing"],
)
def test_a_mistake_is_one_line(hxconf, arguments, says):
    code, _, error = hxconf("smoke", *arguments)

    assert (4, 1) == (code, error.count("\n"))
    assert says in error

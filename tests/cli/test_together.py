"""Documents given together: recursion is found whatever the spelling of a file (HX-3002)."""

import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from suite.cli.together import Given, companions_of
from suite.cli.validate import main

TASK = '<node id="t" type="task"/>'
HEAD = '<harness xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0"><nodes>'


def using(*hrefs):
    """A document that runs these as subworkflows."""
    nodes = "".join(
        f'<node id="s{n}" type="subworkflow"><subworkflow href="{href}"/></node>'
        for n, href in enumerate(hrefs)
    )
    return f"{HEAD}{nodes or TASK}</nodes></harness>".encode()


@pytest.fixture
def flows(tmp_path, monkeypatch):
    """A folder with a link to it beside it, as current folder."""
    folder = tmp_path / "flows"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def recursive(capsys):
    """Names of the documents that recur, of those given."""

    def recursive(*names):
        main(["--hx-in-process", "--json", *map(str, names)])
        told = json.loads(capsys.readouterr().out)
        return [
            each["file"]
            for each in told
            if "HX-3002" in [finding["code"] for finding in each["findings"]]
        ]

    return recursive


@pytest.mark.parametrize(
    "href",
    [
        "",
        "#d",
        "a.hxml",
        "a.hxml#d",
        "./a.hxml",
        "sub/../a.hxml",
        "../flows/a.hxml",
        "../link/a.hxml",
        "%61.hxml",
        "&#97;.hxml",
        "other.hxml",
        "file:{}/a.hxml",
        "file://{}/a.hxml",
        "FILE://localhost{}/sub/../%61.hxml",
        "{}/a.hxml",
        "{}/../link/other.hxml",
    ],
)
def test_document_that_uses_itself(flows, recursive, href):
    (flows / "other.hxml").symlink_to("a.hxml")
    (flows / "a.hxml").write_bytes(using(href.format(flows)))

    assert ["a.hxml"] == recursive("a.hxml")


@pytest.mark.parametrize(
    "href",
    [
        "b.hxml",
        "a.hxml?x",
        "sub/a.hxml",
        "../a.hxml",
        "http://{}/a.hxml",
        "file://elsewhere{}/a.hxml",
        "%00",
        "file:",
        ".",
        "a.hxml/",
    ],
)
def test_document_that_uses_no_document_given(flows, recursive, href):
    (flows / "b.hxml").write_bytes(using("a.hxml"))
    (flows / "a.hxml").write_bytes(using(href.format(flows)))

    assert [] == recursive("a.hxml")


@pytest.mark.parametrize(
    ("names", "there", "back"),
    [
        (("a.hxml", "b.hxml"), "./b.hxml", "../flows/a.hxml"),
        (("../link/a.hxml", "b.hxml"), "b.hxml", "a.hxml"),
        (("a.hxml", "../link/b.hxml"), "../link/b.hxml", "../link/a.hxml"),
        (("sub/../a.hxml", "./b.hxml"), "file:{}/b.hxml", "../link/../flows/%61.hxml"),
        (("a.hxml", "b.hxml"), "../../{0.parent.name}/flows/b.hxml", "{0}/a.hxml"),
    ],
)
def test_two_documents_that_use_each_other(flows, recursive, names, there, back):
    (flows / "a.hxml").write_bytes(using(there.format(flows)))
    (flows / "b.hxml").write_bytes(using(back.format(flows)))

    assert list(names) == recursive(*names)


def test_way_that_leads_through_other_folders(flows, recursive):
    (flows / "a.hxml").write_bytes(using("sub/b.hxml"))
    (flows / "sub/b.hxml").write_bytes(using("../../flows/sub/c.hxml"))
    (flows / "sub/c.hxml").write_bytes(using("../a.hxml", "none.hxml"))
    names = ["a.hxml", "sub/b.hxml", "sub/c.hxml"]

    assert names == recursive(*names)


def test_standard_input_starts_from_the_current_folder(flows, recursive, monkeypatch):
    (flows / "a.hxml").write_bytes(using("b.hxml"))
    (flows / "b.hxml").write_bytes(using("a.hxml"))

    def given(text):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
        return recursive("-", "a.hxml", "b.hxml")

    assert ["-", "a.hxml", "b.hxml"] == given(using("a.hxml"))
    assert ["a.hxml", "b.hxml"] == given(using("c.hxml"))
    assert ["-", "a.hxml", "b.hxml"] == given(using("#d"))


def test_files_that_were_not_given_are_not_opened(flows, recursive, monkeypatch):
    (flows / "a.hxml").write_bytes(using("b.hxml"))
    (flows / "b.hxml").write_bytes(using("a.hxml"))
    opened, really = [], io.open

    def noting(file, *arguments, **options):
        opened.append(Path(file).name)
        return really(file, *arguments, **options)

    monkeypatch.setattr(io, "open", noting)

    assert [] == recursive("a.hxml")
    assert ["a.hxml"] == [name for name in opened if name.endswith(".hxml")]


def test_documents_without_recursion_get_no_companions():
    documents = [Given(f"{n}.hxml", using(f"{n + 1}.hxml")) for n in range(2000)]

    assert [{}] * 2000 == list(companions_of(documents))


def test_companions_have_the_names_by_which_documents_use_them():
    first, second = using("sub/b.hxml", "leaf.hxml"), using("../a.hxml")
    documents = [Given("a.hxml", first), Given("sub/b.hxml", second), Given("leaf.hxml", using())]

    assert [
        {"sub/b.hxml": second, "a.hxml": first},
        {"../a.hxml": first, "../sub/b.hxml": second},
        {},
    ] == list(companions_of(documents))


def test_links_that_lead_upwards_come_to_an_end(flows):
    (flows / "here").symlink_to(".")
    text = using("here/a.hxml")

    (companions,) = companions_of([Given(os.fspath(flows / "a.hxml"), text)])

    assert {text} == set(companions.values())
    assert len(companions) < 100

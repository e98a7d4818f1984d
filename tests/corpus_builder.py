"""Write small corpora into a temporary directory, for the tests of corpus, verdict and report."""

from pathlib import Path

from suite.corpus.manifest import main as manifest_main

__all__ = ["GOLDEN", "LEDGER", "PAIR", "corpus_files", "document", "write_corpus"]

LEDGER = """
format = 1

[requirements."5.3-runs"]
section = "5.3"
level = "executing"
strength = "must"
statement = "A node runs after its source."

[requirements."5.3-again"]
section = "5.3"
level = "executing"
strength = "must"
statement = "The same in other words."
restates = "5.3-runs"

[requirements."5.7-ends"]
section = "5.7"
level = "executing"
strength = "must"
statement = "The run succeeds."

[requirements."13.2-hx-2001"]
section = "13.2"
level = "core"
strength = "must"
statement = "An edge names nodes."

[requirements."6.6-advice"]
section = "6.6"
level = "executing"
strength = "should"
statement = "A trace has times."

[requirements."1.7-hidden"]
section = "1.7"
level = "core"
strength = "must"
statement = "An instance has an identity."
unobservable = "No run shows it."
"""

INTERPRETATIONS = """
[A91]
section = "8.4.1"
question = "What becomes of waiting nodes?"
preferred = "a"
readings = { a = "They stay PENDING.", b = "They become CANCELLED." }
"""

GOLDEN = """
[paths]
a = { is = "READY RUNNING SUCCEEDED", cites = ["5.3-runs"] }
b = { is = "READY RUNNING SUCCEEDED", cites = ["5.3-runs"] }

[outcome]
is = "succeeded"
cites = ["5.7-ends"]
"""


def document(nodes: str, edges: str = "", attributes: str = "") -> str:
    """Return a document with these nodes and edges."""
    return (
        f'<harness xmlns="https://harnessxml.com/spec/1.0" id="h" specVersion="1.0" {attributes}>'
        f"\n<nodes>\n{nodes}\n</nodes>\n<edges>\n{edges}\n</edges>\n</harness>\n"
    )


PAIR = document('<node id="a" type="task"/>\n<node id="b" type="task"/>', '<edge from="a" to="b"/>')


def corpus_files() -> dict[str, str]:
    """Return the files of a sound corpus with one case of each group."""
    return {
        "cases/requirements.toml": LEDGER,
        "cases/interpretations.toml": INTERPRETATIONS,
        "cases/valid/edges/pair.hxml": PAIR,
        "cases/valid/edges/pair.toml": (
            'description = "Two nodes and an edge."\nlevel = "core"\ncites = ["13.2-hx-2001"]\n'
        ),
        "cases/invalid/edges/dangling.hxml": PAIR.replace('to="b"', 'to="c"'),
        "cases/invalid/edges/dangling.toml": (
            'description = "The edge ends at no node."\nlevel = "core"\ncodes = ["HX-2001"]\n'
            'also = ["HX-1001"]\nneighbour = "valid/edges/pair"\ncites = ["13.2-hx-2001"]\n'
        ),
        "cases/execution/flow/pair.hxml": PAIR,
        "cases/execution/flow/pair.toml": (
            'description = "One node after the other."\nlevel = "executing"\n\n[plans.plain]\n'
        ),
        "expected_traces/flow/pair.plain.toml": GOLDEN,
    }


def write_corpus(root: Path, files: dict[str, str], *, manifest: bool = True) -> Path:
    """Write the files below ``root``, and the manifest if the corpus loads."""
    for top in ("cases", "expected_traces"):
        (root / top).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    if manifest:
        manifest_main(["--write", "--root", str(root)])
    return root

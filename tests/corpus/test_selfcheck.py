import pytest

from suite.cli.selfcheck import main
from suite.corpus.catalogue import load_corpus
from suite.corpus.selfcheck import check_corpus
from tests.corpus_builder import GOLDEN, PAIR, corpus_files, document, write_corpus

CASE = "cases/execution/flow/pair.toml"
TEXT = "cases/execution/flow/pair.hxml"
EXPECTED = "expected_traces/flow/pair.plain.toml"
INVALID = "cases/invalid/edges/dangling.toml"
HEAD = 'description = "One node after the other."\nlevel = "executing"\n'

RETRY = document(
    '<node id="a" type="task"><retry maxAttempts="2" initialDelay="PT10S"/></node>'
    '<node id="b" type="task"/>',
    '<edge from="a" to="b"/>',
)
READS = document(
    '<node id="a" type="task"><outputs><output name="x"/></outputs></node>'
    '<node id="b" type="task"/>',
    '<edge from="a" to="b" condition="${a.x}"/>',
)


def problems(tmp_path, **changes: str) -> list[str]:
    """Return the problems of the sound corpus with some files replaced."""
    names = {"case": CASE, "text": TEXT, "golden": EXPECTED, "invalid": INVALID}
    files = corpus_files() | {names[key]: value for key, value in changes.items()}
    return check_corpus(load_corpus(write_corpus(tmp_path, files)))


def path_of_a(states: str) -> str:
    return GOLDEN.replace('a = { is = "READY RUNNING SUCCEEDED"', f'a = {{ is = "{states}"')


def choice(*options: str, interpretation: str = "A91") -> str:
    return (
        GOLDEN
        + f'[[choices]]\ninterpretation = "{interpretation}"\noptions = [\n'
        + (",\n".join(f"{{ {option} }}" for option in options) + "\n]\n")
    )


A = 'reading = "a", preferred = true'
B = 'reading = "b"'


def test_a_sound_corpus_has_no_problems(tmp_path):
    assert problems(tmp_path) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        pytest.param(
            {"golden": GOLDEN.replace("5.7-ends", "5.7-end")},
            "cites: expected the id of a requirement, observed '5.7-end'",
            id="unknown-cite",
        ),
        pytest.param(
            {"golden": GOLDEN.replace("5.7-ends", "1.7-hidden")},
            "cites: 1.7-hidden is listed as unobservable: No run shows it.",
            id="unobservable-cite",
        ),
        pytest.param(
            {"golden": GOLDEN.replace('"5.7-ends"', '"5.7-ends", "5.7-ends"')},
            "outcome: cites: expected each once",
            id="cited-twice",
        ),
        pytest.param(
            {"golden": GOLDEN.replace("READY RUNNING SUCCEEDED", "")},
            "expected a node that runs in every reading, observed none",
            id="nothing-happens",
        ),
        pytest.param(
            {"golden": GOLDEN.replace("READY RUNNING SUCCEEDED", "*")},
            "expected a node that runs in every reading, observed none",
            id="anything-goes",
        ),
        pytest.param(
            {"golden": "\n".join(line for line in GOLDEN.splitlines() if line[:1] != "b")},
            "paths: expected every declared node, observed none of 'b'",
            id="node-unlisted",
        ),
        pytest.param(
            {"golden": GOLDEN.replace("b = {", "b = { is = '', cites = ['5.3-runs'] }\nc = {")},
            "paths.c: expected a node of the document, observed none",
            id="unknown-node",
        ),
        pytest.param(
            {"golden": path_of_a("RUNNING SUCCEEDED")},
            "paths.a: expected legal pairs (§6.2), observed PENDING → RUNNING",
            id="illegal-pair",
        ),
        pytest.param(
            {"golden": path_of_a("READY RUNNING SUCCEEDED READY")},
            "observed SUCCEEDED → READY",
            id="after-the-end",
        ),
        pytest.param(
            {"golden": path_of_a("READY RUNNING SKIPPED")},
            "observed RUNNING → SKIPPED",
            id="skip-without-timeout",
        ),
        pytest.param(
            {
                "text": PAIR.replace('id="a"', 'id="a" idempotent="false"'),
                "golden": path_of_a("READY RUNNING CANCELLED"),
            },
            "observed RUNNING → CANCELLED",
            id="non-idempotent-cancelled",
        ),
        pytest.param(
            {
                "golden": GOLDEN + '[[order]]\nevent = "a:FAILED"\nafter = ["b:READY"]\n'
                'cites = ["5.3-runs"]'
            },
            "expected an event that a path passes through, observed 'a:FAILED'",
            id="event-that-never-happens",
        ),
        pytest.param(
            {
                "golden": GOLDEN + '[[order]]\nevent = "a:READY"\nafter = ["b:READY#2"]\n'
                'cites = ["5.3-runs"]'
            },
            "observed 'b:READY#2'",
            id="event-that-happens-once",
        ),
        pytest.param(
            {"golden": GOLDEN + '[[calls]]\nnode = "c"\ncount = 1\ncites = ["5.3-runs"]'},
            "golden: c: expected a node of the document",
            id="call-of-no-node",
        ),
        pytest.param(
            {
                "text": PAIR.replace('<node id="a" type="task"/>', '<node id="a" type="barrier"/>'),
                "golden": GOLDEN + '[[calls]]\nnode = "a"\ncount = 1\ncites = ["5.3-runs"]',
            },
            "golden: a: expected a node with a step, observed a barrier",
            id="call-without-step",
        ),
        pytest.param(
            {"golden": choice(A, B, interpretation="A99")},
            "choice A99: expected an entry of interpretations.toml",
            id="unknown-open-point",
        ),
        pytest.param(
            {"golden": choice(A, 'reading = "c"')},
            "one option or more for each of the readings a, b, observed a, c",
            id="other-readings",
        ),
        pytest.param(
            {"golden": choice('reading = "a"', 'reading = "b", preferred = true')},
            "choice A91: preferred: expected a, observed b",
            id="other-preference",
        ),
        pytest.param(
            {"golden": choice(A, B + ', paths.a = { is = "", cites = ["5.3-runs"] }')},
            "paths.a: expected in one place, observed in two",
            id="path-fixed-and-chosen",
        ),
        pytest.param(
            {"golden": choice(A, B + ', outcome = { is = "failed", cites = ["5.3-runs"] }')},
            "outcome: expected in one place, observed in several",
            id="outcome-fixed-and-chosen",
        ),
        pytest.param(
            {
                "golden": choice(A, B + ', paths.b = { is = "", cites = ["5.3-runs"] }').replace(
                    '\nb = { is = "READY RUNNING SUCCEEDED", cites = ["5.3-runs"] }', ""
                )
            },
            "choices.0.options.0: expected paths of b as in the other options",
            id="option-leaves-a-node-open",
        ),
        pytest.param(
            {
                "golden": choice(
                    A, B + ', outcome = { is = "failed", cites = ["5.3-runs"] }'
                ).replace('[outcome]\nis = "succeeded"\ncites = ["5.7-ends"]\n', "")
            },
            "choices.0: outcome: expected in every option or in none",
            id="outcome-in-one-option",
        ),
        pytest.param(
            {"case": HEAD.replace("One node", "One node must come") + "[plans.plain]"},
            "description: expected a statement of what is so, observed 'must'",
            id="demand",
        ),
        pytest.param(
            {"case": HEAD + 'cites = ["5.3-runs"]\n[plans.plain]'},
            "cites: expected in the goldens' entries",
            id="cites-in-the-case",
        ),
        pytest.param(
            {"case": HEAD + 'codes = ["HX-2001"]\n[plans.plain]'},
            "codes: expected in invalid cases only",
            id="codes-of-an-execution-case",
        ),
        pytest.param(
            {"case": HEAD + '[plans.plain.steps]\nc = "ok"'},
            "plan: c: expected a node of the document, observed none",
            id="planned-node-unknown",
        ),
        pytest.param(
            {
                "case": HEAD + '[plans.plain.steps]\na = "ok"',
                "text": PAIR.replace('<node id="a" type="task"/>', '<node id="a" type="barrier"/>'),
            },
            "plan: a: expected a node with a step, observed a barrier",
            id="planned-node-without-step",
        ),
        pytest.param(
            {"case": HEAD + '[plans.plain.steps]\na = { ok = {}, hold-until = "c RUNNING" }'},
            "plan: c: expected a node of the document",
            id="held-until-no-node",
        ),
        pytest.param(
            {"case": HEAD + '[plans.plain]\nunresolvable = ["r"]'},
            "unresolvable: expected a declared resource, observed 'r'",
            id="resource",
        ),
        pytest.param(
            {"case": HEAD + '[plans.plain]\nbad-digests = ["f"]'},
            "bad-digests: expected a declared artifact, observed 'f'",
            id="artifact",
        ),
        pytest.param(
            {"case": HEAD + '[plans.plain.steps]\na = { ok = {}, after = "PT10S" }'},
            "plan: a: after: expected at most 0.05 s",
            id="time-in-the-plan",
        ),
        pytest.param(
            {
                "text": RETRY,
                "golden": path_of_a("READY RUNNING RETRYING READY RUNNING SUCCEEDED"),
            },
            "node 'a': retry: expected at most 0.05 s",
            id="time-in-the-document",
        ),
        pytest.param(
            {"text": READS}, "plan: a: expected the output 'x', observed no answer", id="unplanned"
        ),
        pytest.param(
            {"text": READS, "case": HEAD + '[plans.plain.steps]\na = "ok"'},
            "plan: a: expected the output 'x', which the document reads",
            id="output-left-out",
        ),
        pytest.param(
            {"text": PAIR.replace('"a"', '"failed"'), "golden": GOLDEN.replace("a =", "failed =")},
            "node 'failed': expected a neutral word",
            id="telling-id",
        ),
        pytest.param(
            {"text": PAIR.replace('"a"', '"A"'), "golden": GOLDEN.replace("a =", "A =")},
            "node 'A': expected lower-case letters and digits",
            id="capital-id",
        ),
        pytest.param(
            {"text": PAIR.replace('id="a"', 'id="a" impl="b"')},
            "expected node ids in references only, observed node impl='b'",
            id="clash",
        ),
        pytest.param(
            {
                "text": document(
                    '<node id="a" type="decision"><cases><otherwise to="b"/></cases></node>'
                    '<node id="b" type="task"/>'
                )
            },
            "expected the attribute entry beside the decision or loop 'a'",
            id="no-entry",
        ),
        pytest.param({"text": "<harness"}, "expected well-formed XML", id="not-well-formed"),
        pytest.param(
            {"invalid": 'description = "The edge ends."\nlevel = "core"\ncites = ["13.2-hx-2001"]'},
            "expected codes, any-of or refused, observed none",
            id="no-codes",
        ),
        pytest.param(
            {
                "invalid": 'description = "The edge ends."\nlevel = "core"\n'
                'any-of = ["HX-2001"]\ncites = ["13.2-hx-2001"]'
            },
            "any-of: expected two codes or more",
            id="any-of-one",
        ),
        pytest.param(
            {
                "invalid": 'description = "The edge ends."\nlevel = "core"\ncodes = ["HX-2001"]\n'
                'also = ["HX-2001"]\ncites = ["13.2-hx-2001"]'
            },
            "HX-2001: expected in one list, observed in several",
            id="code-in-two-lists",
        ),
        pytest.param(
            {
                "invalid": 'description = "The edge ends."\nlevel = "core"\ncodes = ["HX-2001"]\n'
                'advised = ["HX-2002"]\ncites = ["13.2-hx-2001"]'
            },
            "advised: expected codes of any-of, observed HX-2002",
            id="advised-beside-any-of",
        ),
        pytest.param(
            {
                "invalid": 'description = "The edge ends."\nlevel = "core"\n'
                'refused = ["unsigned"]\ncites = ["13.2-hx-2001"]'
            },
            "refused: expected together with run, observed alone",
            id="refused-without-run",
        ),
        pytest.param(
            {"case": HEAD + '[plans.plain]\nsecrets = { "vault/key" = "hazel" }'},
            "secrets: expected a declared credential as store/ref, observed 'vault/key'",
            id="secret-of-nothing",
        ),
        pytest.param(
            {
                "invalid": 'description = "The edge ends."\nlevel = "core"\ncodes = ["HX-2001"]\n'
                'neighbour = "valid/edges/none"\ncites = ["13.2-hx-2001"]'
            },
            "neighbour: expected the id of the nearest case with a valid document, "
            "observed 'valid/edges/none'",
            id="no-neighbour",
        ),
        pytest.param(
            {"invalid": 'description = "The edge ends."\nlevel = "core"\ncodes = ["HX-2001"]'},
            "cites: expected one to three requirements, observed none",
            id="document-case-without-cites",
        ),
    ],
)
def test_problem_is_found(tmp_path, changes, sentence):
    found = problems(tmp_path, **changes)

    assert [p for p in found if sentence in p], found


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            {
                "text": RETRY,
                "golden": path_of_a("READY RUNNING RETRYING READY RUNNING SUCCEEDED")
                + '[[timers]]\nnode = "a@2"\ndelay = 10\ncites = ["5.3-runs"]',
            },
            id="times-as-numbers",
        ),
        pytest.param({"text": RETRY}, id="a-time-that-no-path-waits-for"),
        pytest.param(
            {"text": READS, "case": HEAD + "[plans.plain.steps]\na = { ok = { x = true } }"},
            id="output-planned",
        ),
        pytest.param(
            {"text": READS, "case": HEAD + '[plans.plain.steps]\n"*" = { ok = { x = true } }'},
            id="output-planned-for-all",
        ),
        pytest.param(
            {"text": READS, "case": HEAD + "[plans.plain.steps]\na = { ok = {} }"},
            id="output-left-out-on-purpose",
        ),
        pytest.param(
            {
                "text": READS,
                "case": HEAD + '[plans.plain.steps]\n"a@1" = { fail = "x" }\n'
                '"a@2" = { ok = { x = 1 } }',
            },
            id="failing-attempts-deliver-nothing",
        ),
        pytest.param(
            {"text": READS, "golden": path_of_a("READY RUNNING FAILED")}, id="producer-that-fails"
        ),
        pytest.param(
            {
                "text": PAIR.replace(
                    '<node id="a" type="task"/>',
                    '<node id="a" type="task">'
                    '<timeout duration="PT0.05S" onTimeout="skip"/></node>',
                ),
                "golden": path_of_a("READY RUNNING SKIPPED"),
            },
            id="skip-by-timeout",
        ),
        pytest.param({"golden": choice(A, B)}, id="choice"),
        pytest.param({"golden": choice(A, B, B)}, id="two-options-of-one-reading"),
    ],
)
def test_sound_variant_has_no_problems(tmp_path, changes):
    assert problems(tmp_path, **changes) == []


def test_ids_are_kebab_case(tmp_path):
    files = corpus_files()
    files["cases/valid/edges/Pair_2.hxml"] = PAIR
    files["cases/valid/edges/Pair_2.toml"] = files["cases/valid/edges/pair.toml"]
    found = check_corpus(load_corpus(write_corpus(tmp_path, files)))

    assert found == ["valid/edges/Pair_2: expected kebab-case, observed 'Pair_2'"]


def test_withdrawn_ids_are_not_used_again(tmp_path):
    files = corpus_files()
    gone = {k: v for k, v in files.items() if "valid/edges/pair" not in k}
    gone[INVALID] = gone[INVALID].replace("valid/edges/pair", "execution/flow/pair")
    write_corpus(tmp_path, files)
    for name in set(files) - set(gone):
        (tmp_path / name).unlink()
    write_corpus(tmp_path, gone)
    found = check_corpus(load_corpus(write_corpus(tmp_path, files)))

    assert found == ["valid/edges/pair: expected no file, as the id was withdrawn in 0.1.0"]


def test_the_command_prints_what_loading_and_checking_find(tmp_path, capsys):
    files = corpus_files() | {
        EXPECTED: GOLDEN.replace("5.7-ends", "5.7-end"),
        "cases/valid/edges/odd.toml": "a = ",
    }
    root = write_corpus(tmp_path, files, manifest=False)

    assert main(["--root", str(root)]) == 1
    out = capsys.readouterr().out
    assert "odd.toml: expected TOML" in out
    assert "observed '5.7-end'" in out
    assert "cases/manifest.json: expected the frozen manifest" in out


def test_the_command_counts_a_sound_corpus(tmp_path, capsys):
    root = write_corpus(tmp_path, corpus_files())

    assert main(["--root", str(root)]) == 0
    counted, found = capsys.readouterr().out.splitlines()
    assert counted.startswith("3 cases, 3 scenarios, sha256:")
    assert found == "0 problems"


def test_the_command_names_a_directory_without_corpus(tmp_path, capsys):
    assert main(["--root", str(tmp_path)]) == 1
    assert "expected the directory cases/" in capsys.readouterr().out


def test_the_schemas_see_every_file(tmp_path, monkeypatch):
    seen = []

    def record(kind, value):
        seen.append(kind)
        return [f"odd: {min(value)}"]

    monkeypatch.setattr("suite.corpus.selfcheck.faults", record)
    found = problems(tmp_path)

    assert sorted(seen) == [
        "case",
        "case",
        "case",
        "golden",
        "interpretations",
        "ledger",
        "manifest",
    ]
    assert "cases/valid/edges/pair.toml: by the schema case: odd: cites" in found


def test_the_corpus_of_the_checkout_has_no_problems():
    assert check_corpus(load_corpus()) == []

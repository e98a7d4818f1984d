"""Deviants: values read as a host language reads them, and rules that overlook (chapters 2, 13)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from reference_runtime.deviants.deviant import Row
from reference_runtime.deviants.gates import also, attribute, instead
from reference_runtime.deviants.stricter import (
    compensation_chains,
    compensation_not_idempotent,
    cycles_without_conditions,
    cycles_without_dependencies,
    documents_used_twice,
    first_extensions,
    forward_edges_from_the_undone,
    model_artifacts_serve,
    otherwise_missing,
    quorum_above_sources,
    remote_artifacts,
    required_by,
    roles_but_the_first,
    unfed_unless,
)
from reference_runtime.document import lexical
from reference_runtime.document.finding import Finding
from reference_runtime.document.grammar import ELEMENTS
from reference_runtime.document.lexical import LexicalError
from reference_runtime.document.model import Harness
from reference_runtime.expressions.functions import FUNCTIONS
from reference_runtime.validation import GATE

__all__ = ["SPELLING"]

_Reader = Callable[[str], Any]


def _read(old: _Reader, new: _Reader) -> dict[str, Any]:
    """Read all attributes of a type otherwise."""
    elements = {
        name: replace(
            one,
            attributes={
                key: replace(item, read=new) if item.read is old else item
                for key, item in one.attributes.items()
            },
        )
        for name, one in ELEMENTS.items()
    }
    return {"gate": replace(GATE, elements=elements)}


def _dropped(drop: Callable[[Harness, Finding], bool]) -> dict[str, Any]:
    """Overlook findings."""

    def told(harness: Harness, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return tuple(one for one in findings if not drop(harness, one))

    return {"gate": replace(GATE, told=told)}


def _or(reader: _Reader, host: _Reader) -> _Reader:
    """Make the reader that lets a function of the host language try, too."""

    def read(text: str) -> Any:
        try:
            return reader(text)
        except LexicalError as error:
            try:
                return host(text)
            except ValueError:
                raise error from None

    return read


def _matching(pattern: str, reader: _Reader, edit: Callable[[str], str]) -> _Reader:
    """Make the reader that edits texts of a pattern before another one reads them."""
    compiled = re.compile(pattern)
    return lambda text: reader(edit(text) if compiled.search(text) else text)


def _pattern(pattern: str) -> _Reader:
    """Make the reader of identifiers that match from their beginning."""
    compiled = re.compile(pattern)

    def read(text: str) -> str:
        if compiled.match(text) is None:
            raise LexicalError("an identifier")
        return text

    return read


def _minor(text: str) -> str:
    """Take versions that begin with the digit 1."""
    if text.startswith("1"):
        return text
    raise LexicalError("1.x", "HX-1002")


_READERS: Final[tuple[Row, ...]] = (
    (
        "identifier_ends_before_line_feed",
        "2.3-identifier-pattern",
        "an id may end in a line feed",
        attribute("node", "id", read=_pattern(r"[A-Za-z_][A-Za-z0-9_.\-]*$")),
    ),
    (
        "identifier_digits_of_any_script",
        "2.3-identifier-pattern",
        "an id may have digits of any script",
        attribute("node", "id", read=_pattern(r"[A-Za-z_][A-Za-z\d_.\-]*\Z")),
    ),
    (
        "durations_with_weeks",
        "13.2-hx-1001-schema",
        "a duration may have weeks",
        _read(lexical.read_duration, _matching(r"^P\d+W$", lexical.read_duration, lambda _: "P7D")),
    ),
    (
        "fractions_of_every_unit",
        "13.2-hx-1001-schema",
        "every part of a duration may have a fraction",
        _read(
            lexical.read_duration,
            _matching(
                r"\.\d+[DHM]", lexical.read_duration, lambda text: re.sub(r"\.\d+", "", text)
            ),
        ),
    ),
    (
        "negative_durations",
        "13.2-hx-1001-schema",
        "a duration may have a sign",
        _read(
            lexical.read_duration,
            _matching("^-P", lexical.read_duration, lambda text: text[1:]),
        ),
    ),
    (
        "m_is_minutes_everywhere",
        "13.2-hx-3401-duration",
        "M stands for minutes before T, too, when there are minutes behind it",
        _read(
            lexical.read_duration,
            _matching(
                r"^P\d+MT\d+M$", lexical.read_duration, lambda text: text.replace("M", "D", 1)
            ),
        ),
    ),
    (
        "decimals_as_floats",
        "13.2-hx-1001-schema",
        "a decimal number may have an exponent",
        _read(lexical.read_decimal, _or(lexical.read_decimal, float)),
    ),
    (
        "integers_of_the_host_language",
        "13.2-hx-1001-schema",
        "a whole number may have underscores",
        attribute(
            "retry",
            "maxAttempts",
            read=_matching(r"\d_\d", lexical.read_max_attempts, lambda text: text.replace("_", "")),
        ),
    ),
    (
        "major_compared_by_first_digit",
        "13.2-hx-1002-spec-version",
        "every version that begins with the digit 1 is known",
        attribute("harness", "specVersion", read=_minor),
    ),
    (
        "loops_without_bound",
        "7.2.1-max-iterations-required",
        "a loop needs no maxIterations",
        attribute("loop", "maxIterations", required=False),
    ),
    (
        "entry_unchecked",
        "2.5-entry-names-existing-node",
        "an entry that names no node is accepted",
        _dropped(lambda _harness, one: one.message.startswith("harness/@entry")),
    ),
    (
        "newer_minor_skips_unknown",
        "15.5-newer-minor-attempted",
        "unknown names are skipped in a document of a newer minor version",
        _dropped(lambda harness, one: harness.spec_version != "1.0" and one.code == "HX-1003"),
    ),
    (
        "functions_ignore_case",
        "13.2-hx-3101-3105-expressions",
        "names of functions are looked up without regard to case",
        _dropped(
            lambda _harness, one: (
                one.code == "HX-3105" and any(f"{name.upper()}(" in one.value for name in FUNCTIONS)
            )
        ),
    ),
)

_RULES: Final[tuple[Row, ...]] = (
    (
        "required_extension_by_the_word_true",
        "13.2-hx-1004-required-extension",
        "an extension is required by the word true only",
        instead("HX-1004", required_by("true")),
    ),
    (
        "required_extension_by_any_other_word",
        "13.2-hx-1004-required-extension",
        "an extension is required by every word but false",
        instead("HX-1004", required_by("false", unless=True)),
    ),
    (
        "first_extension_decides",
        "13.2-hx-1004-required-extension",
        "only the first extension of an element is looked at",
        instead("HX-1004", first_extensions),
    ),
    (
        "optional_input_by_the_word_false",
        "1.3.1-input-required-by-default",
        "an input is optional by the word false only",
        instead("HX-2101", unfed_unless("false")),
    ),
    (
        "required_input_by_the_word_true",
        "1.3.1-unsatisfied-required-input-invalid",
        "an input that says so is required by the word true only",
        instead("HX-2101", unfed_unless("true", only=True)),
    ),
    (
        "model_artifact_serves_inference",
        "13.2-hx-2501-inference-model",
        "an artifact of type model serves an inference node",
        instead("HX-2501", model_artifacts_serve),
    ),
    (
        "forward_edge_from_the_undone_only",
        "13.2-hx-2005-compensation-target-forward",
        "only edges from the node that is undone may not lead to the one that undoes",
        instead("HX-2005", forward_edges_from_the_undone),
    ),
    (
        "conditional_edges_outside_the_cycle_check",
        "13.2-hx-3003-cycle",
        "edges with a condition may be on a cycle",
        instead("HX-3003", cycles_without_conditions),
    ),
    (
        "dependency_edges_outside_the_cycle_check",
        "13.2-hx-3003-cycle",
        "dependency edges may be on a cycle",
        instead("HX-3003", cycles_without_dependencies),
    ),
    (
        "quorum_bounded_by_sources",
        "5.3.1-quorum-not-above-edge-count",
        "a quorum is compared with the number of sources",
        instead("HX-2402", quorum_above_sources),
    ),
    (
        "recursion_is_any_second_use",
        "13.2-hx-3002-recursion",
        "a document that is used twice is taken for recursion",
        also("HX-3002", documents_used_twice),
    ),
    (
        "otherwise_demanded",
        "7.1.3-otherwise-recommended",
        "a decision without otherwise is refused",
        also("HX-2206", otherwise_missing),
    ),
    (
        "compensation_has_to_be_idempotent",
        "8.4.2-compensating-node-should-be-idempotent",
        "a node that undoes and is not idempotent is refused",
        also("HX-3301", compensation_not_idempotent),
    ),
    (
        "compensation_chains_refused",
        "8.4.2-no-compensation-of-compensation",
        "a node that undoes and is undone is refused",
        also("HX-2005", compensation_chains),
    ),
    (
        "one_role_per_node",
        "9.1-role-is-a-label",
        "the resources of a node have to have one role",
        also("HX-2002", roles_but_the_first),
    ),
)

_OVERLOOKED: Final[tuple[Row, ...]] = (
    (
        "host_operators",
        "10.2-malformed-found-at-validation",
        "operators of the host language are operators",
        _dropped(
            lambda _harness, one: (
                one.code == "HX-3101" and any(sign in one.value for sign in ("===", "**", ";"))
            )
        ),
    ),
    (
        "one_table_of_declarations",
        "13.2-hx-3101-3105-expressions",
        "a resource may be looked up as an artifact, and an artifact as a resource",
        _dropped(
            lambda harness, one: (
                one.code == "HX-3103"
                and one.value
                in {*(r.id for r in harness.resources), *(a.id for a in harness.artifacts)}
            )
        ),
    ),
    (
        "text_between_elements_dropped",
        "13.2-hx-1001-schema",
        "text where only elements may stand is passed over",
        _dropped(lambda _harness, one: "holds the text" in one.message),
    ),
    (
        "secrets_in_resources_only",
        "13.2-hx-3501-credential",
        "only resources are searched for secrets",
        _dropped(
            lambda _harness, one: one.code == "HX-3501" and not one.near.startswith("resource")
        ),
    ),
    (
        "artifacts_fetched",
        "13.4-offline",
        "a document is refused when the address of an artifact does not answer",
        also("HX-2003", remote_artifacts),
    ),
)

SPELLING: Final[tuple[Row, ...]] = (*_READERS, *_RULES, *_OVERLOOKED)

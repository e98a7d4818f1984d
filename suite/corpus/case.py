"""Cases and scenarios as values: a document and what is expected of it."""

from typing import Annotated, Literal

import msgspec

from comparator.golden import Cites, Golden
from suite.corpus.plan import Plan, PlanText, Refusal

__all__ = ["LEVELS", "Case", "CaseText", "Level", "Scenario", "WhereText"]

#: Conformance levels, each including the ones before it.
LEVELS = ("core", "executing", "full")
Level = Literal["core", "executing", "full"]
Code = Annotated[str, msgspec.Meta(pattern=r"^HX-[1-4]\d{3}$")]


class WhereText(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    kw_only=True,
):
    """Where a finding points (§13.5): 1-based line, nearest id, offending value.

    What is given is compared with the findings of the required codes: the line by number, the
    texts by what they contain.
    """

    line: Annotated[int, msgspec.Meta(ge=1)] | None = None
    near: str | None = None
    value: str | None = None


class CaseText(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename="kebab",
    omit_defaults=True,
    kw_only=True,
):
    """The metadata file beside a document, ``cases/<group>/<topic>/<behaviour>.toml``.

    Attributes:
        description: what is so, in one sentence.
        level: level at which the case counts.
        plans: scenario name → plan; execution cases only.
        codes: error codes that are all required; invalid cases only.
        any_of: error codes of which one is required; invalid cases only.
        also: error codes that may be reported too; invalid cases only.
        warnings: warnings that are advised (SHOULD); a missing one gives a note.
        advised: codes of ``any_of`` that are all advised (SHOULD); a missing one gives a note.
        where: where the finding of a required code points; invalid cases only.
        neighbour: id of the nearest valid case; invalid cases only.
        run: whether the document is run, which has to be refused, and not only validated;
            invalid cases only.
        refused: what the environment of that run denies, for which a valid document is refused
            as well; it then needs no codes.
        cites: requirements shown by the verdict on the document; valid and invalid cases only.
        companions: URI in the document → file name beside it.
    """

    description: Annotated[str, msgspec.Meta(min_length=10, pattern=r"\.$")]
    level: Level
    plans: dict[str, PlanText] = {}
    codes: tuple[Code, ...] = ()
    any_of: tuple[Code, ...] = ()
    also: tuple[Code, ...] = ()
    warnings: tuple[Code, ...] = ()
    advised: tuple[Code, ...] = ()
    where: WhereText | None = None
    neighbour: str | None = None
    run: bool = False
    refused: tuple[Refusal, ...] = ()
    cites: Cites | None = None
    companions: dict[str, str] = {}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A case read from disk; ``group`` is valid, invalid or execution.

    Attributes:
        id: path without suffix, e.g. ``execution/joins/any-race``.
        document: bytes of the document as they stand in the file.
        companions: URI → bytes of documents that the document refers to.
    """

    id: str
    group: Literal["valid", "invalid", "execution"]
    text: CaseText
    document: bytes
    companions: dict[str, bytes] = {}


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a case, the unit that is selected, executed, judged and reported.

    Attributes:
        id: the case's id, for execution cases followed by ``.<scenario>``.
        plan: None where only the verdict on the document is asked for.
        golden: None where only the verdict on the document is asked for.
    """

    id: str
    case: Case
    plan: Plan | None = None
    golden: Golden | None = None

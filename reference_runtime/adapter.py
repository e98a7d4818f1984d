"""The runtime behind the suite's adapter protocol, in several variants.

===============  =========================================================================
``adapter``      interactive, document order, any number of steps open together
``serial``       interactive, one step open at a time
``scripted``     plays a plan by itself and shows the run as a whole
``random_7``     interactive, ready nodes start in the random order of that seed
===============  =========================================================================

The module itself can be used like ``adapter``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

from reference_runtime.defaults import default_outputs
from reference_runtime.document.finding import Finding
from reference_runtime.document.model import Harness, Node
from reference_runtime.engine.effects import Abort, Effect, Invoke, Report, Transition
from reference_runtime.engine.environment import Environment
from reference_runtime.engine.run import Run
from reference_runtime.plans import read_plan
from reference_runtime.rules import RULES, Rules
from reference_runtime.scheduler import DocumentOrder, Scheduler, SeededRandom
from reference_runtime.script import play
from reference_runtime.trace import effect_fields, report_fields
from reference_runtime.validation import Validated
from reference_runtime.validation import validate as validate_document

__all__ = [
    "Interactive",
    "Scripted",
    "Session",
    "adapter",
    "describe",
    "random_order",
    "run",
    "scripted",
    "serial",
    "validate",
]

_NAME: Final = "reference-runtime"
_VERSION: Final = "0.1.0"
#: A document with its companions by URI.
_Documents = tuple[bytes, tuple[tuple[str, bytes], ...]]

_FEATURES: Final = ("cancel", "events", "faults", "secrets", "codes")


class Session(Protocol):
    """What an interactive run needs of the suite's session."""

    companions: Any
    unresolvable: Any
    bad_digests: Any
    refused: Any
    secrets: Any

    def transition(  # noqa: PLR0913 - the fields of a trace entry (§6.6)
        self,
        node: str,
        from_: str,
        to: str,
        *,
        iteration: Any = (),
        attempt: int | None = None,
        error_class: str | None = None,
        code: str | None = None,
        message: str | None = None,
        at: float | None = None,
    ) -> None:
        """Report a state change."""
        ...

    def invoke(
        self,
        node: str,
        inputs: dict[str, Any] | None = None,
        *,
        iteration: Any = (),
        attempt: int | None = None,
    ) -> Any:
        """Call a step; the result identifies the call."""
        ...

    def abort(self, call: Any) -> None:
        """Give up a call."""
        ...

    async def receive(self, timer: float | None = None) -> dict[str, Any]:
        """Wait for the next message of the suite."""
        ...

    def invalid(self, findings: Any) -> Any:
        """Make the answer for a document that is not executed."""
        ...


def finding_fields(finding: Finding) -> dict[str, Any]:
    """A finding as the protocol has it (§13.5)."""
    fields = {
        "code": finding.code,
        "severity": finding.severity,
        "line": finding.line,
        "column": finding.column,
        "near": finding.near,
        "value": finding.value,
        "message": finding.message,
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}


@dataclass(frozen=True, slots=True)
class _Adapter:
    """What the variants have in common.

    Attributes:
        rules: the semantics.
        order: makes the scheduler of each run.
        open_steps: most step calls open together, 0 for no limit.
        seed: of the jitter of retries.
        _opened: the last document with its companions → its verdict; often it is run again.
    """

    rules: Rules = RULES
    order: Callable[[], Scheduler] = DocumentOrder
    open_steps: int = 0
    seed: int = 0
    _opened: dict[_Documents, Validated] = field(default_factory=dict, init=False, compare=False)

    def describe(self) -> dict[str, Any]:
        """Say what this runtime is and does."""
        return {
            "name": _NAME,
            "version": _VERSION,
            "levels": ["core", "executing", "full"],
            "openSteps": self.open_steps,
            "clock": "virtual",
            "quiescence": "idle",
            "features": list(_FEATURES),
        }

    def validate(
        self, document: bytes, companions: Mapping[str, bytes] | None = None
    ) -> list[dict[str, Any]]:
        """Findings about a document; empty for a valid one without warnings."""
        return self._open(document, companions)[1]

    def _open(
        self, document: bytes, companions: Mapping[str, bytes] | None = None
    ) -> tuple[Harness | None, list[dict[str, Any]]]:
        """§5.1: the document to execute, or None and the findings."""
        key = (document, tuple(sorted((companions or {}).items())))
        verdict = self._opened.get(key)
        if verdict is None:
            verdict = validate_document(document, self.rules.gate, companions=companions)
            self._opened.clear()
            self._opened[key] = verdict
        return verdict.harness, [finding_fields(finding) for finding in verdict.findings]


class Interactive(_Adapter):
    """Asks the suite for the answer of every step call."""

    async def run(self, document: bytes, session: Session) -> Any:
        """Execute a document; return its outcome and the codes without a transition."""
        harness, findings = self._open(document, session.companions)
        if harness is None:
            return session.invalid(findings)
        instance = Run(
            harness,
            rules=self.rules,
            scheduler=self.order(),
            open_steps=self.open_steps,
            seed=self.seed,
            environment=Environment(
                frozenset(session.unresolvable),
                frozenset(session.bad_digests),
                frozenset(session.refused),
                session.companions,
                session.secrets,
            ),
        )
        teller = _Teller(session, instance)
        instance.start()
        while True:
            teller.tell(instance.take_effects())
            if instance.step():
                continue
            if instance.done:
                # The last step moves nothing, but it may have found something to report.
                teller.tell(instance.take_effects())
                return {"outcome": instance.outcome or None, "codes": teller.codes}
            _handle(instance, await session.receive(timer=instance.next_timer()))


class _Teller:
    """Passes the effects of a run on to the session."""

    def __init__(self, session: Session, instance: Run) -> None:
        self._session = session
        self._instance = instance
        self._calls: dict[int, Any] = {}
        self.codes: list[dict[str, Any]] = []

    def tell(self, effects: list[Effect]) -> None:
        """Report effects in order."""
        for effect in effects:
            if isinstance(effect, Transition):
                self._session.transition(
                    effect.node,
                    effect.from_,
                    effect.to,
                    iteration=effect.iteration,
                    attempt=effect.attempt,
                    error_class=effect.error_class,
                    code=effect.code,
                    message=effect.message,
                    at=effect.at,
                )
            elif isinstance(effect, Invoke):
                self._calls[effect.number] = self._session.invoke(
                    effect.node,
                    effect.inputs,
                    iteration=effect.iteration,
                    attempt=effect.attempt,
                )
            elif isinstance(effect, Abort):
                self._session.abort(self._calls[effect.number])
            elif isinstance(effect, Report):
                self.codes.append(report_fields(effect))
            elif isinstance(effect.effect, Invoke) and effect.node is not None:
                self._answer(effect.effect.number, effect.node)

    def _answer(self, call: int, node: Node) -> None:
        """Answer a step call in a subworkflow, of which the protocol does not speak."""
        succeed = partial(self._instance.succeed, call, default_outputs(node))
        self._instance.later(succeed)


def _outcome(instance: Run, message: dict[str, Any]) -> None:
    if message["result"] == "ok":
        instance.succeed(message["call"], message.get("outputs") or {})
    else:
        instance.fail(message["call"], message.get("errorClass"), message.get("message"))


#: Message of the suite → what it does to the run.
_HANDLERS: Final[dict[str, Callable[[Run, dict[str, Any]], None]]] = {
    "outcome": _outcome,
    "advance": lambda instance, message: instance.advance(message["seconds"]),
    "cancel": lambda instance, _message: instance.cancel(),
    "event": lambda instance, message: instance.event(message["name"]),
}


def _handle(instance: Run, message: dict[str, Any]) -> None:
    _HANDLERS[message["type"]](instance, message)


class Scripted(_Adapter):
    """Plays a plan by itself."""

    def describe(self) -> dict[str, Any]:
        """Say what this runtime is and does; it shows calls and knows iterations."""
        return {**super().describe(), "features": [*_FEATURES, "iterations", "calls"]}

    def run(
        self,
        document: bytes,
        plan: dict[str, Any],
        companions: Mapping[str, bytes] | None = None,
    ) -> dict[str, Any]:
        """Execute a document along a plan; return what happened, or the findings."""
        harness, findings = self._open(document, companions)
        if harness is None:
            return {"findings": findings}
        played = play(
            harness,
            read_plan(plan),
            rules=self.rules,
            scheduler=self.order(),
            open_steps=self.open_steps,
            seed=self.seed,
            companions=companions,
        )
        shown = (effect_fields(effect) for effect in played.effects)
        return {
            "transitions": [fields for fields in shown if fields is not None],
            "outcome": played.outcome or None,
            "codes": [report_fields(report) for report in played.reports()],
        }


def random_order(seed: int, rules: Rules = RULES) -> Interactive:
    """Make the variant that starts ready nodes in a random order, the same for one seed."""
    return Interactive(rules=rules, order=lambda: SeededRandom(seed), seed=seed)


adapter: Final = Interactive()
scripted: Final = Scripted()
serial: Final = Interactive(open_steps=1)

# The package's attribute ``adapter`` is this module once it is loaded, so it serves as well.
describe = adapter.describe
validate = adapter.validate
run = adapter.run


def __getattr__(name: str) -> Interactive:
    """Make ``random_<seed>`` on demand."""
    match = re.fullmatch(r"random_(\d+)", name)
    if match is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return random_order(int(match[1]))

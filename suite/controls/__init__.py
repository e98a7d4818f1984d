"""Controls: tiny runtimes that are wrong on purpose and must never reach a level.

Standard library only and nothing of ours, because they run in the adapter's own process as
``adapter:suite.controls:yes``. What they are wrongly shown to satisfy is the measure of the
corpus: a requirement that ``yes``, ``echo`` or ``shout`` satisfies asks too little.
"""

import itertools
import os
import time
import xml.etree.ElementTree as ET
from typing import Any, NoReturn

__all__ = ["CONTROLS", "crash", "echo", "hang", "liar", "null", "shout", "yes"]

_SPACE = "{https://harnessxml.com/spec/1.0}"
_LEVELS = ["core", "executing", "full"]
_FEATURES = ["cancel", "events", "faults", "secrets", "iterations", "calls", "codes"]

#: Types of node that have a step to call (§1.3).
_STEPS = ("task", "inference", "transform", "source", "sink", "human")

#: §14.2: every code there could be.
_CODES = [
    f"HX-{number}"
    for first, last in (
        (1001, 1006), (1101, 1102), (2001, 2005), (2101, 2102), (2201, 2208), (2301, 2304),
        (2401, 2402), (2501, 2501), (3001, 3005), (3101, 3105), (3201, 3201), (3301, 3301),
        (3401, 3401), (3501, 3501),
    )
    for number in range(first, last + 1)
]  # fmt: skip

#: §14.2: every code that a run could report.
_RUN_CODES = [f"HX-{number}" for number in (*range(4101, 4111), 4201, 4202)]


def _nodes(document: bytes) -> list[tuple[str, str]]:
    """Return (id, type) of the nodes in document order, nothing when it is no XML."""
    try:
        # The documents are the suite's own corpus.
        root = ET.fromstring(document)  # noqa: S314  trusted input, nothing is resolved
    except ET.ParseError:
        return []
    return [
        (node.get("id", ""), node.get("type", ""))
        for node in root.iter(f"{_SPACE}node")
        if node.get("id")
    ]


class _Control:
    """What all controls say of themselves."""

    name = "control"
    features: tuple[str, ...] = tuple(_FEATURES)

    def describe(self) -> dict[str, Any]:
        """Claim every level."""
        return {
            "name": f"control-{self.name}",
            "version": "1",
            "levels": _LEVELS,
            "features": list(self.features),
        }

    def validate(self, document: bytes) -> list[dict[str, Any]]:  # noqa: ARG002  the contract's name
        """Find nothing wrong."""
        return []


class Null(_Control):
    """Answers nothing useful."""

    name = "null"

    def run(self, document: bytes, plan: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002  as above
        """Report a run without a single transition and without an outcome."""
        return {"transitions": []}


class Yes(_Control):
    """Everything is valid, and every node succeeds in document order."""

    name = "yes"

    def run(self, document: bytes, plan: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002  as above
        """Walk every node to SUCCEEDED."""
        states = ("PENDING", "READY", "RUNNING", "SUCCEEDED")
        return {
            "transitions": [
                {"node": node, "from": before, "to": after, "attempt": 1}
                for node, _ in _nodes(document)
                for before, after in itertools.pairwise(states)
            ],
            "outcome": "succeeded",
        }


class Echo(_Control):
    """Asks the suite about each node in document order, whatever the edges say."""

    name = "echo"

    async def run(self, document: bytes, session: Any) -> str:
        """Turn each answer into the final state of its node."""
        outcome = "succeeded"
        for node, kind in _nodes(document):
            session.transition(node, "PENDING", "READY", attempt=1)
            session.transition(node, "READY", "RUNNING", attempt=1)
            final = "SUCCEEDED"
            if kind in _STEPS:
                answer = await session.invoke(node, {}, attempt=1)
                if answer.result != "ok":
                    final, outcome = "FAILED", "failed"
            session.transition(node, "RUNNING", final, attempt=1)
        return outcome


class Shout(Echo):
    """Reports every code for every document and every run."""

    name = "shout"

    def validate(self, document: bytes) -> list[dict[str, Any]]:  # noqa: ARG002  as above
        """Report them all."""
        return [{"code": code, "severity": "error", "line": 1} for code in _CODES]

    async def run(self, document: bytes, session: Any) -> Any:
        """Run like ``echo``, and report every code of a run at its end, of no node."""
        outcome = await super().run(document, session)
        return {"outcome": outcome, "codes": [{"code": code} for code in _RUN_CODES]}


class Crash(_Control):
    """Dies in the middle of every run."""

    name = "crash"

    def validate(self, document: bytes) -> list[dict[str, Any]]:  # noqa: ARG002  as above
        """Die."""
        os._exit(70)

    def run(self, document: bytes, plan: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002  as above
        """Die."""
        os._exit(70)


class Hang(_Control):
    """Never answers."""

    name = "hang"

    def validate(self, document: bytes) -> list[dict[str, Any]]:  # noqa: ARG002  as above
        """Wait for ever."""
        _wait()

    def run(self, document: bytes, plan: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002  as above
        """Wait for ever."""
        _wait()


def _wait() -> NoReturn:
    while True:
        time.sleep(3600)


class Liar(Yes):
    """Declares every feature and full control, and behaves like ``yes``."""

    name = "liar"

    def describe(self) -> dict[str, Any]:
        """Claim what a scripted runtime cannot have."""
        return {**super().describe(), "clock": "virtual", "quiescence": "idle", "openSteps": 0}


null, yes, echo, shout, crash, hang, liar = (
    Null(), Yes(), Echo(), Shout(), Crash(), Hang(), Liar(),
)  # fmt: skip

#: name → what it does.
CONTROLS = {
    control.name: (type(control).__doc__ or "").partition("\n")[0]
    for control in (null, yes, echo, shout, crash, hang, liar)
}

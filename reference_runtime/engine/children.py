"""Subworkflows: another document as an instance inside of a node (§3.2.7).

Every instance, however deep, hands its moves to the one scheduler of the outermost run, and is
driven from there: nothing calls down or up the nesting, so that its depth costs no stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol
from urllib.parse import urljoin

from reference_runtime.engine.effects import Abort, Effect, Inner, Invoke, Report, Transition
from reference_runtime.engine.graph import Graph, build_graph
from reference_runtime.engine.lives import Life
from reference_runtime.engine.propagation import propagate
from reference_runtime.engine.state import State
from reference_runtime.engine.waits import event_arrived
from reference_runtime.scheduler import Move, Scheduler
from reference_runtime.validation import validate

__all__ = ["Child", "Children", "Instance", "Maker"]


class Instance(Protocol):
    """What is used of the run of a child (``reference_runtime.engine.run``)."""

    state: State
    done: bool

    @property
    def outcome(self) -> str:
        """How it ended."""
        ...

    def start(self) -> None:
        """Move its entry set to READY."""
        ...

    def step(self) -> bool:
        """Make the move that its scheduler gives, or draw the last consequences."""
        ...

    def cancel(self) -> None:
        """End it from outside."""
        ...

    def succeed(self, call: int, outputs: Mapping[str, Any]) -> None:
        """Answer a step call."""
        ...

    def fail(self, call: int, error_class: str | None, message: str | None = None) -> None:
        """Answer a step call."""
        ...

    def take_effects(self) -> list[Effect]:
        """What it has done since the last time."""
        ...

    def unfinished(self) -> list[tuple[str, str]]:
        """Nodes that keep it open, and their states."""
        ...


#: Makes the run of a child from its graph, its scheduler, and the outermost state.
Maker = Callable[[Graph, Scheduler, State], Instance]


class _NotLoadedError(Exception):
    """The document of a subworkflow cannot be had (HX-4109)."""


class _Document(NamedTuple):
    """A document that was loaded; ``uri`` is the one under which it was found."""

    uri: str
    content: bytes
    graph: Graph


class _Cause(NamedTuple):
    """The failure for which a child was unwound."""

    error_class: str | None
    text: str


@dataclass(slots=True, eq=False)
class _InnerMove:
    """A move of a child, as the outermost scheduler holds it.

    Attributes:
        order: unique in the run.
        about: names it for who compares runs.
    """

    child: Child
    order: tuple[int, ...]
    about: str
    action: Callable[[], None]

    def __call__(self) -> None:
        self.action()
        self.child.drain()


class _Relay:
    """Scheduler of a child: passes moves out, and gives back the one that was chosen."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._chosen: Move | None = None

    def push(self, move: Move) -> None:
        """Take in a move that has become possible."""
        self._child.offer(move.order, partial(self._choose, move))

    def _choose(self, move: Move) -> None:
        self._chosen = move

    def pop(self, *, calls: bool) -> Move | None:  # noqa: ARG002 - inner calls are never limited
        """Give the move that was chosen outside, once."""
        chosen, self._chosen = self._chosen, None
        return chosen


class Child:
    """One instance of a subworkflow.

    Attributes:
        life: the subworkflow node that executes it.
        run: the instance.
        cause: why it was unwound, None as long as it was not.
    """

    def __init__(self, family: Children, outer: State, life: Life, document: _Document) -> None:
        self.life = life
        self.document = document
        self.outer = outer
        self.parent = family.around(outer)
        self.cause: _Cause | None = None
        self._begun = False
        before = self.parent.prefix if self.parent else ()
        self.prefix: tuple[int, ...] = (*before, 0, *life.place, life.attempt)
        around = self.parent.within if self.parent else ()
        self.within: tuple[str, ...] = (*around, life.vertex.node.id)
        self._family = family
        self._numbers: dict[int, int] = {}
        self._sunk: dict[int, dict[str, Any]] = {}
        self.run = family.make(document.graph, _Relay(self), family.root)
        self.run.state.after_timer = self.drain

    def offer(self, order: tuple[int, ...], action: Callable[[], None]) -> None:
        """Let the outermost scheduler decide when something happens in here."""
        place = (*self.prefix, *order)
        move = _InnerMove(self, place, "/".join(self.within), action)
        self._family.scheduler.push(Move(place, move))

    def begin(self) -> None:
        """Start it, unless it has been given up already."""
        if self.life.child is not self and self.outer.rules.children.stops_child:
            self._family.over(self)
            return
        self._begun = True
        self.run.start()

    def abandon(self) -> None:
        """Cancel it from outside; nobody waits for it any more."""
        self.life.child = None
        if self._begun and self.outer.rules.children.stops_child:
            self.offer((-1,), self.run.cancel)

    def succeed(self, call: int, outputs: Mapping[str, Any]) -> None:
        """Answer a step call; source nodes deliver what the subworkflow node was given."""
        node = self.run.state.calls[call].vertex.node if call in self.run.state.calls else None
        if node is not None and self.outer.rules.children.receives(node):
            given = self.run.state.given
            outputs = {
                **outputs,
                **{p.name: given[p.name] for p in node.outputs if p.name in given},
            }
        self.run.succeed(call, outputs)

    def outputs(self) -> dict[str, Any]:
        """Values by name that the child leaves (A153)."""
        state = self.run.state
        taken: dict[str, list[dict[str, Any]]] = {"inputs": [], "outputs": []}
        for life in state.main.lives.values():
            if life.state not in state.rules.succeeded:
                continue
            for kind in state.rules.children.delivers(life.vertex.node, len(life.vertex.forward)):
                values = self._sunk.get(life.vertex.index) if kind == "inputs" else life.outputs
                taken[kind].append(values or {})
        found: dict[str, Any] = {}
        for values in (*taken["inputs"], *taken["outputs"]):
            found = {**values, **found}
        return found

    def drain(self) -> None:
        """Go on as far as possible here, then where the end of this instance is waited for."""
        child: Child | None = self
        while child is not None:
            propagate(child.run.state)
            while child.run.step():
                pass
            child._tell()  # noqa: SLF001 - another object of the same class
            child = child._hand_over()  # noqa: SLF001 - another object of the same class

    def _tell(self) -> None:
        """Pass on what happened, with numbers of calls that are unique in the whole run."""
        graph = self.document.graph
        for effect in self.run.take_effects():
            if isinstance(effect, Inner):
                continue
            node = None if isinstance(effect, Abort) else graph.harness.node_by_id[effect.node]
            shown = effect
            if isinstance(effect, Invoke):
                if not effect.iteration:
                    self._sunk[graph.index[effect.node]] = effect.inputs
                number = self._numbers[effect.number] = self._family.call(self, effect.number)
                shown = effect._replace(number=number)
            elif isinstance(effect, Abort):
                shown = Abort(self._numbers[effect.number])
            else:
                self._note(effect)
            self._family.root.ask(Inner(self.within, shown, node))

    def _note(self, effect: Transition | Report) -> None:
        """Keep the first failure that nothing handles."""
        if self.cause or not isinstance(effect, Transition) or effect.iteration:
            return
        graph = self.document.graph
        if effect.to == "FAILED" and not graph.vertices[graph.index[effect.node]].errors:
            why = " ".join(part for part in (effect.code, effect.message) if part)
            self.cause = _Cause(effect.error_class, f"node {effect.node!r}: {why}")

    def _hand_over(self) -> Child | None:
        """Let the node end that executes a finished instance; return where to go on."""
        if not self.run.done or self not in self._family.living:
            return None
        self._family.over(self)
        if self.life.child is not self:
            return None
        self.life.child = None
        self._family.ended(self.outer, self.life, self)
        propagate(self.outer)
        return self.parent


class Children:
    """All instances of subworkflows in one run.

    Attributes:
        root: state of the outermost instance.
        scheduler: its scheduler.
        make: makes the run of a child.
        ended: what the end of a child does to its node.
        living: those that are not over, in the order in which they began.
    """

    def __init__(self, root: State, make: Maker, ended: Callable[[State, Life, Child], None]):
        self.root = root
        self.scheduler = root.scheduler
        self.make = make
        self.ended = ended
        self.living: dict[Child, None] = {}
        self._of: dict[State, Child] = {}
        self._calls: list[tuple[Child, int]] = []
        self._loaded: dict[tuple[str, str | None], _Document] = {}

    def start(self, state: State, life: Life, inputs: dict[str, Any]) -> None:
        """Load the document of a subworkflow node and let an instance of it begin."""
        try:
            document = self._load(state, life)
        except _NotLoadedError as error:
            if state.rules.children.missing == "FAILED":
                state.fail(life, state.rules.codes["subworkflow"], str(error))
            else:
                state.move(life, state.rules.children.missing)
            return
        child = life.child = Child(self, state, life, document)
        child.run.state.given = inputs
        self.living[child] = None
        self._of[child.run.state] = child
        child.offer((-1,), child.begin)

    def around(self, state: State) -> Child | None:
        """Return the child that a state belongs to, None for the outermost one."""
        return self._of.get(state)

    def given_up(self, state: State) -> list[tuple[str, str]]:
        """Nodes that must finish in instances that were given up (§6.2.1), and their states.

        It is the outermost instance that ends after them.
        """
        if state is not self.root or not state.rules.children.stops_child:
            return []
        return [
            ("/".join((*child.within, node)), now)
            for child in self.living
            if child.life.child is not child
            for node, now in child.run.unfinished()
        ]

    def over(self, child: Child) -> None:
        """Forget a child whose instance is over."""
        del self.living[child]
        del self._of[child.run.state]

    def call(self, child: Child, number: int) -> int:
        """Give a step call a number below zero that is unique in the run."""
        self._calls.append((child, number))
        return -len(self._calls)

    def succeed(self, call: int, outputs: Mapping[str, Any]) -> None:
        """Answer an inner step call."""
        child, number = self._calls[-call - 1]
        child.succeed(number, outputs)
        child.drain()

    def fail(self, call: int, error_class: str | None, message: str | None) -> None:
        """Answer an inner step call."""
        child, number = self._calls[-call - 1]
        child.run.fail(number, error_class, message)
        child.drain()

    def event(self, name: str) -> None:
        """Deliver an external event to every child that is not over."""
        for child in list(self.living):
            event_arrived(child.run.state, name)
            child.drain()

    def _load(self, state: State, life: Life) -> _Document:
        reference = life.vertex.node.subworkflow
        href, digest = (reference.href, reference.digest) if reference else ("", None)
        companions = state.around.environment.companions
        around = self.around(state)
        base = around.document.uri if around else ""
        uri = href if href in companions else urljoin(base, href)
        if uri not in companions:
            raise _NotLoadedError(f"no document {href!r} was given; nothing is fetched")
        content = companions[uri]
        _check_lineage(around, state.rules.children.nesting, href, content)
        key = (uri, digest)
        if key in self._loaded and not state.rules.children.repeats:
            raise _NotLoadedError(f"document {href!r} has been executed already")
        if key not in self._loaded:
            if not state.rules.children.intact(content, digest):
                raise _NotLoadedError(f"document {href!r} does not have the digest {digest!r}")
            self._loaded[key] = _Document(uri, content, _graph(state, href, content))
        return self._loaded[key]


def _check_lineage(around: Child | None, deepest: int, href: str, content: bytes) -> None:
    """Refuse a document that runs inside of itself, and nesting without end."""
    depth = 2
    while around is not None:
        if around.document.content == content:
            raise _NotLoadedError(f"document {href!r} would run inside of itself")
        around, depth = around.parent, depth + 1
    if depth > deepest:
        raise _NotLoadedError(f"document {href!r} is nested more than {deepest} deep")


def _graph(state: State, href: str, content: bytes) -> Graph:
    """Prepare a child's document, which passes the same gate as any other (§5.1)."""
    gate = state.rules.gate
    if not state.rules.children.validates:
        gate = replace(gate, passes=lambda _findings: True)
    verdict = validate(content, gate)
    if verdict.harness is None:
        errors = [finding for finding in verdict.findings if finding.severity == "error"]
        raise _NotLoadedError(
            f"document {href!r} is invalid: {errors[0].code} in line {errors[0].line}"
            if errors
            else f"document {href!r} is invalid"
        )
    return build_graph(state.rules.reading(verdict.harness), state.rules)

"""Random documents, plans and legal traces, from a simulator that is independent of the judge.

The simulator is deliberately naive: after every transition it works everything out anew from
the states alone. It knows control, data and dependency edges with literal conditions, the
three join policies, guards, decisions with explicit edges, handled failures, retries and
unreachability under the preferred reading. A last node that depends on all others keeps
``any`` joins from cancelling anything, so that every schedule ends in the same states.
"""

import random
from typing import NamedTuple

from hypothesis import strategies as st

from comparator.facts import Decision, Edge, Facts, Node
from comparator.golden import Golden, OutcomeEntry, PathEntry
from comparator.trace import Trace, Transition

__all__ = ["Simulation", "World", "golden_of", "play", "worlds"]

_SUCCESS = {"SUCCEEDED", "SKIPPED"}
_TERMINAL = _SUCCESS | {"FAILED", "CANCELLED", "COMPENSATED"}


class World(NamedTuple):
    """A document and what its steps answer.

    ``failures`` counts the attempts of a node that fail, from the first on; ``chosen`` is the
    target that a decision picks.
    """

    facts: Facts
    failures: dict[str, int]
    chosen: dict[str, str]


class Simulation:
    """The states of one run, and which transitions are legal next."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.facts = world.facts
        self.states = dict.fromkeys(world.facts.nodes, "PENDING")
        self.attempts = dict.fromkeys(world.facts.nodes, 0)

    def enabled(self) -> list[Transition]:
        """Return every transition that may come next, in document order."""
        dead = self._dead()
        found = []
        for name, node in self.facts.nodes.items():
            state = self.states[name]
            number = self.attempts[name]
            if state == "PENDING" and name not in dead and self._justified(name, dead):
                found.append(Transition(name, state, "READY", attempt=1))
            elif state == "READY":
                to = "SKIPPED" if node.guard == "false" else "RUNNING"
                found.append(Transition(name, state, to, attempt=number + 1))
            elif state == "RUNNING":
                fails = number <= self.world.failures.get(name, 0)
                to = "SUCCEEDED" if not fails else "FAILED"
                if fails and number < node.max_attempts:
                    to = "RETRYING"
                error = "transient" if fails else None
                found.append(
                    Transition(name, state, to, attempt=number, error_class=error, message=error)
                )
            elif state == "RETRYING":
                found.append(Transition(name, state, "READY", attempt=number + 1))
        return found

    def apply(self, transition: Transition) -> None:
        self.states[transition.node] = transition.to
        self.attempts[transition.node] += transition.to == "RUNNING"

    def _edge(self, edge: Edge, dead: set[str]) -> str:
        state = self.states[edge.source]
        if edge.source in dead:
            return "negative"
        if state not in _TERMINAL:
            return "open"
        satisfied = state in _SUCCESS or edge.type == "dependency"
        chosen = self.world.chosen.get(edge.source)
        if chosen is not None and edge.type == "control" and edge.target != chosen:
            satisfied = False
        return "satisfied" if satisfied and edge.condition != "false" else "negative"

    def _incoming(self, name: str) -> list[Edge]:
        return [e for e in self.facts.edges if e.target == name and e.type != "error"]

    def _errors(self, name: str) -> list[Edge]:
        return [e for e in self.facts.edges if e.target == name and e.type == "error"]

    def _justified(self, name: str, dead: set[str]) -> bool:
        if name == self.facts.entry:
            return True
        if any(self.states[e.source] == "FAILED" for e in self._errors(name)):
            return True
        node = self.facts.nodes[name]
        edges = [self._edge(e, dead) for e in self._incoming(name)]
        if node.join == "any":
            return "satisfied" in edges
        if node.join == "quorum":
            return edges.count("satisfied") >= node.quorum
        return "satisfied" in edges and "open" not in edges

    def _dead(self) -> set[str]:
        dead: set[str] = set()
        grown = True
        while grown:
            more = {
                name
                for name, state in self.states.items()
                if state == "PENDING" and name not in dead and self._unreachable(name, dead)
            }
            dead |= more
            grown = bool(more)
        return dead

    def _unreachable(self, name: str, dead: set[str]) -> bool:
        if name == self.facts.entry:
            return False
        node = self.facts.nodes[name]
        errors = self._errors(name)
        if errors:
            return all(e.source in dead or self.states[e.source] in _SUCCESS for e in errors)
        incoming = self._incoming(name)
        edges = [self._edge(e, dead) for e in incoming]
        starved = any(e.to_port in node.starving and e.source in dead for e in incoming)
        if node.join == "quorum":
            return starved or len(edges) - edges.count("negative") < node.quorum
        return starved or all(status == "negative" for status in edges)


def play(world: World, seed: int) -> Trace:
    """Return one legal trace; the seed picks the interleaving."""
    chance = random.Random(seed)
    simulation = Simulation(world)
    transitions = []
    while enabled := simulation.enabled():
        transition = chance.choice(enabled)
        simulation.apply(transition)
        transitions.append(transition)
    return Trace(tuple(transitions), "succeeded")


def golden_of(world: World) -> Golden:
    """Return what every legal run of the world shows."""
    words = {name: [] for name in world.facts.nodes}
    for transition in play(world, 0).transitions:
        words[transition.node].append(transition.to)
    cites = ("6.6-no-disagreement-on-facts",)
    return Golden(
        paths={name: PathEntry(cites=cites, is_=" ".join(word)) for name, word in words.items()},
        outcome=OutcomeEntry(cites=("5.7-outcome-succeeded",), is_="succeeded"),
    )


def _forward(draw, earlier, name, edges, *, sound):
    """Draw the incoming forward edges of a join and return which inputs starve without them."""
    starving = []
    number = len(earlier)
    types = draw(st.lists(st.sampled_from("---cccdp"), min_size=number, max_size=number))
    for source, letter in zip(earlier, types, strict=True):
        if letter == "-":
            continue
        kind = {"c": "control", "d": "data", "p": "dependency"}[letter]
        condition = draw(st.sampled_from(["absent", "absent", "absent", "true", "false"]))
        port = None
        if kind == "data":
            port = f"i{len(edges)}"
            if condition != "false" and source in sound and draw(st.booleans()):
                starving.append(port)
        edges.append(Edge(len(edges), source, name, kind, condition, to_port=port))
    return tuple(starving)


class _Draft:
    """A document in the making; nodes are drawn in order, edges lead to later ones."""

    def __init__(self, draw, names):
        self.draw = draw
        self.names = names
        self.nodes = {}
        self.edges = []
        self.failures = {}
        self.chosen = {}
        self.sound = set()
        self.targets = {}
        self.handlers = {}

    def incoming(self, number, name):
        """Draw the edges into a node: of a case target, an error handler or a join."""
        if name in self.targets:
            self.edges.append(Edge(len(self.edges), self.targets[name], name))
        elif name in self.handlers:
            first = len(self.edges)
            for source in self.handlers[name]:
                self.edges.append(Edge(first, source, name, "error"))
                first += 1
        elif number:
            earlier = self.names[:number]
            return _forward(self.draw, earlier, name, self.edges, sound=self.sound)
        return ()

    def join(self, name):
        """Draw the policy and the quorum of a node."""
        edges = sum(e.target == name and e.type != "error" for e in self.edges)
        join = self.draw(st.sampled_from(["all", "all", "any", "quorum"]))
        if join != "quorum":
            return join, None
        return (join, self.draw(st.integers(1, edges))) if edges else ("all", None)

    def behaviour(self, number, name):
        """Draw how a node behaves; return guard, maximal attempts and decision."""
        draw = self.draw
        later = self.names[number + 1 :]
        free = [n for n in later if n not in self.targets and n not in self.handlers]
        kind = draw(st.sampled_from(["task", "task", "task", "skip", "retry", "fail", "decide"]))
        if kind == "skip":
            return "false", 1, None
        if kind == "retry":
            attempts = draw(st.integers(2, 3))
            self.failures[name] = draw(st.integers(0, attempts - 1))
            return "absent", attempts, None
        handlers = free or [handler for handler in self.handlers if handler in later]
        if kind == "fail" and handlers:
            self.handlers.setdefault(draw(st.sampled_from(handlers)), []).append(name)
            self.failures[name] = draw(st.integers(1, 2))
            return "absent", self.failures[name], None
        if kind == "decide" and len(free) > 1:
            named = draw(st.lists(st.sampled_from(free), min_size=2, max_size=3, unique=True))
            self.targets.update(dict.fromkeys(named, name))
            self.chosen[name] = draw(st.sampled_from(named))
            return "absent", 1, Decision(tuple(named))
        return "absent", 1, None

    def add(self, number, name):
        starving = self.incoming(number, name)
        join, quorum = self.join(name)
        if join != "all":
            # Whether such a join fires before its starving input is known to be dead is a race.
            starving = ()
        guard, attempts, decision = self.behaviour(number, name)
        if guard == "absent" and self.failures.get(name, 0) < attempts:
            self.sound.add(name)
        self.nodes[name] = Node(
            name,
            "decision" if decision else "task",
            idempotent=attempts > 1 or self.draw(st.booleans()),
            join=join,
            quorum=quorum,
            guard=guard,
            starving=starving,
            max_attempts=attempts,
            decision=decision,
            line=number + 5,
        )


@st.composite
def worlds(draw, max_nodes=8):
    """Draw a document with a plan under which it succeeds."""
    names = [f"n{number}" for number in range(draw(st.integers(2, max_nodes)))]
    draft = _Draft(draw, names)
    for number, name in enumerate(names):
        draft.add(number, name)
    draft.nodes["z"] = Node("z", "barrier", line=len(names) + 5)
    first = len(draft.edges)
    edges = (
        *draft.edges,
        *(Edge(first + i, name, "z", "dependency") for i, name in enumerate(names)),
    )
    facts = Facts("drawn", draft.nodes, edges, entry="n0")
    return World(facts, draft.failures, draft.chosen)

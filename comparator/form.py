"""Whose lifecycle a transition belongs to, and the closed list of what is forgiven in its form.

Forgiven, and nothing else:

* **A150** one creation entry ``PENDING`` → ``PENDING`` in front of all other entries of a
  lifecycle is dropped; later it is a transition from a state to itself.
* **A117** a missing ``iteration``: entries of a loop body (§7.2) are split at each step out of
  ``PENDING`` into iterations 0, 1, 2…; missing outer levels are those under way. Where
  iterations, or those of an outer loop, overlap without being named, nobody can tell them
  apart: ``Keys.unclear``.
* **A118** entries about a body outside its iterations, when its iterations are named too and
  a loop of it has been RUNNING.
* **A134** a missing ``attempt``, and its number on steps outside RUNNING; in iterations it may
  count on from an earlier one.
* times and messages.
"""

from collections.abc import Iterator, Mapping

from comparator.address import Address, AddressError
from comparator.graph import Graph
from comparator.histories import History
from comparator.lifecycle import INITIAL, TERMINAL
from comparator.trace import Key, Transition

__all__ = ["Keys", "Where", "as_key", "resolve", "where_of"]

#: How lifecycles are told apart while judging: by the node alone in the main flow, which is
#: the common case and must be cheap; by node and iteration for bodies and their handlers.
Where = str | Key


def as_key(where: Where) -> Key:
    """Return the key in full."""
    return Key(where) if isinstance(where, str) else where


def where_of(graph: Graph, key: Key) -> Where:
    """Return how ``key`` is told apart while judging."""
    return key if key.steps or key.node in graph.extent else key.node


def resolve(graph: Graph, address: Address) -> Key:
    """Return the key that an address stands for, loops filled in from the document.

    Raises:
        AddressError: the node is not declared, or its loops leave no or several choices.
    """
    if address.node not in graph.facts.nodes:
        raise AddressError(f"address '{address}': the document declares no node {address.node!r}")
    if not address.iteration:
        return Key(address.node)
    chains = [
        chain
        for chain in _chains(graph, address.node, len(address.iteration))
        if all(
            step.loop in {None, loop} for step, loop in zip(address.iteration, chain, strict=True)
        )
    ]
    if len(chains) != 1:
        raise AddressError(
            f"address '{address}': expected one chain of {len(address.iteration)} loops around "
            f"{address.node!r}, observed {len(chains)}; name every loop, outermost first"
        )
    numbers = (step.number for step in address.iteration)
    return Key(address.node, tuple(zip(chains[0], numbers, strict=True)))


def _chains(graph: Graph, node: str, depth: int) -> Iterator[tuple[str, ...]]:
    if depth == 0:
        if node not in graph.bodies:
            yield ()
        return
    for loop in _loops_around(graph, node):
        for outer in _chains(graph, loop, depth - 1):
            yield (*outer, loop)


def _loops_around(graph: Graph, node: str) -> dict[str, None]:
    """Return the loops in whose iterations ``node`` runs, as body or as a body's handler."""
    found: dict[str, None] = {}
    seen = {node}
    left = [node]
    while left:
        at = left.pop()
        found.update(dict.fromkeys(graph.bodies.get(at, ())))
        for edge in graph.errors.get(at, ()):
            if edge.source in graph.extent and edge.source not in seen:
                seen.add(edge.source)
                left.append(edge.source)
    return found


class Keys:
    """Finds the key of each transition outside the plain main flow.

    Attributes:
        unclear: node → place from which its unnamed iterations cannot be told apart.
        current: node → key of its latest iteration.
    """

    def __init__(self, graph: Graph, at: Mapping[Where, History], labelled: frozenset[str]) -> None:
        """Begin; ``labelled`` are the nodes whose trace entries name iterations."""
        self._graph = graph
        self._at = at
        self._labelled = labelled
        self._shapes: dict[tuple[str, tuple[str, ...]], bool] = {}
        self._counts: dict[tuple[Key, str], int] = {}
        self._open: dict[str, list[Key]] = {}
        # Loops that are bodies → their iterations that are RUNNING.
        self._outer: dict[str, dict[Key, None]] = {}
        self.unclear: dict[str, int] = {}
        self.current: dict[str, Key] = {}

    def state(self, where: Where) -> str:
        """Return the state that the lifecycle is in."""
        history = self._at.get(where)
        return INITIAL if history is None else history.state

    def latest(self, node: str) -> Where:
        """Return the node itself, or its latest iteration if it is a body."""
        return self.current.get(node, Key(node)) if node in self._graph.extent else node

    def named(self, place: int, transition: Transition) -> tuple[Key, bool]:
        """Return the key of an entry that names its iteration, and whether the loops fit."""
        node = transition.node
        loops = tuple(step.loop for step in transition.iteration)
        fits = self._shapes.get((node, loops))
        if fits is None:
            fits = self._shapes[node, loops] = self._fits(node, loops)
        steps = tuple((step.loop, step.index) for step in transition.iteration)
        if fits and loops[0] in self._graph.bodies:
            outer = self._around(place, node, loops[0])
            steps = steps if outer is None else (*outer.steps, *steps)
        key = self.current[node] = Key(node, steps)
        self._note_outer(key, transition.to)
        return key, fits and all(step.index >= 0 for step in transition.iteration)

    def _note_outer(self, key: Key, to: str) -> None:
        """Remember which iterations of a loop that is a body are RUNNING."""
        if key.node in self._graph.loops:
            running = self._outer.setdefault(key.node, {})
            running.pop(key, None)
            if to == "RUNNING":
                running[key] = None

    def _around(self, place: int, node: str, loop: str) -> Key | None:
        """Return the iteration of ``loop`` around entries of ``node`` that do not name it."""
        running = self._outer.get(loop, {})
        if len(running) > 1 or loop in self.unclear:
            self.unclear.setdefault(node, place)
        return next(iter(running)) if len(running) == 1 else self.current.get(loop)

    def _fits(self, node: str, loops: tuple[str, ...]) -> bool:
        for inner, loop in zip((*loops[1:], node), loops, strict=True):
            if loop not in self._graph.loops:
                return False
            fits = (
                loop in self._graph.bodies[inner]
                if inner in self._graph.bodies
                else inner in self._graph.behind
            )
            if not fits:
                return False
        return True

    def unnamed(self, place: int, transition: Transition) -> Key | None:
        """Return the key of an entry of a body or handler without iteration, None to drop it."""
        node = transition.node
        if node not in self._graph.bodies:
            return self._handler(place, transition)
        if node in self._labelled:
            seen = any(self._has_run(loop) for loop in self._graph.bodies[node])
            creation = transition.from_ == transition.to == INITIAL
            return None if seen or creation else Key(node)
        if transition.from_ == INITIAL:
            return self._next_iteration(place, transition)
        key = self._under_way(node, transition.from_)
        self._note_outer(key, transition.to)
        return key

    def _has_run(self, loop: str) -> bool:
        history = self._at.get(self.latest(loop))
        return history is not None and history.attempts > 0

    def _handler(self, place: int, transition: Transition) -> Key:
        node = transition.node
        key = self.current.get(node, Key(node))
        if self._of_main_flow(node, transition.from_, key):
            return Key(node)
        if (
            transition.from_ == INITIAL
            and self.state(key) in TERMINAL
            and node not in self._labelled
        ):
            self.unclear.setdefault(node, place)
            number = self._counts[Key(node), node] = self._counts.get((Key(node), node), 0) + 1
            key = self.current[node] = Key(node, ((node, number),))
        return key

    def _of_main_flow(self, node: str, from_: str, latest: Key) -> bool:
        """Whether an entry is that of the main flow, of a handler that iterations name."""
        main = Key(node)
        return (
            node in self._labelled
            and self.state(main) == from_
            and (from_ != INITIAL or self.state(latest) != INITIAL)
            and any(e.source not in self._graph.extent for e in self._graph.errors.get(node, ()))
        )

    def _next_iteration(self, place: int, transition: Transition) -> Key | None:
        node = transition.node
        if transition.to == INITIAL:
            current = self.current.get(node)
            return None if current is None or self.state(current) in TERMINAL else current
        running = [
            loop
            for loop in self._graph.bodies[node]
            if self._outer.get(loop) or self.state(self.latest(loop)) == "RUNNING"
        ]
        still_open = self._open.setdefault(node, [])
        if node not in self.unclear:
            still_open[:] = [key for key in still_open if self.state(key) not in TERMINAL]
        if not running:
            still_open.append(Key(node))
            return still_open[-1]
        # Only loops that may overlap leave a doubt; a sequential one breaks its own rule.
        overlap = still_open and self._graph.loops[running[0]].max_concurrency > 1
        if overlap or len(running) > 1:
            self.unclear.setdefault(node, place)
        outer = self._around(place, node, running[0]) or Key(running[0])
        number = self._counts.get((outer, node), 0)
        self._counts[outer, node] = number + 1
        key = self.current[node] = Key(node, (*outer.steps, (running[0], number)))
        still_open.append(key)
        return key

    def _under_way(self, node: str, from_: str) -> Key:
        candidates = self._open.get(node, ())
        if node not in self.unclear:
            for key in candidates:
                if self.state(key) == from_:
                    return key
        return candidates[-1] if candidates else self.current.get(node, Key(node))

"""Which of the possible moves have to be tried: a persistent set of them.

A set of possible moves is persistent if whatever can happen without one of them interferes with
none of them. It is enough to try the moves of one such set at each choice to reach every end of
a run, and with it every history (Godefroid, Partial-Order Methods, 1996, chapter 4: runs are
finite, and moves that do not interfere lead to the same state in either order).

The set is found by closure. It begins with one move. For each move in it and each node that
interferes with it and is not over, the moves are added of which one must be made before that
node can move at all: its own if it has one, otherwise those of what it waits for. Nothing is
added for a node that waits for time, since time stands still while any move is possible. Every
possible move is tried as the beginning, and the smallest set wins.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from reference_runtime.engine.effects import Invoke
from reference_runtime.engine.lives import Flow, Life
from reference_runtime.engine.loops import LoopRun
from reference_runtime.engine.state import State
from reference_runtime.exploration.interference import Interference
from reference_runtime.plans import Moment
from reference_runtime.scheduler import Move
from reference_runtime.script import Act, World

__all__ = ["persistent_set"]


def _top(life: Life) -> Life:
    """The lifecycle of the main flow inside of which a lifecycle runs."""
    while life.flow.owner is not None:
        life = life.flow.owner
    return life


class _View:
    """A run at a choice.

    Attributes:
        moves: the possible moves by name.
        alive: lifecycles of the main flow that are not over, by index.
        inside: active lifecycles by the index of the node of the main flow that they run in.
    """

    def __init__(
        self,
        state: State,
        world: World,
        interference: Interference,
        moves: Mapping[Hashable, Move],
    ) -> None:
        self.state = state
        self.interference = interference
        self.moves = moves
        self.forward = state.phase == "forward"
        self.alive = {
            index: life
            for index, life in state.main.lives.items()
            if life.undecided or life in state.active
        }
        self.inside: dict[int, list[Life]] = {}
        for life in state.active:
            if life.flow.owner is not None:
                self.inside.setdefault(_top(life).vertex.index, []).append(life)
        self.name_of: dict[Life, Hashable] = {}
        self.held: dict[Life, Moment] = {}
        self.happenings: list[tuple[Act, Hashable | None]] = []
        for name, move in moves.items():
            mover = self.mover(move)
            if mover is not None:
                self.name_of[mover] = name
            else:
                self.happenings.append((move.subject, name))
        for act in world.waiting():
            if not isinstance(act.about, Invoke):
                self.happenings.append((act, None))
            elif act.hold is not None and act.about.number in state.calls:
                self.held[state.calls[act.about.number]] = act.hold

    def mover(self, move: Move) -> Life | None:
        """The lifecycle that a move belongs to, None for events and for a cancel."""
        if isinstance(move.subject, Life):
            return move.subject
        about = move.subject.about
        return self.state.calls[about.number] if isinstance(about, Invoke) else None

    def ending(self, move: Move) -> bool:
        """Whether a move may end its node."""
        if not isinstance(move.subject, Life):
            return True
        return not self.interference.bare[move.subject.vertex.index]

    def interferes(self, one: int, other: int, *, ending: bool) -> bool:
        """Whether a move of one node interferes with any future one of another."""
        if not self.forward:
            return self.interference.at_the_end(one, other, ending=ending)
        found = self.interference.between(one, ending, other)
        if isinstance(found, bool):
            return found
        return any(self.state.main.lives[join].undecided for join in found)


class _Closure:
    """A set that grows until it is persistent."""

    def __init__(self, view: _View, seed: Hashable) -> None:
        self._view = view
        self.names: dict[Hashable, None] = {}
        self._met: set[Life] = set()
        self._add(seed)
        for name in self._growing():
            self._close(view.moves[name])

    def _growing(self) -> Iterator[Hashable]:
        done = 0
        while done < len(self.names):
            yield list(self.names)[done]
            done += 1

    def _add(self, name: Hashable) -> None:
        self.names[name] = None
        life = self._view.mover(self._view.moves[name])
        if life is not None:
            self._met.add(life)

    def _everything(self) -> None:
        for name in self._view.moves:
            self._add(name)

    def _close(self, move: Move) -> None:
        view = self._view
        life = view.mover(move)
        ending = view.ending(move)
        for top in self._tops(move, life):
            for index, other in view.alive.items():
                if index == top:
                    self._close_inside(index, life)
                elif view.interferes(top, index, ending=ending):
                    self._need(other)
            for act, name in view.happenings:
                self._happening(act, name, top, ending=ending)

    def _tops(self, move: Move, life: Life | None) -> list[int]:
        """Nodes of the main flow that a move may move: of an event all that wait for it."""
        if life is not None:
            return [_top(life).vertex.index]
        if move.subject.about is None:
            self._everything()
            return []
        return self._waiting_for(move.subject.about)

    def _waiting_for(self, event: str) -> list[int]:
        return [i for i in self._view.alive if event in self._view.interference.events(i)]

    def _close_inside(self, top: int, life: Life | None) -> None:
        """What interferes with a move of the same node: other lifecycles inside of it."""
        view = self._view
        for other in view.inside.get(top, ()):
            if life is None or view.interference.entangled(top) or _related(life.flow, other.flow):
                self._need(other)
        if life is None:
            self._need(view.alive[top])

    def _happening(self, act: Act, name: Hashable | None, top: int, *, ending: bool) -> None:
        """What must come before an event or a cancel that interferes with a move."""
        view = self._view
        if isinstance(act.about, str):
            tops = self._waiting_for(act.about)
            if not any(top == i or view.interferes(top, i, ending=ending) for i in tops):
                return
        elif not view.forward:
            return
        if name is not None:
            self._add(name)
        elif act.hold is not None:
            self._need_moment(act.hold)

    def _need_moment(self, moment: Moment) -> None:
        """What must come before a node enters a state."""
        if moment.address is None:
            return
        if moment.state in ("CANCELLED", "COMPENSATED"):
            self._everything()
            return
        view = self._view
        for index, life in view.alive.items():
            if moment.address.node == "*" or moment.address.node in view.interference.names(index):
                self._need(life)

    def _need(self, life: Life) -> None:
        """Add moves of which one must come before a lifecycle can move."""
        queue = [life]
        for one in queue:
            if one in self._met:
                continue
            self._met.add(one)
            name = self._view.name_of.get(one)
            if name is not None:
                self.names[name] = None
            elif one.state == "RUNNING":
                queue += self._need_of_running(one)
            elif one.undecided:
                queue += self._need_of_pending(one)

    def _need_of_running(self, life: Life) -> list[Life]:
        view = self._view
        if life in view.held:
            self._need_moment(view.held[life])
            return []
        if isinstance(life.loop, LoopRun):
            top = _top(life).vertex.index
            return [other for other in view.inside.get(top, ()) if other is not life]
        wait = life.vertex.node.wait
        if wait is None or wait.duration is not None:
            return []
        for act, name in view.happenings:
            if wait.event is not None and act.about == wait.event:
                if name is not None:
                    self._add(name)
                elif act.hold is not None:
                    self._need_moment(act.hold)
        reads = view.interference.reads(life.vertex.index) if wait.until is not None else ()
        return [view.alive[index] for index in reads if index in view.alive]

    def _need_of_pending(self, life: Life) -> list[Life]:
        """Sources that are not over; where all are waited for, one of them is enough."""
        vertex, lives = life.vertex, life.flow.lives
        links = (*vertex.incoming, *vertex.errors_in)
        sources = [
            source
            for link in links
            if (source := lives.get(link.source)) is not None
            and (source.undecided or source in self._view.state.active)
        ]
        if vertex.node.join_policy == "all" and not vertex.errors_in:
            return [] if any(source in self._met for source in sources) else sources[:1]
        return sources


def _related(one: Flow, other: Flow) -> bool:
    """Whether one of two flows is, or is inside of, the other."""
    shorter = min(len(one.path), len(other.path))
    return one.path[:shorter] == other.path[:shorter]


def persistent_set(
    state: State, world: World, interference: Interference, moves: Mapping[Hashable, Move]
) -> list[Hashable]:
    """Choose the moves to try, in the given order."""
    view = _View(state, world, interference, moves)
    best: dict[Hashable, None] = dict.fromkeys(moves)
    for seed in moves:
        names = _Closure(view, seed).names
        if len(names) < len(best):
            best = names
        if len(best) == 1:
            break
    return [name for name in moves if name in best]

"""Histories of one node as a shared tree, so that the pass over a trace does little per entry.

All nodes that went through the same states share one ``History``; whatever depends on the
states alone (which pair is legal, which attempt is running) is worked out once per history
instead of once per transition. A tree belongs to one comparison.
"""

from typing import Final

from comparator.lifecycle import INITIAL, LEGAL, SUCCESSES

__all__ = ["ACT_NONE", "ACT_READY", "ACT_SPECIAL", "History"]

#: Nothing to do beyond remembering the new history.
ACT_NONE: Final = 0
#: The node left PENDING for READY: its join has to be justified.
ACT_READY: Final = 1
#: Anything that depends on more than the states, and everything illegal.
ACT_SPECIAL: Final = 2

#: Pairs that need no look at the node's declarations. A second attempt is looked at.
_ACTS: Final = {
    ("PENDING", "READY"): ACT_READY,
    ("READY", "RUNNING"): ACT_NONE,
    ("RUNNING", "SUCCEEDED"): ACT_NONE,
    ("RUNNING", "RETRYING"): ACT_NONE,
    ("RETRYING", "READY"): ACT_NONE,
}


#: What had succeeded keeps its successors, also when it is compensated later.
_RELEASED: Final = SUCCESSES | {"COMPENSATED"}


class History:
    """The states that a node has passed through so far.

    Attributes:
        state: the state now.
        act: one of the ``ACT_`` numbers, for the step that led here.
        attempt: number of the attempt that the last step starts or ends (1-based); for steps
            outside RUNNING the number that is given most often, that of the coming one.
        strict: whether only that number is right: outside RUNNING others are too (A134).
        attempts: number of times RUNNING was entered.
        moves: history after one more step from ``state``, by the state entered.
        released: whether unconditional edges leaving the node are satisfied (§6.3).
        parent: the history before the last step, None at the root.
        length: number of steps, creation entries not counted.
    """

    __slots__ = (
        "_gaps",
        "_joined",
        "_word",
        "act",
        "attempt",
        "attempts",
        "length",
        "moves",
        "parent",
        "released",
        "state",
        "strict",
    )

    def __init__(self, state: str = INITIAL, parent: "History | None" = None) -> None:
        """Begin a tree, or a branch that ``_child`` fills in."""
        self.state = state
        self.act = ACT_NONE
        self.attempt = 1
        self.strict = False
        self.attempts = 0
        self.length = 0
        self.released = state in _RELEASED
        self.moves: dict[str, History] = {}
        self._gaps: dict[tuple[str, str], History] = {}
        self._joined = False
        self.parent = parent
        self._word: str | None = "" if parent is None else None

    def grow(self, to: str) -> "History":
        """Return the history after ``state`` → ``to``, legal or not."""
        if to == INITIAL and self.length == 0 and self.parent is None:
            # A150: one creation entry in front of everything is no transition.
            child = History(INITIAL, self)
            child._word = ""
        else:
            child = self._child(self.state, to)
        self.moves[to] = child
        return child

    def jump(self, from_: str, to: str) -> "History":
        """Return the history after a step that claims to leave another state than ``state``."""
        child = self._gaps.get((from_, to))
        if child is None:
            child = self._gaps[from_, to] = self._child(from_, to)
        return child

    def _child(self, from_: str, to: str) -> "History":
        child = History(to, self)
        child.length = self.length + 1
        child.attempts = self.attempts + (to == "RUNNING")
        child.strict = "RUNNING" in {from_, to}
        child.attempt = child.attempts + (not child.strict)
        child.act = _ACTS.get((from_, to), ACT_SPECIAL)
        if child.act == ACT_READY and self._joined:
            child.act = ACT_NONE  # a second time is a breach of its own, whatever the join says
        child._joined = self._joined or child.act == ACT_READY
        if to not in LEGAL.get(from_, ()) or (to == "RUNNING" and child.attempts > 1):
            child.act = ACT_SPECIAL
        return child

    @property
    def word(self) -> str:
        """The states entered after PENDING, with single blanks between them."""
        if self._word is None:
            states: list[str] = []
            at: History | None = self
            while at is not None and at.length:
                states.append(at.state)
                at = at.parent
            self._word = " ".join(reversed(states))
        return self._word

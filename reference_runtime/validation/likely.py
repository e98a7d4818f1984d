"""What an undeclared name probably means, so that one fault is not told as several.

An edge to ``fetch`` where the node has the id `` fetch``, or none but the name, names that node;
so does one that is a slip away from it. Here is only said what is likely: a rule that asks leaves
out what follows from a fault that has a finding already, and never that fault itself.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, Protocol, TypeVar

from reference_runtime.document.lexical import LexicalError, read_identifier
from reference_runtime.document.meant import is_slip
from reference_runtime.document.model import Artifact, Edge, Harness, Node, Port, Resource

__all__ = ["Indexed", "Kind", "Likely"]

T = TypeVar("T")
Kind = Literal["node", "resource", "artifact"]

#: Comparisons of names that one document is worth.
_BUDGET: Final = 50_000
#: Names from which on a wrong letter is a slip.
_SHORTEST: Final = 5


def _skeleton(name: str) -> str:
    """Letters and digits of a name, which a faulty id shares with the id that was meant."""
    return "".join(filter(str.isalnum, name)).casefold()


def _is_identifier(name: str) -> bool:
    try:
        read_identifier(name)
    except LexicalError:
        return False
    return True


def _may_mean(name: str, declared: str) -> bool:
    """Tell whether a name is a slip away from an id; names that count (n1, n2, na) are not."""
    if not is_slip(name, declared) or _skeleton(name).isdigit():
        return False
    differing = [
        at for at, (one, two) in enumerate(zip(name, declared, strict=False)) if one != two
    ]
    digits = [[char for char in text if char.isdigit()] for text in (name, declared)]
    if digits[0] != digits[1]:
        return False
    alone = len(name) == len(declared) and len(differing) == 1
    is_case = name.casefold() == declared.casefold()
    return is_case or not alone or (len(name) >= _SHORTEST and differing[0] < len(name) - 1)


class Indexed(Protocol):
    """What is looked up in a document (``reference_runtime.validation.view``)."""

    harness: Harness
    nodes: dict[str, Node]

    @property
    def resources(self) -> dict[str, Resource]:
        """Resource id → resource."""
        ...

    @property
    def artifacts(self) -> dict[str, Artifact]:
        """Artifact id → artifact."""
        ...

    @property
    def inputs(self) -> dict[str, dict[str, Port]]:
        """Node id → input name → port."""
        ...

    @property
    def ports_fed(self) -> dict[str, list[str]]:
        """Node id → names of the inputs, declared or not, that data edges lead to."""
        ...


class _Hidden(NamedTuple):
    """Things of one kind whose ids cannot be read.

    Attributes:
        skeletons: of ids that are faulty, and of names that stand in for ids.
        covers_all: whether all other names that are not declared may be ids that are missing.
    """

    skeletons: frozenset[str]
    covers_all: bool


class Likely:
    """Answers for one document."""

    def __init__(self, view: Indexed) -> None:
        self._view = view
        self._hidden: dict[Kind, _Hidden] = {}
        self._left = _BUDGET

    def _while_worth_it(self, things: Iterable[T]) -> Iterator[T]:
        """Yield things to compare with as long as the budget lasts."""
        for thing in things:
            if self._left <= 0:
                return
            self._left -= 1
            yield thing

    def _things(self, kind: Kind) -> Sequence[Node | Resource | Artifact]:
        harness = self._view.harness
        if kind == "node":
            return harness.nodes
        return harness.resources if kind == "resource" else harness.artifacts

    @functools.cached_property
    def undeclared_nodes(self) -> dict[str, None]:
        """Names of nodes in edges and routes that no node has as its id."""
        harness = self._view.harness
        names = dict.fromkeys(name for edge in harness.edges for name in (edge.source, edge.target))
        for node in harness.nodes:
            if node.decision is not None:
                names.update(dict.fromkeys(case.to for case in node.decision.cases))
            if node.loop is not None:
                names[node.loop.body] = None
        names[harness.entry or ""] = None
        return {name: None for name in names if name and name not in self._view.nodes}

    def _undeclared(self, kind: Kind) -> Iterable[str]:
        view = self._view
        if kind == "node":
            return self.undeclared_nodes
        if kind == "resource":
            named = {one.ref for node in view.harness.nodes for one in node.resource_refs}
            return named - {"", *view.resources}
        named = {one.ref for node in view.harness.nodes for one in node.artifact_refs}
        return named - {"", *view.artifacts}

    def _hidden_ones(self, kind: Kind) -> _Hidden:
        if kind not in self._hidden:
            faulty = [one for one in self._things(kind) if not _is_identifier(one.id)]
            known = {_skeleton(one.id or one.name or "") for one in faulty} - {""}
            unnamed = sum(not one.id and not one.name for one in faulty)
            unknown = sum(_skeleton(name) not in known for name in self._undeclared(kind))
            self._hidden[kind] = _Hidden(frozenset(known), 0 < unknown <= unnamed)
        return self._hidden[kind]

    def is_faulty_id(self, kind: Kind, name: str) -> bool:
        """Tell whether an undeclared name is what a faulty id was meant to be.

        The name of a thing that has no id is taken for its id.
        """
        return _skeleton(name) in self._hidden_ones(kind).skeletons

    def may_be_missing_id(self, kind: Kind) -> bool:
        """Tell whether there are as many things without id as names that are not declared."""
        return self._hidden_ones(kind).covers_all

    @functools.cached_property
    def _stray(self) -> list[Edge]:
        """Edges to no node."""
        return [edge for edge in self._view.harness.edges if edge.target not in self._view.nodes]

    @functools.cached_property
    def _stray_by_port(self) -> dict[str | None, list[Edge]]:
        stray: dict[str | None, list[Edge]] = {}
        for edge in self._stray:
            stray.setdefault(edge.to_port, []).append(edge)
        return stray

    def _is_meant_by(self, node: Node, edge: Edge) -> bool:
        """Tell whether an edge with an undeclared target was meant to lead to a node."""
        if not edge.target:
            return False
        if _is_identifier(node.id):
            return _may_mean(edge.target, node.id)
        if not node.id and not node.name:
            return self.may_be_missing_id("node")
        return _skeleton(edge.target) == _skeleton(node.id or node.name or "")

    def is_fed(self, node: Node, port: Port) -> bool:
        """Tell whether a data edge with a slip in a name was meant to feed an input."""
        stray = self._while_worth_it(self._stray_by_port.get(port.name, ()))
        if any(self._is_meant_by(node, edge) for edge in stray):
            return True
        inputs = self._view.inputs.get(node.id, {})
        return any(
            to_port not in inputs and _may_mean(to_port, port.name)
            for to_port in self._while_worth_it(self._view.ports_fed.get(node.id, ()))
        )

    @functools.cached_property
    def edges_without_target(self) -> Counter[str | None]:
        """Input name → data edges to it that do not say of which node."""
        return Counter(edge.to_port for edge in self._stray if not edge.target)

    def edges_meant(self, node: Node) -> int:
        """Count edges that may have been meant to lead to a node, those without target too."""
        stray = self._while_worth_it(self._stray)
        return sum(not edge.target or self._is_meant_by(node, edge) for edge in stray)

    def names_meant(self, names: Iterable[str]) -> list[str]:
        """Return those ids that an undeclared name may mean."""
        undeclared = self.undeclared_nodes
        return [
            name
            for name in names
            if any(_may_mean(one, name) for one in self._while_worth_it(undeclared))
        ]

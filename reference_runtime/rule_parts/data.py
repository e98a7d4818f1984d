"""Rules of data: how the inputs of a node are found and outputs become values (§5.5, §5.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reference_runtime.document.model import Edge, Resource

__all__ = ["DATA", "DataRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRules:
    """The part of the rules about data.

    Attributes:
        preparation: §5.5, steps 1 to 3 in order.
        blind_guards: §7.1.1, whether the values of the run are out of reach of guards, as they
            are when a guard is evaluated before its node is READY.
        blind_values: §10.8, whether they are out of reach of the values of inputs.
        calls_unprepared: §5.5, whether a step is called although its preparation failed.
        resolves: §5.5, whether a resource can be resolved, by its id, the ids of those that cannot,
            and all that the document declares.
        input_sources: §5.5, where the value of an input is looked for, in order, by whether a
            data edge leads to it. ``given`` is the equally named input of the subworkflow node
            around (A153). An edge type other than ``data`` stands for the output of that name
            at the source of such an edge (§4.1, §4.3: no value comes that way), ``credential`` for
            what the credential of the equally named resource resolves to (§11.7: no value).
        output_of: §4.2, the output that a data edge takes.
        delivered: §5.6, what arrives of a value at the end of a data edge, in a tuple of its own;
            None for nothing.
        named: §10.3, the value that a reference to an output takes, by all outputs of the node.
        null_for_missing: §5.6, whether a missing required value becomes null.
        lasting: §5.6, whether an output is still there after that many deliveries, the second
            argument telling whether it goes into an iteration.
        bound_first: §5.5, whether outputs are bound before the node is SUCCEEDED.
        binds_late: §5.6, whether outputs are bound that come after their call was given up.
        overwrites: §5.6, which values a new output replaces: of the equally named input at its
            ``producer``, of every ``namesake``; none.
    """

    preparation: tuple[str, ...]
    blind_guards: bool
    blind_values: bool
    calls_unprepared: bool
    resolves: Callable[[str, frozenset[str], tuple[Resource, ...]], bool]
    input_sources: Callable[[bool], tuple[str, ...]]
    output_of: Callable[[Edge], str | None]
    delivered: Callable[[Any], tuple[Any] | None]
    named: Callable[[Mapping[str, Any], str], Any]
    null_for_missing: bool
    lasting: Callable[[int, bool], bool]
    bound_first: bool
    binds_late: bool
    overwrites: frozenset[str]


DATA: Final = DataRules(
    preparation=("guard", "inputs", "resources", "artifacts"),
    blind_guards=False,
    blind_values=False,
    calls_unprepared=False,
    resolves=lambda resource, missing, _declared: resource not in missing,
    input_sources=lambda linked: ("data", "default") if linked else ("value", "given", "default"),
    output_of=lambda edge: edge.from_port,
    delivered=lambda value: (value,),
    named=lambda outputs, port: outputs.get(port),
    null_for_missing=False,
    lasting=lambda _deliveries, _inner: True,
    bound_first=True,
    binds_late=False,
    overwrites=frozenset(),
)

"""Rules about names: duplicates (HX-1101) and extensions nobody knows (HX-1004)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference_runtime.validation.rule import Fault, Rule
from reference_runtime.validation.view import View

__all__ = ["RULES"]

#: Namespaces of extensions that this runtime understands: none.
UNDERSTOOD: frozenset[str] = frozenset()


def _repeated(view: View, kind: str, named: Iterable[tuple[str | None, object]]) -> Iterator[Fault]:
    """Yield every second and later carrier of a name; missing names are another rule's."""
    first: dict[str, object] = {}
    for name, carrier in named:
        if not name:
            continue
        earlier = first.setdefault(name, carrier)
        if earlier is not carrier:
            line = view.source.line_of(earlier)
            message = f"{kind} {name!r} exists already on line {line}. Rename one of the two."
            yield Fault(carrier, name, message)


def duplicates(view: View) -> Iterator[Fault]:
    """Ids are unique per kind, ports per node and direction (§2.3)."""
    harness = view.harness
    yield from _repeated(view, "Resource", ((one.id, one) for one in harness.resources))
    yield from _repeated(view, "Artifact", ((one.id, one) for one in harness.artifacts))
    yield from _repeated(view, "Node", ((one.id, one) for one in harness.nodes))
    for node in harness.nodes:
        if len(node.inputs) > 1:
            yield from _repeated(view, "Input", ((port.name, port) for port in node.inputs))
        if len(node.outputs) > 1:
            yield from _repeated(view, "Output", ((port.name, port) for port in node.outputs))
    yield from _repeated(view, "Edge", ((one.id, one) for one in harness.edges))


def required_extensions(view: View) -> Iterator[Fault]:
    """Refuse a document with an extension that is required and not understood (§2.8)."""
    for carrier, extensions in view.carriers():
        for extension in extensions:
            if extension.required and extension.namespace not in UNDERSTOOD:
                yield Fault(
                    extension,
                    extension.namespace,
                    f"The extension {extension.namespace!r} of {carrier} is required, and this "
                    "runtime understands no extensions. Use a runtime that does, or say "
                    'required="false".',
                )


RULES = (
    Rule("HX-1101", "2.3", "error", duplicates),
    Rule("HX-1004", "2.8", "error", required_extensions),
)

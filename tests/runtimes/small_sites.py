"""The expressions of a document and what they may mention (chapters 10 and 13).

Part of the two small runtimes of this folder; see ``small_gate``.
"""

from __future__ import annotations

from small_document import NS
from small_expressions import Malformed, mentions
from small_tree import Fault

FORWARD = ("control", "data", "dependency")
#: Element → its attribute that holds expressions.
SITES = (
    ("guard", "when"),
    ("case", "when"),
    ("edge", "condition"),
    ("loop", "over"),
    ("loop", "while"),
    ("wait", "until"),
    ("input", "value"),
)


def site_faults(root, bodies):
    """HX-3101 to HX-3105; ``bodies`` is loop node → what it iterates, by ids."""
    view = _View(root, bodies)
    for tag, attribute in SITES:
        for element in root.iter(f"{NS}{tag}"):
            if element.get(attribute) is None:
                continue
            try:
                found = mentions(element.get(attribute))
            except Malformed:
                yield Fault("HX-3101", element, element.get(attribute))
                continue
            for mention in found:
                yield from view.judge(element, attribute, *mention)


class _View:
    """What there is to mention, and from where."""

    def __init__(self, root, bodies):
        self.nodes = {n.get("id"): n for n in root.iter(f"{NS}node")}
        self.bodies = bodies
        self.declared = {
            kind: {e.get("id") for e in root.iter(f"{NS}{kind}")}
            for kind in ("artifact", "resource")
        }
        self.variables = {
            name: {loop.get("var", "item"), loop.get("indexVar", "index")}
            for name, node in self.nodes.items()
            for loop in node.iterfind(f"{NS}loop")
        }
        self.next = {}
        for edge in root.iter(f"{NS}edge"):
            if edge.get("type", "control") in FORWARD:
                self.next.setdefault(edge.get("from"), set()).add(edge.get("to"))

    def judge(self, element, attribute, kind, name, member):
        if kind == "function":
            yield Fault("HX-3105", element, name)
        elif kind in self.declared:
            if name not in self.declared[kind]:
                yield Fault("HX-3103", element, name)
        elif kind == "variable":
            if name not in self.visible(element):
                known = name in {"item", "index"}.union(*self.variables.values())
                yield Fault("HX-3102" if known else "HX-3103", element, name)
        elif name != "config":
            yield from self.output(element, attribute, name, member)

    def output(self, element, attribute, name, member):
        node = self.nodes.get(name)
        ports = () if node is None else node.iterfind(f"{NS}outputs/{NS}output")
        if member not in {port.get("name") for port in ports}:
            yield Fault("HX-3103", element, f"{name}.{member}")
        elif name in self.later(element, attribute):
            yield Fault("HX-3104", element, f"{name}.{member}")

    def later(self, element, attribute):
        """Nodes that cannot have completed: behind the owner, and, but for edges, itself.

        The condition of a loop may read what it iterates (A129).
        """
        owner = self.owner(element)
        found, coming = set(), [owner]
        while coming:
            more = self.next.get(coming.pop(), set()) - found
            found |= more
            coming += more
        if element.tag != f"{NS}edge":
            found.add(owner)
        return found - self.bodies.get(owner, set()) if attribute == "while" else found

    @staticmethod
    def owner(element):
        while element.tag not in (f"{NS}node", f"{NS}edge"):
            element = element.parent
        return element.get("from") if element.tag == f"{NS}edge" else element.get("id")

    def visible(self, element):
        """Iteration variables, in a body at whatever depth."""
        found, owners = set(), {self.owner(element)}
        while more := {
            loop for loop, body in self.bodies.items() if body & owners and loop not in owners
        }:
            found |= {name for loop in more for name in self.variables[loop]}
            owners |= more
        return found

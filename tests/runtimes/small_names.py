"""What the names in an expression mean where it stands (§10.3).

Part of the two small runtimes of this folder; see ``small_flow``.
"""

from __future__ import annotations

from small_expressions import CodeError

BOUND = ("SUCCEEDED", "COMPENSATED")


class Names:
    """What the names in an expression mean, seen from a scope."""

    def __init__(self, flow, owner):
        self.flow = flow
        self.owner = owner

    def variable(self, name):
        flow = self.flow
        while flow is not None and name not in flow.variables:
            flow = flow.parent
        if flow is None:
            raise CodeError("HX-4106")
        return flow.variables[name]

    def member(self, name, member):
        if name == "config":
            return self.owner.config.get(member)
        node = self.flow.find(name)
        bound = node and node.state in BOUND and not node.discarded
        return node.outputs.get(member) if bound else None

    def declared(self, kind, name):
        if not isinstance(name, str):
            raise CodeError("HX-4106")
        return self.flow.document.declared[kind].get(name)

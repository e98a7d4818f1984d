"""The part of ``small_flow`` about loops: what they iterate over and how they end (§6.5)."""

from __future__ import annotations

from small_expressions import CodeError


class Loops:
    """Reads the loop nodes of a flow, and what one of their iterations, a flow too, came to."""

    def items(self, node):
        """Index and element of each iteration; HX-4104 when more than maxIterations are due."""
        loop = node.loop
        limit = int(loop["maxIterations"])
        if loop["kind"] in ("while", "until"):
            yield from self._conditional(node, limit)
            return
        items = range(int(loop["count"])) if loop["kind"] == "times" else None
        if items is None and not isinstance(items := self.value(loop["over"], node), list):
            raise CodeError("HX-4106")
        if len(items) > limit and self.readings["A121"] == "a":
            raise CodeError("HX-4104")
        yield from enumerate(items[:limit])
        if len(items) > limit:
            raise CodeError("HX-4104")

    def _conditional(self, node, limit):
        """while is tested before each iteration, until after it, on what the last one left."""
        loop = node.loop
        index = 0
        while loop["kind"] == "until" or (node.latest or self).truth(loop["while"], node):
            if index == limit:
                raise CodeError("HX-4104")
            yield index, None
            index += 1
            if loop["kind"] == "until" and (node.latest or self).truth(loop["while"], node):
                return

    @staticmethod
    def concurrency(node):
        """What is tested between iterations has them in sequence."""
        conditional = node.loop["kind"] in ("while", "until")
        return 1 if conditional else int(node.loop.get("maxConcurrency", "1"))

    def item_failed(self):
        """Whether this iteration counts as a failed one; a handled failure does not (A116)."""
        if self.readings["A116"] == "b" and self.nodes[self.body].state == "FAILED":
            return True
        return self.unhandled

    def loop_failed(self, node, failures):
        """The loop's own outcome, from whether each iteration that ended failed."""
        match node.loop.get("onItemFailure", "fail"):
            case "break":
                return False
            case "continue":
                return all(failures) if failures else self.readings["A120"] == "b"
        return any(failures)

    @staticmethod
    def ends_loop(node, failures):
        """Whether no further iteration starts."""
        return any(failures) and node.loop.get("onItemFailure", "fail") != "continue"

"""Adapter skeleton for an engine that gets the plan and reports the run as a whole.

``pytest --runtime=skeleton_scripted:Adapter`` in the folder of this file. The engine below is a
toy: it runs the nodes one after the other in document order.
"""

from skeleton import STEPS, nodes_of


def answer_to(plan: dict, node: str, attempt: int) -> dict:
    """Return the planned answer of an attempt: the most specific address wins."""
    answers = {answer["node"]: answer for answer in plan.get("answers", [])}
    for address in (f"{node}@{attempt}", f"*@{attempt}", node, "*"):
        if address in answers:
            return answers[address]
    return {"result": "ok"}


class Adapter:
    """``run`` is no coroutine, hence scripted."""

    def describe(self) -> dict:
        """Say what the suite must know before it asks for anything."""
        levels = ["core", "executing"]
        return {"name": "skeleton-scripted", "version": "1", "levels": levels, "openSteps": 1}

    def validate(self, document: bytes) -> list[dict]:
        """Return the faults of a document, none for a valid one."""
        if not nodes_of(document):
            return [{"code": "HX-1102", "severity": "error"}]
        return []

    def run(self, document: bytes, plan: dict) -> dict:
        """Execute a document as the plan says and return everything that happened."""
        findings = self.validate(document)
        if findings:
            return {"findings": findings}
        transitions = []
        for node, type_ in nodes_of(document):
            answer = answer_to(plan, node, 1) if type_ in STEPS else {"result": "ok"}
            last = "FAILED" if answer["result"] == "fail" else "SUCCEEDED"
            transitions += [
                {"node": node, "from": "PENDING", "to": "READY"},
                {"node": node, "from": "READY", "to": "RUNNING", "attempt": 1},
                {"node": node, "from": "RUNNING", "to": last, "attempt": 1},
            ]
            if last == "FAILED":
                return {"transitions": transitions, "outcome": "failed"}
        return {"transitions": transitions, "outcome": "succeeded"}

"""Adapter skeleton: ``pytest --runtime=skeleton:Adapter`` in the folder of this file.

The engine below is a toy: it runs the nodes one after the other in document order.
"""

import re
from typing import Any

STEPS = {"task", "inference", "transform", "source", "sink", "human"}


def nodes_of(document: bytes) -> list[tuple[str, str]]:
    """Return id and type of each node; put your own parser here."""
    tags = re.findall(r"<(?:\w+:)?node\s[^>]*>", document.decode())
    return [
        (re.search(r'\sid="([^"]*)"', tag)[1], re.search(r'\stype="([^"]*)"', tag)[1])
        for tag in tags
    ]


class Adapter:
    """What the suite talks to; created once, without arguments, in a process of its own."""

    def describe(self) -> dict:
        """Say what the suite must know before it asks for anything."""
        levels = ["core", "executing"]
        return {"name": "skeleton-py", "version": "1", "levels": levels, "openSteps": 1}

    def validate(self, document: bytes) -> list[dict]:
        """Return the faults of a document, none for a valid one."""
        if not nodes_of(document):
            return [{"code": "HX-1102", "severity": "error"}]
        return []

    async def run(self, document: bytes, session: Any) -> str:
        """Execute a document and return the outcome."""
        findings = self.validate(document)
        if findings:
            return session.invalid(findings)
        for node, type_ in nodes_of(document):
            session.transition(node, "PENDING", "READY")
            session.transition(node, "READY", "RUNNING", attempt=1)
            if type_ in STEPS:
                answer = await session.invoke(node, {}, attempt=1)
                if answer.result == "fail":
                    session.transition(
                        node, "RUNNING", "FAILED", attempt=1, error_class=answer.error_class
                    )
                    return "failed"
            session.transition(node, "RUNNING", "SUCCEEDED", attempt=1)
        return "succeeded"

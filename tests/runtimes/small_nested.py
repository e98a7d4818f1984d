"""The documents that subworkflow nodes run: whether they are there, intact and sound (§3.2.7).

Nothing is ever fetched: what is not among the companions cannot be loaded. How a run goes on
inside is told to nobody, and there is nobody to ask what the steps of such a document come to
(A153): they succeed without outputs.
"""

from __future__ import annotations

import hashlib

from small_document import Document
from small_expressions import CodeError
from small_gate import errors, findings


def load(reference, world):
    """The document of a subworkflow element, or HX-4109."""
    companions = world.get("companions", {})
    content = companions.get(reference["href"])
    if content is None or not _intact(content, reference.get("digest")):
        raise CodeError("HX-4109")
    if errors(findings(content, companions)):
        raise CodeError("HX-4109")
    return Document(content)


def _intact(content, digest):
    if digest is None:
        return True
    name, _, wanted = digest.partition(":")
    known = name in hashlib.algorithms_guaranteed
    return known and hashlib.new(name, content).hexdigest() == wanted.lower()

"""A runtime that knows the documents of the corpus by heart, and nothing about any other.

From this folder: ``adapter:by_heart``. Its answers are those of the reference runtime, which
stands in for a list of answers by document.
"""

from hashlib import sha256
from pathlib import Path

from reference_runtime.adapter import adapter as reference

CASES = Path(__file__).parents[2] / "cases"
KNOWN = {sha256(path.read_bytes()).digest() for path in CASES.rglob("*.hxml")}


class ByHeart:
    def describe(self):
        return reference.describe()

    def validate(self, document, companions):
        return reference.validate(document, companions) if self._known(document) else []

    async def run(self, document, session):
        if self._known(document):
            return await reference.run(document, session)
        return session.invalid([])

    def _known(self, document):
        return sha256(document).digest() in KNOWN


adapter = ByHeart()

"""One adapter for all deviants: a companion document ``deviant:<name>`` says which one is meant.

``serial`` is the same for those that have one step open at a time. Serves who runs hundreds of
deviants and would not start a process for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reference_runtime.adapter import Interactive, Session
from reference_runtime.deviants import DEVIANTS

__all__ = ["adapter", "serial"]

_SCHEME: Final = "deviant:"


class _Chosen:
    """Passes every request on."""

    def __init__(self, open_steps: int) -> None:
        self._open_steps = open_steps

    def _chosen(self, companions: Mapping[str, bytes]) -> Interactive:
        """The deviant that the companions name, the rules themselves if they name none."""
        for uri in companions:
            if uri.startswith(_SCHEME):
                rules = DEVIANTS[uri.removeprefix(_SCHEME)].rules
                return Interactive(rules=rules, open_steps=self._open_steps)
        return Interactive(open_steps=self._open_steps)

    def describe(self) -> dict[str, Any]:
        """Say what all of them say of themselves."""
        return self._chosen({}).describe()

    def validate(self, document: bytes, companions: Mapping[str, bytes]) -> list[dict[str, Any]]:
        """Findings of the deviant that is meant."""
        return self._chosen(companions).validate(document, companions)

    async def run(self, document: bytes, session: Session, companions: Mapping[str, bytes]) -> Any:
        """Execute a document with the deviant that is meant."""
        return await self._chosen(companions).run(document, session)


adapter: Final = _Chosen(0)
serial: Final = _Chosen(1)

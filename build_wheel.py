"""Build hook: what a wheel carries beyond the three packages."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

__all__ = ["CorpusHook"]

#: place in the checkout → place in the wheel.
CARRIED = {
    "hxconf_pytest.py": "hxconf_pytest.py",
    "cases": "suite/_corpus/cases",
    "expected_traces": "suite/_corpus/expected_traces",
}


class CorpusHook(BuildHookInterface):
    """Adds the corpus and the pytest entry module, except to an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fill ``force_include``; ``version`` is ``standard`` or ``editable``."""
        if version != "editable":
            build_data["force_include"].update(CARRIED)

"""A small reference runtime of HarnessXML 1.0, one implementation among others.

``adapter:reference_runtime`` finds the interactive adapter here; everything else is in the
modules, and nothing is loaded before it is asked for.
"""

import importlib
from typing import Any

__all__ = ["adapter", "scripted", "serial"]


def __getattr__(name: str) -> Any:
    """Load the adapters when somebody asks for one."""
    if name in __all__ or name.startswith("random_"):
        return getattr(importlib.import_module("reference_runtime.adapter"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

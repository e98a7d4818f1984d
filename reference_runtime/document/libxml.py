"""How libxml2 is told to read: no network, no files, no entities, bounded depth.

Its bounds for texts are lifted: the size of a document is bounded before, and without a document
type nothing grows while it is read. With them go 256 nested elements; 2048 stay the bound.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["OPTIONS"]

#: Keyword arguments of every parser of a document.
OPTIONS: Final[dict[str, Any]] = {
    "encoding": "utf-8",
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "attribute_defaults": False,
    # An xml:id inside an extension means nothing here.
    "collect_ids": False,
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}

"""``python -m reference_runtime.deviants``: what there is, and which scenarios tell what.

``list`` prints one JSON object: the deviants, and what has none and why. ``telling NAME...``
reads a scenario from each line of standard input, {"id", "document", "plan", "companions"} with
documents in base64, and prints one JSON object: name -> ids of the scenarios that it treats
otherwise than the rules do.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode
from collections.abc import Iterable

from reference_runtime.deviants import DEVIANTS
from reference_runtime.deviants.documents import UNBREAKABLE_DOCUMENTS
from reference_runtime.deviants.lifecycle import UNBREAKABLE_LIFECYCLE
from reference_runtime.deviants.telling import telling
from reference_runtime.deviants.unbreakable import UNBREAKABLE

__all__: list[str] = []


def _list() -> object:
    deviants = {
        name: {"requirement": d.requirement, "description": d.description, "serial": d.serial}
        for name, d in DEVIANTS.items()
    }
    unbreakable = {**UNBREAKABLE, **UNBREAKABLE_LIFECYCLE, **UNBREAKABLE_DOCUMENTS}
    return {"deviants": deviants, "unbreakable": unbreakable}


def _telling(names: list[str], lines: Iterable[str]) -> dict[str, list[str]]:
    deviants = [DEVIANTS[name] for name in names]
    found: dict[str, list[str]] = {name: [] for name in names}
    for line in lines:
        scenario = json.loads(line)
        companions = {
            uri: b64decode(content) for uri, content in scenario.get("companions", {}).items()
        }
        document = b64decode(scenario["document"])
        for name in telling(document, scenario["plan"], deviants, companions):
            found[name].append(scenario["id"])
    return found


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    answer = _list() if command == "list" else _telling(arguments, sys.stdin)
    sys.stdout.write(json.dumps(answer))

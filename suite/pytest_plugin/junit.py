"""Names and totals in the JUnit file: class ``execution.joins``, name ``any-race.held``.

pytest derives class and name from ``::`` in a node id, which the ids of scenarios do not
have; its writer lets a plugin set attributes of a test case that win over the derived ones.
The writer is found by what it can do, so that this costs a name and no run where a later
pytest does it differently.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import pytest

from suite.protocol.messages import Description
from suite.runner.summary import level_line
from suite.runner.tally import Tally

__all__ = ["add_totals", "class_and_name", "name_testcase", "totals_of"]

#: Writers that name test cases, looked for at the first report: there are dozens of plugins.
_REPORTERS: Final = pytest.StashKey[list[Any]]()


def class_and_name(identifier: str) -> tuple[str, str]:
    """Split a scenario id into the dotted folder and the last part."""
    folder, _, name = identifier.rpartition("/")
    return folder.replace("/", "."), name


def name_testcase(config: pytest.Config, report: pytest.TestReport) -> None:
    """Give the test case of a report its class and name, before pytest's own writer sees it."""
    if report.when != "call" and report.passed:
        return
    if _REPORTERS not in config.stash:
        config.stash[_REPORTERS] = list(_writers(config, "node_reporter"))
    classname, name = class_and_name(report.nodeid)
    for writer in config.stash[_REPORTERS]:
        case = writer.node_reporter(report)
        prefix = getattr(writer, "prefix", None)
        case.add_attribute("classname", f"{prefix}.{classname}" if prefix else classname)
        case.add_attribute("name", name)


def add_totals(config: pytest.Config, totals: Callable[[], dict[str, str]]) -> None:
    """Add properties of the whole run; they are computed only where they are written."""
    for writer in _writers(config, "add_global_property"):
        for name, value in totals().items():
            writer.add_global_property(name, value)


def totals_of(tally: Tally, described: Description) -> dict[str, str]:
    """Return what is said of a whole run, as property → value."""
    return {
        "runtime": f"{described.name} {described.version}",
        "corpus": tally.corpus.digest,
        "selected": str(len(tally.selected)),
        "deselected": str(tally.deselected),
        "level": level_line(tally, tally.assessment(described)),
    }


def _writers(config: pytest.Config, ability: str) -> Iterable[Any]:
    return [p for p in config.pluginmanager.get_plugins() if hasattr(p, ability)]

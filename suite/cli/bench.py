"""Where deviants of the reference runtime are run: few processes, and nothing that tells nothing.

The suite imports no runtime; it asks ``python -m reference_runtime.deviants`` for the deviants
and for the scenarios that can tell one of them from the rules. One adapter then serves all
deviants: a companion document names the one that is meant.
"""

import json
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import msgspec

from suite.cli.words import UsageError
from suite.corpus.case import Scenario
from suite.corpus.catalogue import Corpus
from suite.protocol.exchange import AdapterDidNotStart
from suite.runner.runner import Runner
from suite.runner.settings import SettingError, Settings
from suite.verdict.verdict import Verdict

__all__ = ["Known", "execute_all", "known_deviants", "telling"]

_MODULE: Final = "reference_runtime.deviants"

#: Seconds for one scenario; deviants that hang do so for good.
_LIMIT: Final = 5.0

#: Processes at work together.
_WORKERS: Final = min(4, os.cpu_count() or 1)


class Known(msgspec.Struct, frozen=True):
    """A deviant as it is listed: the requirement that it breaks, and what it does wrong."""

    requirement: str
    description: str


class _Bench(Runner):
    """A runner whose adapter outlives the deviants."""

    def verdicts(self, name: str, scenarios: Sequence[Scenario]) -> list[Verdict]:
        """Return the verdicts on one deviant; crashes of the one before do not count."""
        self._streak = 0
        return [self.execute(_addressed(scenario, name)).verdict for scenario in scenarios]


def _addressed(scenario: Scenario, name: str) -> Scenario:
    """Return the scenario with a companion that names the deviant."""
    companions = {**scenario.case.companions, f"deviant:{name}": b""}
    case = msgspec.structs.replace(scenario.case, companions=companions)
    return msgspec.structs.replace(scenario, case=case)


def known_deviants() -> tuple[dict[str, Known], dict[str, str]]:
    """Return all deviants by name, and the requirements that have none with the reason.

    Raises:
        UsageError: the reference runtime cannot be loaded.
    """
    answer = _ask(["list"], "")
    deviants = {name: Known(*line) for name, line in answer["deviants"].items()}
    return deviants, answer["unbreakable"]


def telling(corpus: Corpus, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return for each deviant the scenarios in which it does not do what the rules do.

    Raises:
        UsageError: the reference runtime cannot be loaded.
    """
    scenarios = list(corpus.scenarios.values())
    parts = [scenarios[start::_WORKERS] for start in range(_WORKERS)]
    found: dict[str, set[str]] = {name: set() for name in names}
    with ThreadPoolExecutor(_WORKERS) as pool:
        for answer in pool.map(lambda part: _ask(["telling", *names], _lines(part)), parts):
            for name in names:
                found[name].update(answer[name])
    return {name: tuple(s for s in corpus.scenarios if s in found[name]) for name in names}


def _lines(scenarios: Sequence[Scenario]) -> str:
    return "".join(
        json.dumps(
            {
                "id": scenario.id,
                "document": b64encode(scenario.case.document).decode("ascii"),
                "plan": msgspec.to_builtins(scenario.plan),
            }
        )
        + "\n"
        for scenario in scenarios
    )


def _ask(arguments: Sequence[str], given: str) -> Any:
    """Ask a process of its own about the deviants."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", _MODULE, *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise UsageError(f"deviants: {_MODULE} cannot be loaded: {last[0]}")
    return json.loads(done.stdout)


def execute_all(corpus: Corpus, chosen: Mapping[str, Sequence[str]]) -> dict[str, list[Verdict]]:
    """Return for each deviant the verdicts on the scenarios chosen for it.

    Raises:
        UsageError: the adapter does not start.
    """
    verdicts: dict[str, list[Verdict]] = {}
    names = list(chosen)

    def work(mine: Sequence[str]) -> None:
        settings = Settings(target=f"adapter:{_MODULE}.chosen", limit=_LIMIT, confirm=False)
        bench = _Bench(corpus, settings)
        try:
            for name in mine:
                scenarios = [corpus.scenarios[scenario] for scenario in chosen[name]]
                verdicts[name] = bench.verdicts(name, scenarios)
        except (SettingError, AdapterDidNotStart) as error:
            raise UsageError(str(error)) from error
        finally:
            bench.close()

    with ThreadPoolExecutor(_WORKERS) as pool:
        for _ in pool.map(work, [names[start::_WORKERS] for start in range(_WORKERS)]):
            pass
    return verdicts

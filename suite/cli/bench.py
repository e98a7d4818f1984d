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

__all__ = ["Known", "Trial", "execute_all", "known_deviants", "plan_of", "telling"]

_MODULE: Final = "reference_runtime.deviants"

#: Whether steps are open one at a time → adapter.
_TARGETS: Final = {
    False: f"adapter:{_MODULE}.chosen",
    True: f"adapter:{_MODULE}.chosen:serial",
}

#: Seconds for one scenario; deviants that hang do so for good.
_LIMIT: Final = 5.0

#: Processes at work together.
_WORKERS: Final = min(4, os.cpu_count() or 1)


class Known(msgspec.Struct, frozen=True):
    """A deviant as it is listed.

    Attributes:
        requirement: id in the ledger of what it breaks.
        description: what it does wrong.
        serial: whether it has one step open at a time.
    """

    requirement: str
    description: str
    serial: bool = False


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What to run a deviant with.

    Attributes:
        known: the deviant.
        scenarios: ids, in the order in which they are run.
        told: number of scenarios in which the deviant does not do what the rules do.
        thorough: whether all are run, and not only those up to the first that fails it for its
            own requirement.
    """

    known: Known
    scenarios: tuple[str, ...]
    told: int
    thorough: bool


class _Bench(Runner):
    """A runner whose adapter outlives the deviants."""

    def verdicts(self, name: str, trial: Trial) -> list[Verdict]:
        """Return the verdicts on one deviant; crashes of the one before do not count."""
        self._streak = 0
        verdicts: list[Verdict] = []
        for scenario in trial.scenarios:
            addressed = _addressed(self.corpus.scenarios[scenario], name)
            verdicts.append(self.execute(addressed).verdict)
            if trial.known.requirement in verdicts[-1].blamed and not trial.thorough:
                break
        return verdicts


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
    deviants = {name: Known(**fields) for name, fields in answer["deviants"].items()}
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


def plan_of(scenario: Scenario) -> dict[str, Any] | None:
    """Return what a scenario is played with; None where only the document is judged."""
    text = scenario.case.text
    if scenario.plan is None:
        return {"refused": list(text.refused)} if text.run else None
    fields: dict[str, Any] = json.loads(msgspec.json.encode(scenario.plan))
    return fields


def _lines(scenarios: Sequence[Scenario]) -> str:
    return "".join(
        json.dumps(
            {
                "id": scenario.id,
                "document": b64encode(scenario.case.document).decode("ascii"),
                "plan": plan_of(scenario),
                "companions": {
                    uri: b64encode(content).decode("ascii")
                    for uri, content in scenario.case.companions.items()
                },
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


def execute_all(corpus: Corpus, trials: Mapping[str, Trial]) -> dict[str, list[Verdict]]:
    """Return the verdicts on each deviant.

    Raises:
        UsageError: the adapter does not start.
    """
    verdicts: dict[str, list[Verdict]] = {}
    waiting = iter(list(trials))

    def work(_number: int) -> None:
        benches = {
            serial: _Bench(corpus, Settings(target=target, limit=_LIMIT, confirm=False))
            for serial, target in _TARGETS.items()
        }
        try:
            for name in waiting:
                bench = benches[trials[name].known.serial]
                verdicts[name] = bench.verdicts(name, trials[name])
        except (SettingError, AdapterDidNotStart) as error:
            raise UsageError(str(error)) from error
        finally:
            for bench in benches.values():
                bench.close()

    with ThreadPoolExecutor(_WORKERS) as pool:
        for _ in pool.map(work, range(_WORKERS)):
            pass
    return verdicts

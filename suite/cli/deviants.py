"""``hxconf deviants``: is every runtime with one fault failed, and for that fault?"""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from suite.cli.measure import measure
from suite.cli.words import Arguments, UsageError, corpus_or_exit, say
from suite.verdict.status import EXIT
from suite.verdict.verdict import Verdict

__all__ = ["Score", "main", "score"]

#: A deviant that fails more scenarios than this breaks more than one thing.
_MOST: Final = 0.2

_MODULE: Final = "reference_runtime.deviants"
_LIST: Final = f"""\
import json
from {_MODULE} import DEVIANTS
print(json.dumps({{n: [d.requirement, d.description] for n, d in DEVIANTS.items()}}))
"""


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What the corpus makes of one deviant.

    Attributes:
        failing: scenarios that fail.
        killers: those whose first divergence cites the deviant's own requirement.
        share: of the scenarios that were judged.
    """

    name: str
    requirement: str
    failing: tuple[str, ...]
    killers: tuple[str, ...]
    share: float

    @property
    def good(self) -> bool:
        """Whether it is killed for its own requirement, and precisely."""
        return bool(self.killers) and self.share <= _MOST


def score(name: str, requirement: str, verdicts: Sequence[Verdict]) -> Score:
    """Return the score of a deviant that breaks ``requirement``."""
    judged = [v for v in verdicts if v.red or v.status == "pass"]
    failing = [v for v in judged if v.red]
    return Score(
        name=name,
        requirement=requirement,
        failing=tuple(v.scenario for v in failing),
        killers=tuple(v.scenario for v in failing if requirement in v.blamed),
        share=len(failing) / max(1, len(judged)),
    )


def main(arguments: Sequence[str]) -> int:
    """Print a line for each deviant; 1 when one survives or fails too much."""
    parser = Arguments("deviants", "Run every deviant of the reference runtime.")
    parser.add_argument("name", nargs="*", help="deviants (default: all)")
    names = parser.parse_args(arguments).name
    known = _deviants()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"deviants: no deviant {unknown[0]!r}; there are {', '.join(known)}")
    corpus = corpus_or_exit()
    bad = 0
    for name in names or known:
        requirement, description = known[name]
        _, verdicts = measure(corpus, f"adapter:{_MODULE}:{name}", 10.0)
        result = score(name, requirement, verdicts)
        bad += not result.good
        _tell(result, description)
    say(f"{len(names or known) - bad} of {len(names or known)} killed for their own requirement")
    return EXIT["failed"] if bad else EXIT["ok"]


def _tell(result: Score, description: str) -> None:
    fate = "killed" if result.killers else "killed for another reason" * bool(result.failing)
    wide = f", over {_MOST:.0%} of the corpus" if result.share > _MOST else ""
    say(
        f"{fate or 'SURVIVED'}: {result.name} ({result.requirement}): {description}; "
        f"{len(result.failing)} scenarios fail ({result.share:.0%}){wide}"
    )
    for scenario in result.killers or result.failing:
        say(f"  {scenario}")


def _deviants() -> dict[str, tuple[str, str]]:
    """Ask a process of its own for the names: the suite imports no runtime."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", _LIST], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise UsageError(f"deviants: {_MODULE} cannot be loaded: {last[0]}")
    return {
        name: (requirement, says) for name, (requirement, says) in json.loads(done.stdout).items()
    }

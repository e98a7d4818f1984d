"""Decide before a scenario runs whether this implementation can show anything by it."""

from typing import Final, Literal

from suite.corpus.case import LEVELS, Level
from suite.corpus.needs import Needs
from suite.protocol.messages import Description
from suite.verdict.status import Status

__all__ = ["Mode", "gate", "highest_level", "mode_of"]

#: How much of a run the suite controls and sees; part of the word of every level.
Mode = Literal["full control", "trace only"]

#: Needs that are features of the runtime: declared off by an interactive runtime they are
#: ``unsupported``; a scripted one has no way to be told.
_FEATURES: Final = {
    "cancel": "an instance cancelled from outside",
    "events": "external events",
    "faults": "resources or digests made to fail",
    "secrets": "credentials that resolve to what the run says",
}


#: Needs that a scripted runtime cannot meet whatever it declares.
_CONTROL: Final = {
    "holds": "answers held back",
    "idle": "something done at a quiescent point",
    "idle_states": "a look at quiescent points",
    "virtual_clock": "a virtual clock that the suite moves",
}

#: Needs that a scripted runtime meets by a feature of the same name.
_SHOWN: Final = {
    "iterations": "a plan that addresses iterations",
    "calls": "a look at step calls",
}


def mode_of(description: Description) -> Mode:
    """Return the mode in which levels are assessed.

    A runtime is under full control when the suite answers its calls, more than one step may
    be open, and time and quiescence are not guessed. Everything else shows its traces only.
    """
    full = (
        description.control == "interactive"
        and description.open_steps != 1
        and description.clock == "virtual"
        and description.quiescence == "idle"
    )
    return "full control" if full else "trace only"


def highest_level(description: Description) -> Level | None:
    """Return the highest level that the runtime declares, which bounds the readings accepted."""
    return max(description.levels, key=LEVELS.index, default=None)


def gate(needs: Needs, level: Level, description: Description) -> tuple[Status, str] | None:
    """Return status and reason when the scenario is not to be run, None when it is."""
    if level not in description.levels:
        declared = ", ".join(description.levels) or "none"
        return "unsupported", f"level {level} is not declared (declared: {declared})"
    return _features(needs, description) or _steps(needs, description) or _means(needs, description)


def _features(needs: Needs, description: Description) -> tuple[Status, str] | None:
    for need, says in _FEATURES.items():
        if getattr(needs, need) and need not in description.features:
            if description.control == "scripted":
                return "not-run", f"needs {says}; no way to tell this runtime (feature {need})"
            return "unsupported", f"needs {says}; feature {need} is not declared"
    return None


def _steps(needs: Needs, description: Description) -> tuple[Status, str] | None:
    if 0 < description.open_steps < needs.open_steps:
        reason = f"needs {needs.open_steps} steps open together"
        return "inapplicable", f"{reason}; openSteps is {description.open_steps} (§5.4)"
    return None


def _means(needs: Needs, description: Description) -> tuple[Status, str] | None:
    """Collect what the suite could not do or see."""
    lacks: list[str] = []
    if description.control == "scripted":
        lacks += [says for need, says in _CONTROL.items() if getattr(needs, need)]
        lacks += [
            f"{says} (feature {need})"
            for need, says in _SHOWN.items()
            if getattr(needs, need) and need not in description.features
        ]
    else:
        if needs.idle_states and description.quiescence != "idle":
            lacks.append("quiescent points told by the runtime (quiescence idle)")
        if needs.virtual_clock and description.clock != "virtual":
            lacks.append("a virtual clock that the suite moves (clock virtual)")
    if needs.codes and "codes" not in description.features:
        lacks.append("a look at run-time codes (feature codes)")
    return ("not-run", f"needs {', '.join(lacks)}") if lacks else None

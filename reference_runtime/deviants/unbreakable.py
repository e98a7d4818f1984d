"""Requirements that have no deviant, because none could be seen in any corpus, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["UNBREAKABLE"]

_ADVICE: Final = "the sentence is advice: not to follow it gives a note, and no scenario fails"
_FREEDOM: Final = "the sentence leaves the runtime free: whatever it does is accepted"

UNBREAKABLE: Final[Mapping[str, str]] = {
    "4.4-error-edge-fires-once": "a handler that runs again leaves a final state, which "
    "6.2-no-leaving-succeeded-except-compensated names; a second call of one attempt is named by "
    "5.5-step-runs-under-timeout",
    "5.3.2-any-fires-once": "a join that fires again leaves a final state, which "
    "6.2-no-leaving-succeeded-except-compensated names; a second call of one attempt is named by "
    "5.5-step-runs-under-timeout",
    "5.3.3-failed-source-does-not-block-join": "one reading of an open point; the other is "
    "accepted, too",
    "5.3.3-untriggered-handler-does-not-block-join": "one reading of an open point; the other is "
    "accepted, too",
    "5.4-any-degree-of-concurrency": _FREEDOM,
    "5.4-any-order-of-ready-nodes": _FREEDOM,
    "13.5-all-findings": _ADVICE,
    "14.3-not-transient-by-default": "one reading of an open point; the other is accepted, too",
    "7.2.4-any-completion-order-above-one": _FREEDOM,
}

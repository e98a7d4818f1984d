"""Wrappers around the reference runtime that tamper with what it reports, or only reorder it.

From this folder: ``adapter:wrappers:drop_3`` leaves out the third transition of every run,
``repeat_3`` sends it twice, ``falsify_3`` reports another end of it, ``early_3`` reports the
fourth before the third. ``shuffled_7`` changes nothing but legal scheduling.
"""

import random

from reference_runtime.adapter import adapter as reference
from reference_runtime.adapter import scripted

OTHER = {"SUCCEEDED": "FAILED", "FAILED": "SUCCEEDED", "SKIPPED": "CANCELLED"}


class Tampering:
    """The reference runtime behind a session that alters its transitions."""

    def __init__(self, alter):
        self.alter = alter

    def describe(self):
        return reference.describe()

    def validate(self, document, companions):
        return reference.validate(document, companions)

    async def run(self, document, session):
        return await reference.run(document, self.alter(session))


class Session:
    """Passes everything on; ``change`` sees each transition with its number."""

    def __init__(self, session, change):
        self._session = session
        self._change = change
        self._count = 0
        self._late = None

    def __getattr__(self, name):
        return getattr(self._session, name)

    def transition(self, node, from_, to, **fields):
        self._count += 1
        for call in self._change(self._count, (node, from_, to, fields)):
            self._session.transition(*call[:3], **call[3])


def drop(number):
    return lambda count, call: [] if count == number else [call]


def repeat(number):
    return lambda count, call: [call] * (2 if count == number else 1)


def falsify(number):
    def change(count, call):
        node, from_, to, fields = call
        return [(node, from_, OTHER.get(to, "SUCCEEDED"), fields) if count == number else call]

    return change


def early(number):
    kept = []

    def change(count, call):
        if count == number:
            kept.append(call)
            return []
        if count == number + 1:
            return [call, kept.pop()]
        return [call]

    return change


class Shuffled:
    """The scripted runtime, its trace in another order that keeps every cause before its effect.

    A transition waits for the one before it at its node or iteration. What others may have
    caused waits for all that came before it: READY, CANCELLED, COMPENSATED, the end of a loop.
    """

    def __init__(self, seed):
        self.seed = seed

    def describe(self):
        return {**scripted.describe(), "features": []}

    def validate(self, document, companions):
        return scripted.validate(document, companions)

    def run(self, document, plan):
        result = scripted.run(document, plan)
        moves = [m for m in result.get("transitions", ()) if m.get("type") in (None, "transition")]
        return {**result, "transitions": self.mix(moves)}

    def mix(self, moves):
        chance = random.Random(self.seed)
        loops = {step["loop"] for move in moves for step in move.get("iteration", ())}
        queues = {}
        for place, move in enumerate(moves):
            path = tuple((s["loop"], s["index"]) for s in move.get("iteration", ()))
            queues.setdefault((move["node"], path), []).append((place, move))
        out, taken, done = [], set(), 0
        while queues:
            free = [
                key
                for key, ((place, move), *_) in queues.items()
                if place == done or not caused(move, loops)
            ]
            place, move = queues[(key := chance.choice(free))].pop(0)
            if not queues[key]:
                del queues[key]
            out.append(move)
            taken.add(place)
            while done in taken:
                done += 1
        return out


def caused(move, loops):
    """Whether transitions of other nodes may have been the cause of one."""
    ends = move["node"] in loops and move["to"] not in ("RUNNING", "RETRYING")
    return ends or move["to"] in ("READY", "CANCELLED", "COMPENSATED")


KINDS = {"drop": drop, "repeat": repeat, "falsify": falsify, "early": early}


def __getattr__(name):
    kind, _, number = name.rpartition("_")
    if kind == "shuffled":
        return Shuffled(int(number))
    if kind not in KINDS:
        raise AttributeError(name)
    return Tampering(lambda session: Session(session, KINDS[kind](int(number))))

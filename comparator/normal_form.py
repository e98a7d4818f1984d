"""The normal form of a trace: what is left of it without times and without interleaving.

Every legal interleaving of one run has the same normal form. Each lifecycle has a hash
chained over its steps, so that no two sequences of steps share one by adding up alike.
"""

import hashlib

import msgspec

from comparator.facts import Facts
from comparator.form import Where, as_key
from comparator.graph import Graph
from comparator.trace import Key, Trace
from comparator.walk import Run, walk

__all__ = ["NormalForm", "normal_form"]


class NormalForm(msgspec.Struct, frozen=True):
    """A trace up to the interleaving of its lifecycles.

    Attributes:
        paths: address → states entered after PENDING, for lifecycles that moved, in order of
            their addresses.
        outcome: as reported.
        digest: hexadecimal SHA-256 over all of it and over the states left.
    """

    paths: dict[str, str]
    outcome: str | None
    digest: str


def normal_form(facts: Facts, trace: Trace) -> NormalForm:
    """Return the normal form of ``trace``, which need not be legal."""
    run = Run(Graph(facts), trace.transitions)
    walk(run)
    paths = {
        _address(as_key(where)): history.word for where, history in run.at.items() if history.length
    }
    chains = {_address(as_key(where)): chain for where, chain in _chains(run).items()}
    whole = hashlib.sha256(repr(trace.outcome).encode())
    for address in sorted(chains):
        whole.update(f"{address}\0".encode() + chains[address])
    return NormalForm({a: paths[a] for a in sorted(paths)}, trace.outcome, whole.hexdigest())


def _chains(run: Run) -> dict[Where, bytes]:
    """Return the hash of each lifecycle, each step hashed together with all before it."""
    chains: dict[Where, bytes] = {}
    for place, transition in enumerate(run.transitions):
        where = run.keys_at.get(place, transition.node)
        if where is None or (
            where not in chains and transition.from_ == transition.to == "PENDING"
        ):
            continue
        step = f"{transition.from_}\0{transition.to}\0".encode()
        chains[where] = hashlib.sha256(chains.get(where, b"") + step).digest()
    return chains


def _address(key: Key) -> str:
    """Write the key with its loops named, so that no two share an address."""
    inner = ",".join(f"{loop}:{index}" for loop, index in key.steps)
    return f"{key.node}[{inner}]" if inner else key.node

"""What the entries of a golden are held against: the pass over the trace, indexed on demand."""

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

from comparator.address import Address, parse_address, parse_event
from comparator.difference import Difference
from comparator.form import Where, as_key, resolve, where_of
from comparator.golden import Golden, Section
from comparator.lifecycle import INITIAL
from comparator.observation import Observation
from comparator.steps import Steps
from comparator.trace import Key
from comparator.walk import Run

__all__ = ["Evidence", "unobservable"]

#: The place of the state in which every lifecycle begins.
BEFORE_ALL = -1


def unobservable(cites: tuple[str, ...], key: Key | None, what: str) -> Difference:
    """Return the difference that says that nothing can be said.

    It stands among the differences so that nobody passes a run for want of evidence.
    """
    return Difference(kind="unobservable", cites=cites, key=key, expected=what)


class Evidence:
    """One observed run, with addresses and events of a golden looked up in it.

    Attributes:
        run: the trace, passed over.
        observation: everything else that was seen.
    """

    def __init__(self, run: Run, observation: Observation, golden: Golden) -> None:
        """Index what any entry of ``golden`` will ask for, in one further pass if need be."""
        self.run = run
        self.observation = observation
        self._wheres: dict[str, Where] = {}
        self._entered: dict[Where, dict[str, list[int]]] = {}
        options = [option for choice in golden.choices for option in choice.options]
        wanted = self._wanted((golden, *options))
        wanted.update(self.where(address) for option in options for address in option.paths)
        self._places = run.places(wanted)

    def _wanted(self, sections: Iterable[Section]) -> set[Where]:
        wanted: set[Where] = set()
        for section in sections:
            for order in section.order:
                for text in (order.event, *order.after):
                    event = parse_event(text)
                    wanted.add(self._where(Address(event.node, event.iteration)))
            named = [entry.node.partition("@")[0] for entry in section.timers]
            named += [address for idle in section.at_idle for address in idle.states]
            wanted.update(self.where(address) for address in named)
        return wanted

    @cached_property
    def steps(self) -> Steps | None:
        """The step calls in their attempts, None where calls are not shown."""
        calls = self.observation.calls
        return None if calls is None else Steps(self.run, calls)

    @cached_property
    def codes(self) -> tuple[dict[str, set[str]], set[str]]:
        """Codes reported by node, on transitions or beside them, and those without a node."""
        found: dict[str, set[str]] = {}
        anonymous: set[str] = set()
        for transition in self.run.transitions:
            if transition.code is not None:
                found.setdefault(transition.node, set()).add(transition.code)
        for report in self.observation.reports or ():
            own = anonymous if report.node is None else found.setdefault(report.node, set())
            own.add(report.code)
        return found, anonymous

    def where(self, text: str) -> Where:
        """Return the lifecycle that an address in a golden stands for.

        Raises:
            AddressError: it stands for none in this document.
        """
        found = self._wheres.get(text)
        if found is None:
            # The common address is a node of the main flow and needs no parsing.
            graph = self.run.graph
            plain = text in graph.facts.nodes and text not in graph.extent
            found = self._wheres[text] = text if plain else self._where(parse_address(text))
        return found

    def _where(self, address: Address) -> Where:
        graph = self.run.graph
        return where_of(graph, resolve(graph, address))

    def key(self, text: str) -> Key:
        """Return the key that an address in a golden stands for."""
        return as_key(self.where(text))

    def places(self, where: Where) -> list[int]:
        """Return the places of the entries of a lifecycle that the golden names."""
        return self._places.get(where, [])

    def places_of_all(self, wheres: Iterable[Where]) -> dict[Where, list[int]]:
        """Return the places of the entries of any lifecycles, in one further pass if need be."""
        known = {where: self._places.get(where) for where in wheres}
        fresh = self.run.places(where for where, places in known.items() if places is None)
        return {w: fresh[w] if places is None else places for w, places in known.items()}

    def place_of(self, text: str) -> tuple[Key, int | None]:
        """Return whose event it is and its place, None when it never happens."""
        event = parse_event(text)
        where = self._where(Address(event.node, event.iteration))
        if event.state == INITIAL:
            return as_key(where), BEFORE_ALL
        entered = self._entered.get(where)
        if entered is None:
            entered = self._entered[where] = {}
            for place in self.places(where):
                entered.setdefault(self.run.transitions[place].to, []).append(place)
        places = entered.get(event.state, [])
        found = places[event.occurrence - 1] if event.occurrence <= len(places) else None
        return as_key(where), found

    def state_at(self, where: Where, place: int) -> str:
        """Return the state after the first ``place`` transitions of the trace."""
        places = self.places(where)
        index = bisect_left(places, place)
        return self.run.transitions[places[index - 1]].to if index else INITIAL

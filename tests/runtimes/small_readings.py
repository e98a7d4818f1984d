"""What the small runtimes of this folder follow where the text is open.

What a point is about stands in cases/interpretations.toml and the list of ambiguities behind it.
"""

from __future__ import annotations


class Readings(dict):
    """Which reading of an open point a runtime follows: ``a`` unless said otherwise."""

    def __missing__(self, point):
        return "a"


#: Level Full: none of them the preferred one.
UNUSUAL = Readings(
    P="b",  # permissions are declared, and that is all
    T="b",  # a failure of which no class is known is called transient
    U="b",  # only the three bullets of §5.3.3 make an edge negative
    V="b",  # one event ends one wait
    A05="b",  # unwinding with nothing to undo ends as compensated
    A08="c",  # a cancel from outside leaves PENDING nodes
    A15="b",  # RUNNING→RETRYING→FAILED for a class outside retryOn
    A16="b",  # and after the last attempt
    A17="b",  # onTimeout="skip" by way of RETRYING and READY
    A18="d",  # without its value a data edge is not satisfied
    A21="b",  # null is a value for an input's expression
    A30="b",  # a node whose required value cannot come any more stays PENDING
    A31="b",  # the same for a condition that is false
    A39="b",  # the target fails of a faulty condition
    A47="b",  # an error edge spares a losing branch
    A57="b",  # what could only have reached an any join does not start after it
    A66="b",  # targets of decisions start with an instance without entry
    A70="b",  # an otherwise target is reached by another path
    A75="b",  # all cases are evaluated
    A91="b",  # unwinding cancels PENDING nodes
    A92="b",  # RETRYING→READY→CANCELLED in unwinding
    A93="b",  # what ends after unwinding began is not undone
    A94="b",  # dependents of the failed node become READY and are CANCELLED
    A121="b",  # HX-4104 when more iterations than permitted are due, not before the first
    A116="b",  # an iteration whose failure was handled failed all the same
    A120="b",  # continue without an iteration is FAILED
    A143="b",  # a timeout does not limit waits
    A147="b",  # an event that nobody waits for is lost
)

#: Level Executing: what is under way ends by itself.
PLAIN = Readings(
    A08="c",
    A84="b",  # an error edge does not open a dead join
    A50="c",  # a losing sibling in its backoff goes on
    A92="c",  # and so does any node when the run unwinds
    A94="c",  # dependents of the failed node run
    A95="b",  # running work ends by itself when a failure propagates
    A123="b",  # and so do iterations beside one that failed
    X="b",  # and so does what is running at a cancel from outside
)

#: Readings that are told apart here; a mixed runtime draws one for each point.
DRAWN = {
    **dict.fromkeys(UNUSUAL, "ab"),
    "A08": "ac",
    "W": "ab",
    "A18": "abd",
    "A39": "abc",
    "A48": "ab",
    "A50": "abc",
    "A92": "abc",
    "A94": "abc",
    "A96": "ab",
    "A98": "ab",
    "A123": "ab",
    "X": "ab",
}


def draw(chance):
    """Readings by a source of chance, whatever goes with what."""
    return Readings({point: chance.choice(options) for point, options in DRAWN.items()})

"""The runs of an area as a hypothesis strategy, for tests that want hypothesis to draw them.

A campaign draws without it: choosing every byte by hypothesis takes longer than judging the run.
"""

from hypothesis import strategies as st

from suite.fuzz.areas import Area
from suite.fuzz.generate import BYTES_PER_NODE, decode_example
from suite.fuzz.model import Example

__all__ = ["examples"]


def examples(area: Area) -> st.SearchStrategy[Example]:
    """Strategy of all runs of an area: a number of nodes, and all the bytes they need."""
    sizes = {n: n * BYTES_PER_NODE for n in range(1, area.max_nodes + 1)}
    blobs = {n: st.binary(min_size=size, max_size=size) for n, size in sizes.items()}
    count = st.integers(1, area.max_nodes)

    @st.composite
    def draw_example(draw: st.DrawFn) -> Example:
        return decode_example(draw(blobs[draw(count)]), area)

    return draw_example()

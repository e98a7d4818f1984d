"""A fuzz campaign: random runs of one runtime until the oracle disagrees, then the smallest one."""

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from suite.corpus.plan import Plan
from suite.fuzz.areas import area_of
from suite.fuzz.finding import Finding
from suite.fuzz.generate import draw_examples
from suite.fuzz.model import Example, Model, Node, all_ids, healed, node_id
from suite.fuzz.observed import observe
from suite.fuzz.oracle import judge_run
from suite.fuzz.reduce import reduce_example
from suite.fuzz.render import render_document, render_plan
from suite.protocol.exchange import AdapterDidNotStart, Exchange
from suite.protocol.messages import Description
from suite.protocol.request import Request
from suite.protocol.runtime import AnyRuntime
from suite.protocol.transcript import Transcript

__all__ = ["CampaignResult", "Failure", "run_campaign"]

#: Real seconds that may be spent on making a failing run smaller.
REDUCE_SECONDS = 30.0
#: Real seconds for one run.
_LIMIT = 10.0


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A run on which runtime and oracle disagree.

    Attributes:
        reproducible: whether the run failed again when it was repeated.
    """

    example: Example
    document: bytes
    plan: Plan
    findings: tuple[Finding, ...]
    exchange: Exchange
    reproducible: bool = True


class CampaignResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a campaign.

    Attributes:
        examples: runs judged, up to and including the first that failed; making it smaller is
            not counted.
        seconds: real duration, making it smaller included.
        failure: the smallest failing run found, None when there was none.
    """

    area: str
    seed: int
    examples: int
    seconds: float
    failure: Failure | None = None

    @property
    def clean(self) -> bool:
        """Whether the oracle agreed with every run."""
        return self.failure is None


def _not_ended(exchange: Exchange) -> Finding | None:
    """The finding for a run that came to no regular end."""
    observed = {
        "findings": "the document was refused: "
        + ", ".join(f.code for f in exchange.findings if f.severity == "error"),
        "deadlock": "nothing moves and nothing is left to answer",
    }.get(exchange.kind, f"{exchange.kind}: {exchange.detail}")
    cites = {
        "deadlock": ("5.7-complete-when-nothing-can-move",),
        "findings": ("5.1-invalid-document-not-executed",),
    }.get(exchange.kind, ())
    if exchange.kind == "ended":
        return None
    return Finding(cites, "", "run", "a valid document to run to its end", observed)


def _within(description: Description, example: Example) -> Example:
    """Leave out what the runtime has not declared: a cancel from outside, answers by iteration.

    When a scripted run is cancelled its trace does not tell.
    """
    cancels = description.control == "interactive" and "cancel" in description.features
    if not cancels and example.schedule.cancel is not None:
        example = replace(example, schedule=replace(example.schedule, cancel=None))
    if description.control == "scripted" and "iterations" not in description.features:
        loops = any(node.loop is not None for node in example.model.nodes)
        nodes = tuple(map(_alike, example.model.nodes)) if loops else example.model.nodes
        example = replace(example, model=replace(example.model, nodes=nodes))
    return example


def _alike(node: Node) -> Node:
    """A loop of which all iterations answer ok."""
    if node.loop is None:
        return node
    whole = healed(Model((node,)))
    return whole.nodes[0]


class _Run(NamedTuple):
    """An example that is ready to be run: the workflow as the runtime can play it."""

    example: Example
    model: Model
    request: Request


def _in_pairs(runs: Iterable[_Run]) -> Iterator[tuple[_Run, _Run | None]]:
    """Return each run with the one that follows it."""
    before = None
    for run in runs:
        if before is not None:
            yield before, run
        before = run
    if before is not None:
        yield before, None


class _Campaign:
    """Judges examples, counts them and remembers the smallest failing one."""

    def __init__(
        self,
        runtime: AnyRuntime,
        limit: float,
        total: int,
        progress: Callable[[int, int], None] | None,
        *,
        full: bool | None,
    ) -> None:
        self.runtime = runtime
        self.limit = limit
        self.full = "full" in runtime.description.levels if full is None else full
        self.total = total
        self.progress = progress
        self.count = 0
        self.stop_at = 0.0
        self.worst: tuple[Example, Exchange, tuple[Finding, ...]] | None = None

    def prepare(self, example: Example) -> _Run:
        """Write document and plan of an example."""
        played = _within(self.runtime.description, example)
        model = played.model
        request = Request(
            document=render_document(model),
            companions={},
            plan=render_plan(played),
            limit=self.limit,
            known_nodes=set(all_ids(model)),
            undoing={node_id(e.target) for e in model.edges if e.type == "compensation"},
        )
        return _Run(example, model, request)

    def first_failing(self, examples: Iterable[Example]) -> Example | None:
        """Judge one after the other until one fails, and remember it.

        The runtime is at work on the next one while one is judged and another is drawn.
        """
        for run, following in _in_pairs(map(self.prepare, examples)):
            self.count += 1
            if self.progress is not None:
                self.progress(self.count, self.total)
            if self.fails(run, following):
                return run.example
        return None

    def fails(self, run: _Run, following: _Run | None = None) -> bool:
        """Judge a run, and remember it if it failed; whether it did."""
        exchange, findings = self._judge(run, following)
        if findings:
            self.worst = run.example, exchange, findings
        return bool(findings)

    def same(self, example: Example, first: Finding) -> bool:
        """Whether an example breaks the same sentence; it is remembered if so."""
        if time.monotonic() > self.stop_at:
            return False
        exchange, findings = self._judge(self.prepare(example))
        hit = any(f.requirements[:1] == first.requirements[:1] for f in findings)
        if hit:
            self.worst = example, exchange, findings
        return hit

    def _judge(
        self, run: _Run, following: _Run | None = None
    ) -> tuple[Exchange, tuple[Finding, ...]]:
        try:
            exchange = self.runtime.ask(run.request)
            if following is not None and exchange.kind == "ended":
                self.runtime.ask_ahead(following.request)
        except AdapterDidNotStart as error:
            exchange = Exchange(kind="crash", transcript=Transcript(), detail=str(error))
        findings: list[Finding] = []
        if exchange.kind in ("ended", "deadlock"):
            interactive = self.runtime.description.control == "interactive"
            timed = interactive and self.runtime.description.clock == "virtual"
            observed = observe(exchange.transcript, calls=interactive, timed=timed)
            self.runtime.go_on()
            findings = judge_run(run.model, observed, full=self.full)
            self.runtime.go_on()
        broken = _not_ended(exchange)
        if broken is not None:
            findings.append(broken)
        return exchange, tuple(findings)


def run_campaign(  # noqa: PLR0913 -- the last three are options with defaults
    runtime: AnyRuntime,
    area: str,
    examples: int,
    seed_number: int,
    *,
    limit: float = _LIMIT,
    progress: Callable[[int, int], None] | None = None,
    full: bool | None = None,
) -> CampaignResult:
    """Judge random runs of an area until one fails, and make that one small.

    Args:
        runtime: the runtime under test.
        area: name of an area.
        examples: most runs.
        seed_number: the same seed gives the same runs.
        limit: real seconds for one run.
        progress: called with (examples so far, examples in all) before each run.
        full: whether to judge as at level Full; None goes by the levels that it claims.

    Raises:
        UnknownAreaError: there is no such area.
    """
    drawn = islice(draw_examples(area_of(area), seed_number), examples)
    campaign = _Campaign(runtime, limit, examples, progress, full=full)
    started = time.monotonic()
    failed = campaign.first_failing(drawn)
    failure = None
    if failed is not None:
        again = campaign.fails(campaign.prepare(failed))
        failure = _smallest(campaign, reproducible=again)
    return CampaignResult(
        area=area,
        seed=seed_number,
        examples=campaign.count,
        seconds=time.monotonic() - started,
        failure=failure,
    )


def _smallest(campaign: _Campaign, *, reproducible: bool) -> Failure | None:
    """Reduce the failing run that was drawn and wrap it up."""
    if campaign.worst is None:
        return None
    start, exchange, findings = campaign.worst
    if reproducible and exchange.kind != "timeout":  # each step would take as long again
        campaign.stop_at = time.monotonic() + REDUCE_SECONDS
        reduce_example(start, lambda candidate: campaign.same(candidate, findings[0]))
    example, exchange, findings = campaign.worst
    return Failure(
        example=example,
        document=render_document(example.model),
        plan=render_plan(example),
        findings=findings,
        exchange=exchange,
        reproducible=reproducible,
    )

"""A tiny workflow simulator for the tests of the oracle; wrong on request, in one way at a time.

It predicts, step by step and with counters, where the oracle only judges. It imports the
generator's values and nothing of the oracle.
"""

from random import Random

from suite.fuzz.areas import AREAS
from suite.fuzz.generate import BYTES_PER_NODE, decode_example
from suite.fuzz.model import FORWARD, node_id, value_of
from suite.fuzz.observed import Event, Observed

ENDED = ("SUCCEEDED", "SKIPPED", "FAILED", "CANCELLED", "COMPENSATED")
#: Areas without constructs that the simulator does not know (loops).
SIMULATED = ("joins", "races", "failures", "handlers", "inputs", "unwinding", "cancellation")


def seeded(number):
    """A reproducible source of random choices."""
    return Random(number)


class Simulator:
    """One run. ``serial`` keeps one call open at a time, ``lazy`` finds unreachable nodes only
    when nothing else moves, ``bullets`` reads §5.3.3 as its three bullets and no more."""

    def __init__(self, example, rng, *, wrong="", serial=False, lazy=False, bullets=False):
        self.model, self.schedule = example.model, example.schedule
        self.rng, self.wrong = rng, wrong
        self.serial, self.lazy, self.bullets = serial, lazy, bullets
        count = len(self.model.nodes)
        self.state = ["PENDING"] * count
        self.attempt = [0] * count
        self.open = {}  # node → virtual time of its answer, or its hold
        self.timers = {}  # node → virtual time
        self.dead = set()
        self.clock = 0.0
        self.unwinding = False
        self.cancel = ""  # due, then done
        self.done = []  # nodes in the order in which they SUCCEEDED
        self.undo = {e.source: e for e in self.model.edges if e.type == "compensation"}
        self.undoes = {e.target: e.source for e in self.undo.values()}
        self.events = []

    # --- moves -----------------------------------------------------------------------------

    def go(self, node, state):
        self.events.append(
            Event("transition", node_id(node), self.state[node], state, at=self.clock)
        )
        self.state[node] = state
        if self.schedule.cancel == (node, state) and not self.cancel:
            self.cancel_sent()
        if state == "CANCELLED":
            self.open.pop(node, None)
        elif state == "SUCCEEDED":
            self.done.append(node)
            if node in self.undoes and self.wrong != "undo leaves no mark":
                self.go(self.undoes[node], "COMPENSATED")
        elif state == "FAILED":
            handled = any(e.type == "error" and e.source == node for e in self.model.edges)
            if not handled and not self.unwinding and self.cancel != "done":
                self.unwinding = True
                self.stop()
            if node in self.undoes and self.wrong == "failed undo compensates":
                self.go(self.undoes[node], "COMPENSATED")

    def stop(self):
        for node, state in enumerate(self.state):
            spared = not self.model.nodes[node].idempotent and self.wrong != "nothing spared"
            if state in ("READY", "RETRYING") or (state == "RUNNING" and not spared):
                self.timers.pop(node, None)
                self.go(node, "CANCELLED")

    def cancel_sent(self):
        self.events.append(Event("cancel"))
        self.cancel = "due"

    def compensate(self):
        """Start the next compensating node; False when there is none."""
        sources = [
            s
            for s in (self.done if self.wrong == "first undone first" else reversed(self.done))
            if s in self.undo and self.undo[s].condition != "false"
            if self.state[s] == "SUCCEEDED" and self.state[self.undo[s].target] == "PENDING"
        ]
        if not sources or (self.wrong == "one undo only" and "COMPENSATED" in self.state):
            return False
        self.go(self.undo[sources[0]].target, "READY")
        if self.wrong == "undone before the undo":
            self.go(sources[0], "COMPENSATED")
            del self.undoes[self.undo[sources[0]].target]
        return True

    def start(self, node):
        spec = self.model.nodes[node]
        if spec.guard == "false" and self.wrong != "guard ignored":
            self.go(node, "SKIPPED")
            return
        self.go(node, "RUNNING")
        self.attempt[node] += 1
        inputs, starved = self.inputs(node)
        if starved and self.wrong != "null delivered":
            self.go(node, "FAILED")
        elif spec.kind == "decision":
            self.go(node, "FAILED" if self.route(node) is None else "SUCCEEDED")
        elif spec.kind == "barrier":
            self.go(node, "SUCCEEDED")
        else:
            self.events.append(Event("call", node_id(node), inputs=inputs))
            wait = self.schedule.waits[node]
            self.open[node] = wait if isinstance(wait, str) else self.clock + wait / 1000

    def answer(self, node):
        spec = self.model.nodes[node]
        del self.open[node]
        fails = self.attempt[node] <= spec.failures
        self.events.append(Event("answer", node_id(node), result="fail" if fails else "ok"))
        shift = (self.wrong == "one retry more") - (self.wrong == "one retry less")
        allowed = spec.attempts_due + shift
        ending = (self.unwinding and node not in self.undoes) or self.cancel == "done"
        if not fails or self.wrong == "failures succeed":
            self.go(node, "SUCCEEDED")
        elif self.attempt[node] < allowed and not ending:
            self.go(node, "RETRYING")
            shift = {"retried early": 0.5, "retried late": 2}.get(self.wrong, 1)
            self.timers[node] = (
                self.clock + shift * spec.delay_before(self.attempt[node] + 1) / 1000
            )
        else:
            self.go(node, "FAILED")

    def inputs(self, node):
        given, starved = {}, False
        into = [e for e in self.model.edges if e.target == node and e.type in FORWARD]
        for number, edge in enumerate(into):
            if edge.type == "data":
                if self.state[edge.source] == "SUCCEEDED" and self.true(edge):
                    given[f"in{number}"] = value_of(edge.source)
                elif edge.feeds == "default":
                    given[f"in{number}"] = "none"
                starved = starved or (edge.feeds == "starving" and f"in{number}" not in given)
        if self.wrong == "inputs lost":
            given = {}
        return given, starved

    # --- readiness -------------------------------------------------------------------------

    def true(self, edge):
        if self.wrong == "conditions ignored" or edge.condition in ("none", "true"):
            return True
        return edge.condition == "flag" and self.model.nodes[edge.source].flag

    def route(self, node):
        for case in self.model.nodes[node].cases:
            flag = case.when == "flag" and self.model.nodes[case.reads].flag
            if case.when in ("true", "otherwise") or flag:
                return case.target
        return None

    def signs(self, node):
        """+1 for each satisfied, -1 for each negative, 0 for each open edge into the node."""
        return [self.sign(e) for e in self.model.edges if e.target == node and e.type in FORWARD]

    def sign(self, edge):  # noqa: PLR0911 -- one return for each row of the table of §5.3
        state = self.state[edge.source]
        if state == "PENDING":
            cut = edge.source in self.dead and self.wrong != "no propagation"
            return -1 if cut else 0
        if state not in ENDED:
            return 0
        if not self.true(edge):
            return 0 if self.wrong == "negatives block" else -1
        if edge.type == "dependency":
            return 1 if self.wrong != "dependency needs success" or state != "FAILED" else -1
        if state == "SKIPPED":
            return -1 if self.wrong == "skip blocks" else 1
        if state == "SUCCEEDED":
            cases = [c.target for c in self.model.nodes[edge.source].cases]
            lost = edge.target in cases and self.route(edge.source) != edge.target
            return -1 if lost and self.wrong != "unchosen runs" else 1
        if state == "FAILED" and self.wrong == "failed releases control":
            return 1
        return 0 if self.bullets else -1

    def joined(self, node):
        signs, spec = self.signs(node), self.model.nodes[node]
        good, settled = signs.count(1), signs.count(1) + signs.count(-1)
        if self.wrong == "all negative runs" and settled == len(signs):
            good = good or 1
        every = settled == len(signs)
        if spec.join == "any":
            return good > 0 and (every or self.wrong != "any waits")
        if spec.join == "quorum":
            shift = (self.wrong == "quorum one more") - (self.wrong == "quorum one less")
            return good >= max(1, spec.quorum + shift)
        return good > 0 and (every or self.wrong == "all fires on first")

    def reached(self, node):  # noqa: PLR0911 -- one return for each way to be reached or not
        """True, False for not yet, None for never."""
        deciders = [i for i, n in enumerate(self.model.nodes) for c in n.cases if c.target == node]
        errors = [e.source for e in self.model.edges if e.target == node and e.type == "error"]
        signs = self.signs(node)
        if any(self.state[e] == "FAILED" for e in errors):
            return True
        if errors and not signs:
            if self.wrong == "handler starts":
                return True
            spent = all(self.state[e] in ENDED or e in self.dead for e in errors)
            return None if spent and not self.bullets else False
        hungry = any(
            e.source in self.dead and e.feeds == "starving" and e.type == "data"
            for e in self.model.edges
            if e.target == node
        )
        elsewhere = deciders and all(
            d in self.dead or (self.state[d] in ENDED and self.route(d) != node) for d in deciders
        )
        if (elsewhere or hungry) and self.wrong not in ("unchosen runs", "hunger ignored"):
            return None
        if self.joined(node) and not (
            deciders
            and not any(self.state[d] == "SUCCEEDED" and self.route(d) == node for d in deciders)
            and self.wrong != "unchosen runs"
        ):
            return True
        live = any(self.state[e] not in ENDED and e not in self.dead for e in errors)
        spec = self.model.nodes[node]
        short = spec.join == "quorum" and len(signs) - signs.count(-1) < spec.quorum
        if (signs.count(-1) == len(signs) or (short and not self.bullets)) and not live:
            return None
        return False

    def roots(self):
        if self.model.entry:
            return [0]
        return [i for i in range(len(self.state)) if all(e.target != i for e in self.model.edges)]

    def settle(self):
        """Move nodes to READY until nothing changes."""
        changed = True
        while changed and not self.unwinding and self.cancel != "done":
            changed = False
            for node, state in enumerate(self.state):
                if state != "PENDING" or node in self.dead or node in self.roots():
                    continue
                reached = self.reached(node)
                if reached is None and not self.lazy:
                    self.dead.add(node)
                    changed = True
                    if self.wrong == "unreached skipped":
                        self.go(node, "SKIPPED")
                elif reached:
                    self.go(node, "READY")
                    changed = True
                    self.cancel_losers(node)

    def late(self):
        """Find unreachable nodes at the last moment; True when there was a new one."""
        found = [
            node
            for node, state in enumerate(self.state)
            if state == "PENDING" and node not in self.roots() and node not in self.dead
            if self.reached(node) is None
        ]
        self.dead.update(found)
        return bool(found)

    def cancel_losers(self, node):
        policy = self.model.nodes[node].join
        if policy != "any" and not (policy == "quorum" and self.wrong == "quorum cancels"):
            return
        if self.wrong == "any cancels nothing":
            return
        for other in range(node):
            spec = self.model.nodes[other]
            if not self.leads_only(other, node):
                continue
            stoppable = spec.idempotent or self.wrong == "non-idempotent cancelled"
            if self.state[other] == "READY" or (self.state[other] == "RUNNING" and stoppable):
                self.go(other, "CANCELLED")

    def leads_only(self, node, goal):
        if node == goal:
            return True
        out = [e for e in self.model.edges if e.source == node and e.type != "compensation"]
        if any(e.type == "error" for e in out):
            return False
        paths = [self.leads_only(e.target, goal) for e in out]
        return any(paths) if self.wrong == "shared branches cancelled" else bool(out) and all(paths)

    # --- the run ---------------------------------------------------------------------------

    def run(self):
        roots = self.roots()
        for node in roots[1:] if self.wrong == "one root only" else roots:
            self.go(node, "READY")
        if self.wrong == "one root only":
            roots.clear()
        while self.step():
            pass
        return Observed(tuple(self.events), self.outcome(), calls=True, timed=True)

    def outcome(self):
        if self.cancel == "done" and self.wrong != "cancelled is succeeded":
            return "cancelled"
        if self.unwinding:
            spoiled = any(self.state[n] == "FAILED" for n in self.undoes)
            undone = "COMPENSATED" in self.state and (
                not spoiled or self.wrong == "spoiled is fine"
            )
            return "compensated" if undone else "failed"
        failed = self.wrong == "handled is failed" and "FAILED" in self.state
        return "failed" if failed else "succeeded"

    def step(self):
        if self.cancel == "due" and self.wrong != "cancel ignored":
            self.cancel = "done"
            if not self.unwinding:
                self.stop()
        self.settle()
        ready = [n for n, s in enumerate(self.state) if s == "READY"]
        now = [n for n, when in self.open.items() if when == "now" or self.due(when)]
        if self.serial and self.open:
            ready = []
        moves = [(self.start, n) for n in ready] + [(self.answer, n) for n in now]
        if moves:
            move, node = self.rng.choice(moves)
            move(node)
            return True
        if self.lazy and self.late():
            return True
        return self.wait()

    def due(self, when):
        return not isinstance(when, str) and when <= self.clock + 1e-9

    def wait(self):
        """An idle point: time passes, or one held answer is given; False at the end."""
        if not self.open and not self.timers:
            return self.unwinding and self.cancel != "done" and self.compensate()
        if self.wrong == "ends early" and self.open:
            return False
        self.events.append(Event("idle", at=self.clock))
        times = [w for w in self.open.values() if not isinstance(w, str)]
        times += self.timers.values()
        if times:
            self.clock = min(times)
            for node in [n for n, at in self.timers.items() if self.due(at)]:
                del self.timers[node]
                self.go(node, "READY")
            return True
        held = [n for n in self.schedule.order if n in self.open]
        self.answer(held[0])
        return True


def draw(rng, area_name="joins"):
    """A random example without hypothesis, for tests that need many quickly."""
    area = AREAS[area_name]
    return decode_example(rng.randbytes(rng.randint(1, area.max_nodes) * BYTES_PER_NODE), area)

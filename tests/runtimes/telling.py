"""The reference runtime, telling the codes of a run in other ways, legal and not.

From this folder: ``adapter:telling:as_NAME`` with a name of ``LEGAL`` or ``DISHONEST``. A way is a
function from the transitions and the reports of a run to those that are told instead.
"""

from reference_runtime.adapter import adapter as reference

CODES = [f"HX-{number}" for number in (*range(4101, 4111), 4201, 4202)]


class Telling:
    """The reference runtime behind a session that alters what is told of codes."""

    def __init__(self, step, end):
        self.step = step
        self.end = end

    def describe(self):
        return reference.describe()

    def validate(self, document, companions):
        return reference.validate(document, companions)

    async def run(self, document, session):
        kept = Session(session, self.step)
        result = await reference.run(document, kept)
        if not isinstance(result, dict):
            return result
        return {**result, "codes": self.end(kept.told, result["codes"])}


class Session:
    """Passes everything on; transitions are altered, and kept as they were."""

    def __init__(self, session, step):
        self._session = session
        self._step = step
        self.told = []

    def __getattr__(self, name):
        return getattr(self._session, name)

    def transition(self, node, from_, to, **fields):
        self.told.append({"node": node, "from": from_, "to": to, **fields})
        self._session.transition(node, from_, to, **self._step(node, from_, to, fields))


def same(_node, _from, _to, fields):
    return fields


def silent(_node, _from, _to, fields):
    return {name: value for name, value in fields.items() if name != "code"}


def bare(_node, _from, _to, fields):
    """No code, iteration, class or message."""
    return {"attempt": fields.get("attempt")}


def unlabelled(_node, _from, _to, fields):
    return {name: value for name, value in fields.items() if name != "iteration"}


def repeating(_node, from_, to, fields, *, kept={}):  # noqa: B006  what failed last, by node
    """The failure again on the step out of RETRYING."""
    if to == "RETRYING":
        kept[_node] = {k: v for k, v in fields.items() if k in ("error_class", "code")}
    again = kept.get(_node, {}) if (from_, to) == ("RETRYING", "READY") else {}
    return {**fields, **again}


def failing(told):
    return [move for move in told if move.get("code")]


def named(told, codes):
    return [*codes, *({"code": m["code"], "node": m["node"]} for m in failing(told))]


def nameless(told, codes):
    return [{"code": c["code"]} for c in named(told, codes)]


def plain(_told, codes):
    return codes


def each_once(told, codes):
    return [{"code": code} for code in sorted({c["code"] for c in named(told, codes)})]


def named_and_nameless(told, codes):
    return named(told, codes) + nameless(told, codes)


def loops_too(told, codes):
    """The code of a failed iteration also of its loops."""
    around = {(m["code"], loop) for m in failing(told) for loop, _ in m.get("iteration") or ()}
    return named(told, codes) + [{"code": c, "node": n} for c, n in sorted(around)]


def no_boolean(told, codes):
    """An operand without value is no boolean either."""
    more = [
        {"code": "HX-4107", **({"node": c["node"]} if "node" in c else {})}
        for c in named(told, codes)
        if c["code"] == "HX-4106"
    ]
    return named(told, codes) + more


def no_value(told, codes):
    return [
        entry
        for c in named(told, codes)
        for entry in (c, {**c, "code": "HX-4101" if c["code"] == "HX-4106" else c["code"]})
    ]


def backwards(told, codes):
    return named(told, codes)[::-1]


def twice(told, codes):
    return named(told, codes) * 2


LEGAL = {
    "on_transitions": (same, plain),
    "at_the_end": (silent, named),
    "at_the_end_nameless": (silent, nameless),
    "both": (same, named),
    "both_nameless": (same, nameless),
    "both_each_once": (same, each_once),
    "each_once": (silent, each_once),
    "named_and_nameless": (same, named_and_nameless),
    "loops_too": (silent, loops_too),
    "loops_too_on_both": (same, loops_too),
    "no_boolean": (same, no_boolean),
    "no_value": (silent, no_value),
    "backwards": (bare, backwards),
    "twice": (silent, twice),
    "repeating": (repeating, plain),
    "unlabelled": (unlabelled, named),
}


def shouted(_told, codes):
    return [*codes, *({"code": code} for code in CODES)]


def shouted_only(_told, _codes):
    return [{"code": code} for code in CODES]


def unknown(told, codes):
    return [*named(told, codes), {"code": "HX-4999"}, {"code": "HX-0"}, {"code": "x"}]


def unknown_of_what_failed(told, codes):
    more = [{"code": "HX-4111", "node": m["node"]} for m in told if m["to"] == "FAILED"]
    return [*named(told, codes), *more]


def document_code(told, codes):
    return [*named(told, codes), {"code": "HX-1002"}]


def all_of_all(told, codes):
    nodes = sorted({m["node"] for m in told})
    return [*codes, *({"code": code, "node": node} for node in nodes for code in CODES)]


def all_of_failed(told, codes):
    nodes = sorted({m["node"] for m in told if m["to"] == "FAILED"})
    return [*codes, *({"code": code, "node": node} for node in nodes for code in CODES)]


def of_succeeded(told, codes):
    more = [{"code": "HX-4101", "node": m["node"]} for m in told if m["to"] == "SUCCEEDED"]
    return [*named(told, codes), *more]


def of_all(told, codes):
    """Each code of the run, of every node."""
    found = {c["code"] for c in named(told, codes)}
    return [{"code": code, "node": m["node"]} for m in told for code in sorted(found)]


def nothing(_told, _codes):
    return []


def half(told, codes):
    """Half of the codes without a node, whatever happened."""
    return [{"code": code} for code in CODES[::2]] + named(told, codes)


def on_readiness(_node, from_, to, fields):
    return {**fields, "code": "HX-4101"} if (from_, to) == ("PENDING", "READY") else fields


DISHONEST = {
    "shouted": (same, shouted),
    "shouted_only": (silent, shouted_only),
    "unknown": (same, unknown),
    "unknown_of_what_failed": (same, unknown_of_what_failed),
    "document_code": (same, document_code),
    "all_of_all": (silent, all_of_all),
    "all_of_failed": (silent, all_of_failed),
    "of_succeeded": (same, of_succeeded),
    "of_all": (silent, of_all),
    "nothing": (silent, nothing),
    "half": (same, half),
    "on_readiness": (on_readiness, plain),
}


def __getattr__(name):
    ways = {**LEGAL, **DISHONEST}
    way = ways.get(name.removeprefix("as_"))
    if way is None:
        raise AttributeError(name)
    return Telling(*way)

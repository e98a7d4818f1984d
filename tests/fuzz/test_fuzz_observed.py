from suite.fuzz.observed import Event, Observed, observe
from suite.protocol.transcript import Entry, Transcript


def transcript(*messages):
    suite = ("run", "outcome", "advance", "cancel", "event")
    return Transcript(
        tuple(Entry("suite" if m["type"] in suite else "runtime", 0.0, m) for m in messages)
    )


RUN = transcript(
    {"type": "run", "id": 1},
    {"type": "transition", "id": 1, "n": 1, "node": "a", "from": "PENDING", "to": "READY"},
    {"type": "invoke", "id": 1, "n": 2, "call": 1, "node": "a", "inputs": {"x": 1}},
    {"type": "idle", "id": 1, "n": 3, "seen": 0},
    {"type": "outcome", "id": 1, "call": 1, "result": "ok"},
    {"type": "idle", "id": 1, "n": 4, "seen": 0},
    {"type": "advance", "id": 1, "seconds": 1},
    {"type": "idle", "id": 1, "n": 5, "seen": 2},
    {"type": "end", "id": 1, "n": 6, "messages": 6, "outcome": "failed"},
)


def test_events_are_read_and_stale_idles_left_out():
    observed = observe(RUN, calls=True)

    assert observed == Observed(
        (
            Event("transition", "a", "PENDING", "READY"),
            Event("call", "a", inputs={"x": 1}),
            Event("idle"),
            Event("answer", "a", result="ok"),
            Event("idle"),
        ),
        "failed",
        calls=True,
    )

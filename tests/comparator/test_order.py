import pytest

from tests.comparator_builder import differences, facts, kinds

ANY = {"join": "any"}
TWO = {"join": "quorum", "quorum": 2}


def ok(*names):
    return " ".join(f"{n}:READY {n}:RUNNING {n}:SUCCEEDED" for n in names)


def failed(*names):
    return " ".join(f"{n}:READY {n}:RUNNING {n}:FAILED" for n in names)


# Documents, traces that some reading allows, and names for both.
ALLOWED = {
    "entry-ignores-its-edges": (facts("b->a", entry="a"), ok("a")),
    "every-root-without-entry": (facts("a->c b->c"), ok("b", "a", "c")),
    "target-without-edges-and-entry": (facts(targets={"d": "t"}), ok("t", "d")),
    "all-after-both": (facts("s->a s->b a->j b->j", entry="s"), ok("s", "a", "b", "j")),
    "skip-satisfies": (
        facts("a->b", entry="a", a={"guard": "false"}),
        f"a:READY a:SKIPPED {ok('b')}",
    ),
    "any-after-first": (facts("s->a s->b a->j b->j", entry="s", j=ANY), ok("s", "b", "j", "a")),
    "quorum-after-second": (
        facts("s->a s->b s->c a->j b->j c->j", entry="s", j=TWO),
        ok("s", "c", "a", "j", "b"),
    ),
    "false-condition-does-not-block": (
        facts("s->a s->b a->j?false b->j", entry="s"),
        ok("s", "a", "b", "j"),
    ),
    "dynamic-condition-may-hold": (facts("a->b?dynamic", entry="a"), ok("a", "b")),
    "dependency-on-failed": (facts("a..>b a!>h", entry="a"), f"{failed('a')} {ok('b', 'h')}"),
    "failed-source-is-negative": (
        facts("a!>h a->j h->j", entry="a"),
        f"{failed('a')} {ok('h', 'j')}",
    ),
    "untaken-branch-is-dead": (
        facts("d->t d->e t->j e->j", entry="d", targets={"d": "t e"}),
        ok("d", "t", "j"),
    ),
    "dead-chain": (
        facts("d->t d->e t->j e->f f->g g->j", entry="d", targets={"d": "t e"}),
        ok("d", "t", "j"),
    ),
    "untriggered-handler-is-dead": (
        facts("a!>h a->b b->j h->j", entry="a"),
        ok("a", "b", "j"),
    ),
    "stray-root-is-dead": (facts("a->j r->j", entry="a"), ok("a", "j")),
    "unmet-quorum-is-dead": (
        facts("a->q a->b b->q?false q->j a->j", entry="a", q=TWO),
        ok("a", "b", "j"),
    ),
    "starved-node-is-dead": (
        facts("a->u?false u=>c a->c c->j a->j", entry="a", c={"starving": ("x",)}),
        ok("a", "j"),
    ),
    "compensation-target-is-dead": (facts("a~>c a->j c->j", entry="a"), ok("a", "j")),
    "error-edge-into-joined-node": (
        facts("a->b b->x a!>x", entry="a"),
        f"{failed('a')} {ok('x')}",
    ),
    "route-of-one-of-two-decisions": (
        facts("s->d s->e d->t", entry="s", targets={"d": "t", "e": "t"}),
        ok("s", "d", "t", "e"),
    ),
    "route-beside-the-edge-of-a-decision-that-went-elsewhere": (
        facts("s->d s->e d->t e->t", entry="s", targets={"d": "t", "e": "t u"}),
        ok("s", "d", "e", "t", "u"),
    ),
    "route-beside-the-edge-of-a-dead-decision": (
        facts("s->d s->x?false x->e d->t e->t", entry="s", targets={"d": "t", "e": "t u"}),
        ok("s", "d", "t"),
    ),
    "any-target-of-two-decisions": (
        facts("s->d s->e d->t e->t", entry="s", targets={"d": "t", "e": "t"}, t=ANY),
        ok("s", "d", "t", "e"),
    ),
    "chosen-target-after-its-other-edge": (
        facts("s->d s->p d->t p->t", entry="s", targets={"d": "t u"}),
        ok("s", "d", "p", "t"),
    ),
    "chosen-any-target": (
        facts("s->d s->p d->t p->t", entry="s", targets={"d": "t u"}, t=ANY),
        ok("s", "d", "t", "p"),
    ),
    "plain-successor-of-a-decision-passed-over": (
        facts("d->t d->w t->j w->j", entry="d", targets={"d": "t"}),
        ok("d", "t", "j"),
    ),
    "undo-of-either-of-two": (
        facts("a->b a->f a~>u b~>u", entry="a", b={"guard": "false"}),
        f"{ok('a')} {failed('f')} {ok('u')} a:COMPENSATED",
    ),
    "late-source-of-a-dead-quorum": (
        facts("a->q b->q?false a->b c->q?false a->c q->j a->j", entry="a", q=TWO),
        ok("a", "b", "c", "j"),
    ),
    "compensation-after-unhandled-failure": (
        facts("a->b a~>c", entry="a"),
        f"{ok('a')} {failed('b')} {ok('c')} a:COMPENSATED",
    ),
    "ring-of-handlers-is-dead": (
        facts("a->j h->x x!>k k->y y!>h y->j", entry="a"),
        ok("a", "j"),
    ),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed_order_passes(name):
    document, text = ALLOWED[name]

    assert () == differences(document, text)


# Documents, traces in which one node is READY too early, the node and what it breaks.
FORBIDDEN = {
    "root-beside-entry": (
        facts(nodes="a r", entry="a"),
        ok("r", "a"),
        "r",
        "5.2-other-roots-not-started-with-entry",
    ),
    "all-with-open-control": (
        facts("s->a s->b a->j b->j", entry="s"),
        ok("s", "a", "j", "b"),
        "j",
        "5.3.1-all-waits-for-every-edge",
    ),
    "data-still-open": (facts("a=>b", entry="a"), ok("b", "a"), "b", "4.2-data-implies-control"),
    "dependency-still-open": (
        facts("a..>b", entry="a"),
        "a:READY a:RUNNING b:READY a:SUCCEEDED b:RUNNING b:SUCCEEDED",
        "b",
        "4.3-dependency-not-before-terminal",
    ),
    "false-condition-waits-for-its-source": (
        facts("s->a s->b a->j?false b->j", entry="s"),
        ok("s", "b", "j", "a"),
        "j",
        "5.3.1-all-waits-for-every-edge",
    ),
    "all-negative": (
        facts("a->j?false", entry="a"),
        ok("a", "j"),
        "j",
        "5.3.1-all-needs-one-satisfied",
    ),
    "all-unreached": (
        facts("a->b?false b->j", entry="a"),
        ok("a", "j"),
        "j",
        "6.4-pending-successors-not-reached",
    ),
    "failed-source": (
        facts("a!>h a->b", entry="a"),
        f"{failed('a')} {ok('h', 'b')}",
        "b",
        "5.8-failed-node-does-not-release-control",
    ),
    "any-without-success": (
        facts("s->a s->b a->j?false b->j", entry="s", j=ANY),
        ok("s", "a", "j", "b"),
        "j",
        "5.3.1-any-fires-on-first",
    ),
    "quorum-below": (
        facts("s->a s->b s->c a->j b->j c->j", entry="s", j=TWO),
        ok("s", "c", "j", "a", "b"),
        "j",
        "5.3.1-quorum-not-below-count",
    ),
    "quorum-of-resolved-edges": (
        facts("s->a s->b a->j b->j?false", entry="s", j=TWO),
        ok("s", "a", "b", "j"),
        "j",
        "5.3.1-quorum-not-below-count",
    ),
    "target-before-its-decision": (
        facts("s->d s->p d->t p->t", entry="s", targets={"d": "t u"}),
        ok("s", "p", "t", "d"),
        "t",
        "7.1.3-exactly-one-successor",
    ),
    "target-without-edge-before-its-decision": (
        facts("s->d", entry="s", targets={"d": "t"}),
        ok("s", "t", "d"),
        "t",
        "7.1.3-exactly-one-successor",
    ),
    "chosen-target-before-its-other-edge": (
        facts("s->d s->p d->t p->t", entry="s", targets={"d": "t u"}),
        ok("s", "d", "t", "p"),
        "t",
        "5.3.1-all-waits-for-every-edge",
    ),
    "target-of-two-before-the-edge-of-the-second": (
        facts("s->d s->p p->e d->t e->t", entry="s", targets={"d": "t u", "e": "t v"}),
        ok("s", "d", "t", "p", "e"),
        "t",
        "5.3.1-all-waits-for-every-edge",
    ),
    "target-of-two-before-the-dependency-on-the-second": (
        facts("s->d s->p p->e d->t e..>t", entry="s", targets={"d": "t u", "e": "t v"}),
        ok("s", "d", "t", "p", "e"),
        "t",
        "4.3-dependency-not-before-terminal",
    ),
    "join-before-the-decision-routed": (
        facts("s->d s->t d->e t->j e->j", entry="s", targets={"d": "e u"}),
        ok("s", "t", "j", "d"),
        "j",
        "5.3.1-all-waits-for-every-edge",
    ),
    "join-while-the-handler-may-run": (
        facts("s->a s->k a!>h k->j h->j", entry="s"),
        ok("s", "k", "j", "a"),
        "j",
        "5.3.1-all-waits-for-every-edge",
    ),
    "join-below-a-node-that-had-to-run": (
        facts("s->a s->k a->q q->j k->j", entry="s"),
        ok("s", "a", "k", "j"),
        "j",
        "5.3.1-all-waits-for-every-edge",
    ),
    "join-below-a-dependency-that-is-satisfied": (
        facts("s->a s->k a..>q q->j k->j a!>h", entry="s"),
        f"{ok('s', 'k')} {failed('a')} {ok('h', 'j')}",
        "j",
        "5.3.1-all-waits-for-every-edge",
    ),
    "join-below-a-root-that-had-to-start": (
        facts("a->j r->j"),
        ok("a", "j"),
        "j",
        "5.3.1-all-waits-for-every-edge",
    ),
    "join-below-an-optional-input-of-a-dead-source": (
        facts("a->u?false u=>c a->c c->j a->j", entry="a"),
        ok("a", "j"),
        "j",
        "5.3.1-all-waits-for-every-edge",
    ),
    "dead-chain-not-yet-decided": (
        facts("s->d s->k d->t d->e e->f f->j k->j", entry="s", targets={"d": "t e"}),
        ok("s", "k", "j", "d", "t"),
        "j",
        "5.3.1-all-waits-for-every-edge",
    ),
    "undo-of-one-that-succeeds-later": (
        facts("a->b a->c c~>u", entry="a", c={"idempotent": False}),
        f"{ok('a')} c:READY c:RUNNING {failed('b')} {ok('u')} c:SUCCEEDED",
        "u",
        "4.5-compensation-edge-never-forward",
    ),
    "undo-before-the-failure": (
        facts("a->b a~>u", entry="a"),
        f"{ok('a', 'u')} {failed('b')}",
        "u",
        "4.5-compensation-edge-never-forward",
    ),
    "handler-of-success": (
        facts("a!>h", entry="a"),
        ok("a", "h"),
        "h",
        "4.4-error-edge-not-on-succeeded",
    ),
    "handler-of-skip": (
        facts("a!>h", entry="a", a={"guard": "false"}),
        f"a:READY a:SKIPPED {ok('h')}",
        "h",
        "6.3-skip-takes-no-error-edge",
    ),
    "handler-while-retries-remain": (
        facts("a!>h", entry="a", a={"max_attempts": 2}),
        f"a:READY a:RUNNING a:RETRYING {ok('h')} a:READY a:RUNNING a:FAILED",
        "h",
        "5.8-only-after-retries-exhausted",
    ),
    "handler-behind-a-false-condition": (
        facts("a!>h?false a!>k", entry="a"),
        f"{failed('a')} {ok('k', 'h')}",
        "h",
        "5.3-false-condition-is-resolved-negative",
    ),
    "handler-at-the-start": (
        facts("a!>h", entry="a"),
        ok("h", "a"),
        "h",
        "4.4-error-edge-only-on-failed",
    ),
    "undo-in-forward-execution": (
        facts("a~>c", entry="a"),
        ok("a", "c"),
        "c",
        "4.5-compensation-edge-never-forward",
    ),
    "undo-of-what-did-not-succeed": (
        facts("a->b b~>c", entry="a"),
        f"{ok('a')} {failed('b')} {ok('c')}",
        "c",
        "4.5-compensation-edge-never-forward",
    ),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_forbidden_order_is_noticed(name):
    document, text, node, cite = FORBIDDEN[name]
    found = differences(document, text)

    assert [("too-early", node)] == kinds(found)
    assert cite in found[0].cites


def test_edges_that_were_waited_for_are_told():
    document, text, _, _ = FORBIDDEN["all-with-open-control"]
    found = differences(document, text)

    assert [("a", "control", "satisfied"), ("b", "control", "open")] == found[0].expected


@pytest.mark.parametrize("where", ["h", "h[l:1]"])
def test_handler_of_a_body_may_run_in_either_scope(where):
    document = facts("b!>h", entry="l", loops={"l": {"body": "b", "on_item_failure": "continue"}})
    text = f"l:READY l:RUNNING {ok('b[l:0]')} {failed('b[l:1]')} {ok(where)} l:SUCCEEDED"

    assert () == differences(document, text)


@pytest.mark.parametrize(("where", "place"), [("h", 1), ("h[l:1]", 2)])
def test_handler_of_a_body_waits_for_the_failure(where, place):
    document = facts("b!>h", entry="l", loops={"l": {"body": "b", "on_item_failure": "continue"}})
    steps = [ok("b[l:0]"), failed("b[l:1]")]
    steps.insert(place - 1, ok(where))
    text = f"l:READY l:RUNNING {' '.join(steps)} l:SUCCEEDED"

    assert "too-early" == differences(document, text)[0].kind


def test_handler_of_an_iteration_waits_for_this_iteration():
    loop = {"body": "b", "on_item_failure": "continue", "max_concurrency": 2}
    document = facts("b!>h", entry="l", loops={"l": loop})
    text = f"l:READY l:RUNNING {failed('b[l:0]')} {ok('h[l:1]')} {failed('b[l:1]')} l:SUCCEEDED"
    found = differences(document, text)

    assert [("too-early", "h[1]")] == kinds(found)


def test_node_behind_a_body_with_an_error_edge_is_not_judged():
    document = facts("b->x l!>x", entry="l", loops={"l": {"body": "b"}})
    text = f"l:READY l:RUNNING {ok('b[l:0]', 'x')} l:SUCCEEDED"

    assert () == differences(document, text)


def test_successor_of_a_body_is_not_judged():
    document = facts("b->x", entry="l", loops={"l": {"body": "b"}})
    text = f"l:READY l:RUNNING {ok('b[l:0]', 'x')} l:SUCCEEDED"

    assert () == differences(document, text)

import pytest

from suite.corpus.golden_file import read_golden, sections_of
from suite.corpus.toml_file import CorpusError

_CITES = 'cites = ["5.3-runs"]'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(f'[paths]\n"a@2" = {{ is = "", {_CITES} }}', "no attempt", id="path-attempt"),
        pytest.param(f'[paths]\n"a[" = {{ is = "", {_CITES} }}', r"address 'a\['", id="address"),
        pytest.param(f'[paths]\n"*" = {{ is = "", {_CITES} }}', "expected a node", id="star"),
        pytest.param(f'[paths]\na = {{ is = "READY DONE", {_CITES} }}', "'DONE'", id="state"),
        pytest.param(f'[paths]\na = {{ is = "READY  RUNNING", {_CITES} }}', "''", id="two-blanks"),
        pytest.param(
            f'[[order]]\nevent = "a"\nafter = ["b:READY"]\n{_CITES}', "event 'a'", id="event"
        ),
        pytest.param(
            f'[[order]]\nevent = "a:READY"\nafter = ["b:READY"]\nat-least = 2\n{_CITES}',
            "at-least: expected at most 1, observed 2",
            id="at-least",
        ),
        pytest.param(f'[[calls]]\nnode = "a"\n{_CITES}', "none of them", id="empty-call"),
        pytest.param(
            f'[[calls]]\nnode = "a"\ncount = 0\naborts = 1\n{_CITES}', "above 0", id="never-called"
        ),
        pytest.param(f'[[timers]]\nnode = "a@2"\n{_CITES}', "either delay", id="no-time"),
        pytest.param(
            f'[[timers]]\nnode = "a@2"\nbetween = [2, 1]\n{_CITES}', "low <= high", id="interval"
        ),
        pytest.param(
            f'[[timers]]\nnode = "a"\ndelay = 1\n{_CITES}', "its attempt", id="timer-attempt"
        ),
        pytest.param(
            f'[[at-idle]]\nidle = 1\nstates = {{ a = "IDLE" }}\n{_CITES}', "'IDLE'", id="idle-state"
        ),
        pytest.param(f"[[at-idle]]\nidle = 1\nstates = {{}}\n{_CITES}", "neither", id="empty-idle"),
        pytest.param(
            f'[[codes]]\nnode = "a@1"\nany-of = ["HX-4101"]\n{_CITES}', "attempt", id="code"
        ),
        pytest.param(
            '[[choices]]\ninterpretation = "A91"\noptions = [{ reading = "a" }, { reading = "b" }]',
            "exactly one preferred reading, observed none",
            id="no-preference",
        ),
        pytest.param(
            '[[choices]]\ninterpretation = "A91"\noptions = [{ reading = "a", preferred = true }, '
            '{ reading = "b", preferred = true }]',
            "exactly one preferred reading, observed a, b",
            id="two-preferences",
        ),
    ],
)
def test_what_cannot_be_judged_is_refused(text, sentence):
    with pytest.raises(CorpusError, match=f"g.toml: .*{sentence}"):
        read_golden(text.encode(), "g.toml")


def test_faults_of_options_name_the_option():
    text = (
        '[[choices]]\ninterpretation = "A91"\noptions = [{ reading = "a", preferred = true }, '
        f'{{ reading = "b", paths = {{ n = {{ is = "DONE", {_CITES} }} }} }}]'
    )
    with pytest.raises(CorpusError, match=r"choices\.0\.options\.1\.paths\.n\.is"):
        read_golden(text.encode(), "g.toml")


def test_sections_are_the_fixed_part_and_every_option():
    golden = read_golden(
        b'[[choices]]\ninterpretation = "A91"\noptions = [{ reading = "a", preferred = true }, '
        b'{ reading = "b" }]',
        "g.toml",
    )

    assert [k for k, _ in sections_of(golden)] == [
        "",
        "choices.0.options.0.",
        "choices.0.options.1.",
    ]

from comparator.golden import (
    CallEntry,
    Choice,
    CodeEntry,
    Golden,
    IdleEntry,
    Option,
    OrderEntry,
    OutcomeEntry,
    PathEntry,
    TextEntry,
    TimerEntry,
)
from suite.corpus.case import Case, CaseText, Scenario
from suite.corpus.cites import certain_cites, cites_of, entries_of

GOLDEN = Golden(
    paths={"a": PathEntry(cites=("1",), is_="")},
    order=(OrderEntry(cites=("2",), event="a:READY", after=("b:READY",)),),
    calls=(CallEntry(cites=("3",), node="a", count=0),),
    timers=(TimerEntry(cites=("4",), node="a@2", delay=1),),
    at_idle=(IdleEntry(cites=("5",), idle=1, states={"a": "READY"}),),
    codes=(CodeEntry(cites=("6",), any_of=("HX-4101",)),),
    outcome=OutcomeEntry(cites=("7", "1"), is_="failed"),
    absent_text=(TextEntry(cites=("8",), text="secret"),),
    choices=(
        Choice(
            interpretation="A1",
            options=(
                Option(reading="a", paths={"b": PathEntry(cites=("9",), is_="")}),
                Option(reading="b", paths={"b": PathEntry(cites=("10",), is_="READY")}),
            ),
        ),
    ),
)


def scenario(golden):
    text = CaseText(description="Something is so.", level="core", cites=("0",))
    case = Case(id="execution/t/x", group="execution", text=text, document=b"")
    return Scenario(id="execution/t/x.y", case=case, golden=golden)


def test_every_section_and_option_cites():
    cites = cites_of(scenario(GOLDEN))

    assert {str(n) for n in range(11)} == set(cites)
    assert len(cites) == 11


def test_what_all_options_of_a_choice_cite_is_shown_by_every_run():
    entries = [PathEntry(cites=cites, is_="") for cites in (("9", "11"), ("11", "10"))]
    options = tuple(Option(reading="a", paths={"b": entry}) for entry in entries)
    golden = Golden(paths=GOLDEN.paths, choices=(Choice(interpretation="A1", options=options),))

    assert {str(n) for n in range(9)} == certain_cites(scenario(GOLDEN))
    assert {"0", "1", "11"} == certain_cites(scenario(golden))


def test_entries_are_named_as_the_file_names_them():
    assert [key for key, _ in entries_of(GOLDEN)] == [
        "paths.a",
        "order.0",
        "calls.0",
        "timers.0",
        "at-idle.0",
        "codes.0",
        "absent-text.0",
        "outcome",
        "choices.0.options.0.paths.b",
        "choices.0.options.1.paths.b",
    ]

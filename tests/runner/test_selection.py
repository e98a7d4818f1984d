import pytest

from suite.corpus.case import Case, CaseText, Scenario
from suite.runner.selection import in_order, matches, select, unmatched
from suite.runner.settings import Order, SettingError

IDS = ("execution/joins/any-race.held", "execution/joins/any-race.free", "valid/joins/any")


@pytest.mark.parametrize(
    ("pattern", "chosen"),
    [
        ("execution/joins/any-race.held", IDS[:1]),
        ("execution/joins/any-race", IDS[:2]),
        ("execution/joins", IDS[:2]),
        ("execution/joins/", IDS[:2]),
        ("execution/joins/any", ()),
        ("*/joins/*", IDS),
        ("*.free", IDS[1:2]),
        ("valid/joins/an?", IDS[2:]),
    ],
)
def test_patterns(pattern, chosen):
    assert set(chosen) == select(IDS, [pattern])


def test_no_pattern_selects_everything():
    assert set(IDS) == select(IDS, [])


def test_an_id_is_no_prefix_of_another():
    assert not matches("execution/joins/any-race2.held", "execution/joins/any-race")


def test_patterns_that_select_nothing_are_named():
    assert ["no/*"] == unmatched(IDS, ["no/*", "valid/*"])


def test_a_mistyped_id_names_the_nearest():
    with pytest.raises(SettingError, match=r"'valid/joins/ani'; the nearest is valid/joins/any$"):
        unmatched(IDS, ["valid/joins/ani"])


def scenarios(number):
    text = CaseText(description="Something is so.", level="core")
    made = {}
    for index in range(number):
        identifier = f"valid/t/c{index:02}"
        case = Case(id=identifier, group="valid", text=text, document=b"")
        made[identifier] = Scenario(id=identifier, case=case)
    return made


def test_orders():
    given = scenarios(20)
    ids = sorted(given)

    def order(*words):
        return [scenario.id for scenario in in_order(given, Order(*words))]

    assert ids == order("document")
    assert ids[::-1] == order("reverse")
    assert order("shuffle", 1) == order("shuffle", 1)
    assert order("shuffle", 1) != order("shuffle", 2)
    assert ids == sorted(order("shuffle", 1))
    assert ids != order("shuffle", 1)

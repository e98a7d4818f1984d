import pytest

from suite.fuzz.areas import AREAS, UnknownAreaError, area_of


def test_known_area_is_found():
    assert AREAS["joins"] == area_of("joins")


def test_unknown_area_lists_the_areas():
    with pytest.raises(
        UnknownAreaError, match=r"^unknown fuzz area 'jions'; areas: joins, races, failures, "
    ):
        area_of("jions")


@pytest.mark.parametrize("area", AREAS.values(), ids=AREAS)
def test_chances_of_one_draw_stay_below_certainty(area):
    sums = {
        "edges": area.data + area.dependency + area.both + area.error,
        "conditions": area.literal_true + area.literal_false + area.flag,
        "joins": area.any_join + area.quorum_join,
        "kinds": area.decision + area.barrier + area.loop,
        "bodies": area.nested + area.handled,
        "guards": area.guard_false + area.guard_true,
        "retries": area.retrying + area.non_idempotent,
    }

    assert [] == [name for name, total in sums.items() if total > 255]

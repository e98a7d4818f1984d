"""Suggestions are bounded."""

from reference_runtime.document.advice import Advice


def test_close_name_is_suggested():
    assert Advice().close_to("clasify", ["classify", "route"]) == " Did you mean 'classify'?"


def test_name_in_other_case_comes_first():
    assert Advice().close_to("LEN", ["LAN", "len"]) == " Did you mean 'len'?"


def test_far_or_empty_names_are_not():
    advice = Advice()

    assert ["", "", ""] == [
        advice.close_to("zzz", ["classify"]),
        advice.close_to("", ["classify"]),
        advice.close_to("x" * 1000, ["x" * 999]),
    ]


def test_work_is_bounded():
    advice = Advice()
    names = {f"name{number}": None for number in range(9_000)}
    answers = [advice.close_to("name7x", names) != "" for _ in range(4)]

    assert [True, True, False, False] == answers

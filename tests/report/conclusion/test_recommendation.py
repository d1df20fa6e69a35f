"""Laws of the recommendation, over all intervals, requirements and holds of a grid."""

from __future__ import annotations

import random
from itertools import product

import pytest

from reportgen.report.conclusion.recommendation import (
    BETTER,
    CandidateEvidence,
    combine_datasets,
    judge_candidate,
    recommend_choice,
    recommend_order,
    recommend_replacement,
    recommend_value,
)
from reportgen.results.recommendation import Hold, Recommendation, Stop
from reportgen.results.types import Number, RequirementStatus, Word

PLACES = (-0.05, -0.02, -0.011, -0.01, -0.004, 0.0, 0.004, 0.01, 0.011, 0.02, 0.05)
INTERVALS = [(low, high) for low in PLACES for high in PLACES if low <= high]
STATUSES: tuple[tuple[RequirementStatus, ...], ...] = (
    (),
    ("met",),
    ("not met",),
    ("met", "cannot tell"),
    ("no harm seen",),
    ("skipped",),
)
LEAK = Hold("check", check="too_good")
CONFLICT = Hold("conflict", "auc")
STOP = Stop("undefined", "d", None, "AUC of m1 is undefined", "no positives")


def name_verdict(low: Number, high: Number, margin: float) -> Word:
    """Name a verdict by the rule of the documentation, written a second time."""
    if low is None or high is None:
        return "no result"
    if margin > 0 and low > -margin and high < margin:
        return "equivalent"
    if low > 0:
        return "clearly better" if margin > 0 and low >= margin else "better"
    if high < 0:
        return "clearly worse" if margin > 0 and high <= -margin else "worse"
    if margin > 0 and low > -margin:
        return "not worse"
    if margin > 0 and high < margin:
        return "not better"
    return "cannot tell"


def make(
    low: Number,
    high: Number,
    margin: float = 0.01,
    *,
    model: str = "x",
    statuses: tuple[RequirementStatus, ...] = (),
    losses: tuple[str, ...] = (),
    holds: tuple[Hold, ...] = (),
) -> CandidateEvidence:
    """Make the evidence of a candidate whose gain is the middle of its interval."""
    gain = None if low is None or high is None else (low + high) / 2
    word = name_verdict(low, high, margin)
    return CandidateEvidence(model, word, gain, low, high, margin, statuses, losses, holds)


@pytest.mark.parametrize("needs", ["better", "not_worse"])
@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_a_yes_needs_the_verdict_all_requirements_and_no_hold(needs: str, margin: float) -> None:
    """Yes is said of nothing that a requirement, a hold, a loss or the interval speaks against."""
    for (low, high), statuses, losses, holds in product(
        INTERVALS, STATUSES, ((), ("mae",)), ((), (LEAK,), (CONFLICT,))
    ):
        candidate = make(low, high, margin, statuses=statuses, losses=losses, holds=holds)
        made = recommend_replacement(candidate, "base", needs)  # type: ignore[arg-type]
        if "not met" in statuses:
            assert made.answer == "no"
        if made.answer == "yes":
            assert not losses and not holds and not {"not met", "cannot tell"} & set(statuses)
            is_inside = candidate.word == "equivalent"
            assert low > 0 if needs == "better" else low > -margin or is_inside
            assert made.use == ("x",) and made.keep is None
        else:
            assert made.use == () and made.keep == "base"
        if made.answer == "no" and "not met" not in statuses:
            assert high < margin or high < 0 or high <= -margin
        if candidate.word == "no result":
            assert made.answer == "cannot tell"


def test_a_stop_withholds_every_answer() -> None:
    """No verdict is given whatever the interval, if the data are stopped."""
    for low, high in INTERVALS:
        one = make(low, high, statuses=("not met",))
        assert recommend_replacement(one, "base", stops=[STOP]).answer == "no verdict"
        assert recommend_choice([one], "base", stops=[STOP]).answer == "no verdict"
        assert recommend_order(["x", "base"], [one], "base", (), [STOP]).answer == "no verdict"
        assert recommend_value("x", ("met",), [STOP]).answer == "no verdict"


def test_a_candidate_without_a_result_leaves_the_answer_open() -> None:
    """Without an interval neither yes nor no is said."""
    assert judge_candidate(make(None, None)).answer == "cannot tell"


def test_what_decides_one_candidate_is_the_first_step_that_applies() -> None:
    """The reason names the step, so that the page can say why."""
    reasons = {
        "requirement not met": make(0.02, 0.05, statuses=("not met",), holds=(LEAK,)),
        "verdict": make(-0.05, -0.02, holds=(LEAK,)),
        "hold": make(0.02, 0.05, holds=(LEAK,), losses=("mae",)),
        "trade-off": make(0.02, 0.05, losses=("mae",), statuses=("cannot tell",)),
        "requirement open": make(0.02, 0.05, statuses=("cannot tell",)),
        "qualified": make(0.02, 0.05, statuses=("met", "no harm seen", "skipped")),
    }
    assert {judge_candidate(each).reason: each for each in reasons.values()} == {
        name: reasons[name] for name in reasons
    }


def draw_choice(draw: random.Random) -> tuple[list[CandidateEvidence], set[tuple[str, str]]]:
    """Draw one to eight candidates and which of them are established to beat which."""
    margin = draw.choice((0.0, 0.01))
    every = []
    for number in range(draw.randint(1, 8)):
        low, high = sorted(draw.sample(PLACES, 2))
        kinds: list[RequirementStatus] = ["met", "not met", "cannot tell"]
        statuses = tuple(draw.choices(kinds, [8, 1, 1], k=draw.randint(0, 2)))
        holds = (LEAK,) if draw.random() < 0.05 else ()
        every.append(make(low, high, margin, model=f"m{number}", statuses=statuses, holds=holds))
    ordered = sorted(every, key=lambda each: -(each.gain or 0.0))
    beats = {
        (ahead.model, behind.model)
        for place, ahead in enumerate(ordered)
        for behind in ordered[place + 1 :]
        if draw.random() < 0.4 and ahead.gain != behind.gain
    }
    return every, beats


def test_a_choice_names_no_model_that_another_beats_and_all_that_are_better() -> None:
    """Over 20,000 random choices."""
    draw = random.Random(1)
    answers = set()
    for _ in range(20_000):
        every, beats = draw_choice(draw)
        made = recommend_choice(every, "base", beats)
        answers.add(made.answer)
        better = {each.model for each in every if each.word in BETTER}
        assert set(made.better) == better
        gains = {each.model: each.gain or 0.0 for each in every}
        assert [*made.better] == sorted(made.better, key=lambda model: -gains[model])
        judged = {each.model: each for each in made.candidates}
        assert set(judged) == {each.model for each in every}
        if made.answer == "yes":
            assert set(made.use) <= better and made.keep is None
            assert not {(a, b) for a in made.use for b in made.use} & beats
            assert all(judged[model].answer == "yes" for model in made.use)
            # whoever qualifies and is left out is beaten by somebody who qualifies
            out = [m for m, each in judged.items() if each.answer == "yes" and m not in made.use]
            assert not out or beats
        else:
            assert made.use == () and made.keep == "base"
            assert not any(each.answer == "yes" for each in judged.values())
        if made.answer == "no":
            assert {each.answer for each in judged.values()} == {"no"}
    assert answers == {"yes", "no", "cannot tell"}


def test_a_model_better_than_the_baseline_beats_one_that_is_worse() -> None:
    """What follows from two comparisons with the baseline is used without a third."""
    every = [make(0.02, 0.05, model="a"), make(-0.05, -0.02, model="b")]
    made = recommend_order(["a", "base", "b"], every, "base", {("a", "base"), ("base", "b")})
    assert made.order == (("a",), ("base",), ("b",)) and made.answer == "yes"
    assert recommend_order(["a", "b"], every, "base", ()).order == (("a",), ("b",))


def test_neighbours_that_nothing_tells_apart_form_a_group() -> None:
    """A ranking is given as far as it is known."""
    every = [make(-0.05, 0.05, model="b"), make(-0.05, 0.05, model="c")]
    made = recommend_order(["a", "b", "c"], every, "base", {("a", "b")})
    assert made.order == (("a",), ("b", "c")) and made.answer == "cannot tell"


@pytest.mark.parametrize(
    ("statuses", "answer"),
    [
        ((), "cannot tell"),
        (("met", "met"), "yes"),
        (("met", "no harm seen"), "yes"),
        (("met", "not met", "cannot tell"), "no"),
        (("met", "cannot tell"), "cannot tell"),
        (("skipped",), "cannot tell"),
    ],
)
def test_one_model_alone_is_judged_by_its_requirements(
    statuses: tuple[RequirementStatus, ...], answer: str
) -> None:
    """Without a requirement nothing can be told."""
    assert recommend_value("x", statuses).answer == answer


@pytest.mark.parametrize("hold", [Hold("reference"), Hold("check", check="too_good")])
def test_one_model_alone_that_is_held_is_no_yes(hold: Hold) -> None:
    """Neither for what it meets nor for what it is better than."""
    made = recommend_value("x", ("met",), reference="clearly better", holds=[hold])
    assert (made.answer, made.candidates[0].holds) == ("cannot tell", (hold,))
    assert recommend_value("x", ("not met",), holds=[hold]).answer == "no"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (("yes", "yes"), "yes"),
        (("yes", "no"), "no"),
        (("yes", "cannot tell"), "cannot tell"),
        (("no", "cannot tell"), "no"),
        (("yes", "no verdict"), "no verdict"),
    ],
)
def test_several_data_sets_say_yes_only_together(answers: tuple[str, ...], expected: str) -> None:
    """One no is a no, and the answer of each data set is kept."""
    each = [
        (
            f"d{number}",
            Recommendation(
                "replace",
                answer,  # type: ignore[arg-type]
                use=("x",) if answer == "yes" else (),
                keep=None if answer == "yes" else "base",
            ),
        )
        for number, answer in enumerate(answers)
    ]
    made = combine_datasets(each)
    assert made.answer == expected
    assert tuple(each.answer for each in made.datasets) == answers
    assert (made.use == ("x",)) == (expected == "yes")

"""The blocks of page one: what a reader sees of a conclusion."""

from dataclasses import replace

import pytest

from reportgen.metrics import METRICS
from reportgen.report.document import Table, iter_unfolded
from reportgen.report.layout import build_document, build_first_page
from reportgen.report.sections import classification, method, scores
from reportgen.report.sections import page_one as first
from reportgen.report.sections.index import Index
from reportgen.report.wording.names import find_full_title, make_names_distinct
from tests.report.conclusion.numbers_in import AUC, CAPTURE, MAE, REPEAT, TAU, compared, results
from tests.report.sections import results_factory as made
from tests.worked import results_of


def blocks(found):
    """Return the blocks of page one by their ids, or by their kinds if they have none."""
    shown = first.build_page_one_section(found).blocks
    return {block.kind: block for block in shown} | {
        block.id: block for block in shown if getattr(block, "id", "")
    }


WALLET = results(
    compared(TAU, 0.0099, 0.0269),
    compared(TAU, 0.0604, 0.0845, "last91"),
    compared(AUC, -0.08, -0.06, "last91"),
    compared(CAPTURE, -0.012, 0.003),
    compared(MAE, 4.3, 6.2),
    models=("boost", "last91"),
    about="boost",
    decision="replace",
    headline=("topk_capture", "mae"),
)


def test_the_forest_prints_every_number_on_one_axis_where_better_is_to_the_right():
    forest = blocks(WALLET)["forest"]
    assert [(r.name, r.difference, r.interval, r.word, r.tone) for r in forest.rows] == [
        ("Gradient boosting", "+0.0184", "+0.0099 to +0.0269", "Better", "good"),
        (
            "Spend of the last 91 days",
            "+0.0725",
            "+0.0604 to +0.0845",
            "Clearly better ①",
            "neutral",
        ),
        ("CLV", "", "", "", "neutral"),
    ]
    assert [(r.amount, r.note) for r in forest.rows] == [
        ("0.5184", ""),
        ("0.5725", ""),
        ("0.5000", "baseline"),
    ]
    assert forest.rows[0].is_strong and not forest.rows[1].is_strong
    assert (forest.margin, forest.right) == (0.01, "better than CLV →")
    assert "Grey band: less than 0.01. 95% CI" in forest.caption
    assert [note[:17] for note in forest.notes] == ["① Set aside: on r"]
    ends = [x for r in forest.rows[:-1] for x in (r.low, r.high)]
    assert forest.axis_low < min(ends) and max(ends) < forest.axis_high


def test_the_forest_prints_for_how_many_comparisons_the_other_intervals_are_adjusted():
    """Of three other models one scores as the baseline does: nothing is adjusted for it."""
    rest = {"family": "others", "family_size": 2}
    same = replace(compared(TAU, 0.0, 0.0, "same", **rest), low=None, high=None)
    asked = compared(TAU, 0.011, 0.03, family="asked")
    two = [compared(TAU, -0.02, 0.02, model, **rest) for model in ("rfm", "last91")]
    names = ("boost", "rfm", "last91", "same")
    about = {"about": "boost", "decision": "replace"}
    found = results(asked, *two, same, models=names, **about)
    said = "95% CIs; those of the other models are adjusted for 2 comparisons."
    assert said in blocks(found)["forest"].caption
    alone = compared(TAU, -0.02, 0.02, "rfm", family="others")
    found = results(asked, alone, same, models=("boost", "rfm", "same"), **about)
    found = replace(found, comparisons=tuple(replace(c, family_size=1) for c in found.comparisons))
    assert "95% CIs, unadjusted." in blocks(found)["forest"].caption


def test_where_less_is_better_the_axis_is_turned_and_its_ticks_keep_their_sign():
    cost = replace(MAE, is_primary=True, margin=1.0)
    forest = blocks(results(compared(cost, -6.0, -4.0), metrics=(cost,)))["forest"]
    row, _ = forest.rows
    assert (row.value, row.low, row.high, row.difference) == (5.0, 4.0, 6.0, "−$5.00")
    assert {text for place, text in forest.ticks if place > 0} >= {"−$2", "−$4"}


def test_a_row_of_the_forest_leaves_what_a_price_is_per_to_the_key_line():
    rate = replace(MAE, unit="EUR per case", is_primary=True)
    row, _ = blocks(results(compared(rate, -6.0, -4.0), metrics=(rate,)))["forest"].rows
    assert row.difference.replace("\u00a0", " ") == "−5.00 EUR"


def test_the_table_has_both_values_that_subtract_and_points_for_shares():
    table = blocks(WALLET)["table"]
    assert table.title == "What else changes with Gradient boosting?"
    shown = [[(cell.text, cell.note) for cell in row] for row in table.rows]
    assert shown[0] == [
        ("Spend captured by the best 20%", "capture of the top"),
        ("50.00%", ""),
        ("49.55%", ""),
        ("−0.45 points", "−1.20 to +0.30"),
        ("Cannot tell", ""),
    ]
    assert shown[1][3:] == [("+$5.25", "+4.30 to +6.20"), ("Worse", "")]
    assert table.caption == ""
    churn = blocks(results_of("churn"))["consequences"]
    families = "CIs are adjusted for 3 metrics and 2 segments."
    assert churn.caption == f"{families}"


def test_a_word_that_depends_on_a_margin_has_it_beside_it():
    segment = compared(TAU, -0.03, -0.005, segment="buyer=repeat", n=9_616)
    table = blocks(results(compared(TAU, 0.011, 0.03), segment, segments=(REPEAT,)))["table"]
    assert [(row[4].text, row[4].note) for row in table.rows] == [("Worse", "margin 0.01")]
    assert "margin" not in table.caption


def test_requirements_that_are_met_are_no_answer_where_the_answer_is_open():
    met = made.gate("bounded", "met")
    open_one = replace(results(compared(TAU, -0.02, 0.02)), gates=(replace(met, key="kendall"),))
    shown = blocks(open_one)["requirements"]
    assert shown.caption == "Met, but the question asks for a gain, not just no loss."
    good = replace(results(compared(TAU, 0.011, 0.03)), gates=(replace(met, key="kendall"),))
    assert blocks(good)["requirements"].caption == "Met."


def test_the_limits_of_a_requirement_are_printed_as_its_value_is():
    """A sign such as $ stands on each number."""
    shown = blocks(results_of("wallet"))["requirements"]
    printed = [[cell.text for cell in row[1:4]] for row in shown.rows]
    assert printed == [
        ["> −0.01", "+0.018", "+0.011 to +0.025"],
        ["< $40", "$38.58", "$37.36 to $39.99"],
    ]


def test_a_metric_goes_by_its_phrase_where_its_label_is_a_short_name_to_quote_it_by():
    named = make_names_distinct(results_of("wallet-shifts"))
    labels = {metric.key: metric.label for metric in named.metrics}
    assert labels["cost"] == "cost with a fitted constant"
    assert labels["mae"] == "Mean absolute error"
    assert labels["cost with polynomial"] == "cost with polynomial"


def test_a_share_of_right_calls_stands_beside_what_calling_none_reaches():
    table = table_of("churn", "consequences")
    at = [column.title for column in table.columns].index("No model")
    without = {row[0].text: (row[at].text, row[at].note) for row in table.rows}
    assert without["Share of customers classified correctly"] == ("85.5%", "always “0”")
    assert without["Log loss"] == ("0.41", "always 14.5%")


def table_of(name, id_):
    return next(
        b
        for b in first.build_page_one_section(results_of(name)).blocks
        if getattr(b, "id", "") == id_
    )


def test_page_one_tells_of_no_calls_where_only_another_dataset_has_some():
    churn = results_of("churn")
    points = tuple(replace(point, dataset="another") for point in churn.points)
    shown = first.build_page_one_section(replace(churn, points=points)).blocks
    assert points and "flagging" not in {getattr(block, "id", "") for block in shown}


def churn_about_boosting():
    churn = results_of("churn")
    found = churn.conclusion
    operating = replace(found.recommendation.operating, model="boosted")
    made = replace(found.recommendation, operating=operating)
    return replace(churn, conclusion=replace(found, recommendation=made))


def test_page_one_sets_the_cheapest_threshold_and_the_first_against_flagging_everyone():
    assert table_of("churn", "flagging").title == "What does flagging cost?"
    churn = churn_about_boosting()
    table = classification.build_flagging_table(Index(churn))
    assert table.caption == (
        "Gradient boosting, per 1,000 customers; 10 EUR per false positive, 200 EUR per missed "
        "leaver. The table has the cheapest of 5 thresholds and the first declared. All are under "
        "Thresholds."
    )
    assert [column.title for column in table.columns] == [
        "Threshold",
        "Flagged",
        "Found (of 145)",
        "False positives",
        "Cost",
        "95% CI",
        "Against flagging everyone",
    ]
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [row[:5] for row in rows] == [
        ["80% found", "145", "116", "29", "5,900"],
        ["call list", "100", "94", "6", "10,000"],
        ["Flag everyone", "1,000", "145", "855", "8,600"],
        ["Flag nobody", "0", "0", "0", "28,900"],
    ]
    assert rows[0][6] == "Better" and rows[2][5:] == ["", ""]
    assert table.rows[0][0].note.endswith("lowest cost of 5")
    alone = replace(churn, points=tuple(p for p in churn.points if p.name == "call list"))
    table = classification.build_flagging_table(Index(alone))
    assert len(table.rows) == 3 and "thresholds" not in table.caption


def test_a_saving_has_the_interval_of_its_comparison_in_text_and_table():
    churn = results_of("churn")
    point = next(p for p in churn.points if p.name == "call list" and p.model == "forest")
    own = next(o for o in point.outcomes if o.metric == "misclassification_cost")
    key = "misclassification_cost(at=call list)"
    metric = replace(
        churn.metrics[0], key=key, name="misclassification_cost", params={"at": "call list"}
    )
    difference = own.difference
    comparison = replace(
        next(c for c in churn.comparisons if c.candidate == "forest" and c.segment is None),
        key=key,
        metric="misclassification_cost",
        difference=difference,
        low=2 * difference,
        high=-difference,
        word="cannot tell",
        family_size=3,
    )
    found = replace(
        churn,
        metrics=(*churn.metrics, metric),
        comparisons=(*churn.comparisons, comparison),
    )
    assert own.difference_high < 0
    quoted = classification.collect_points(Index(found))["call list"][1].outcomes[-1]
    assert (quoted.difference_low, quoted.difference_high) == (
        pytest.approx(2000 * difference),
        pytest.approx(-1000 * difference),
    )
    table = classification.build_thresholds_section(found).blocks[0]
    place = [column.title for column in table.columns].index("Against the baseline")
    assert table.rows[1][place].value == pytest.approx(1000 * difference)
    assert "from the baseline are adjusted for 3 comparisons" in table.caption
    before = classification.build_thresholds_section(churn).blocks[0]
    assert "adjusted for" not in before.caption


def test_without_costs_the_table_is_about_what_flagging_finds():
    churn = churn_about_boosting()
    points = tuple(
        replace(p, outcomes=p.outcomes[:4], cost_of_all=None, cost_of_none=None)
        for p in churn.points
    )
    table = classification.build_flagging_table(Index(replace(churn, points=points)))
    assert table.title == "What does flagging find?"
    assert table.caption == (
        "Gradient boosting, per 1,000 customers. The table has the first declared of 5 "
        "thresholds. All are under Thresholds."
    )
    assert len(table.columns) == 4 and table.rows[-1][0].text == "Flag nobody"


def test_the_number_of_the_sentence_is_in_bold():
    line = blocks(WALLET)["callout"].body[0]
    assert [span.text for span in line if span.is_strong] == ["+0.0184"]


@pytest.mark.parametrize("limits", [(0.00001, 0.02), (-0.02, -0.00001)])
def test_no_interval_prints_as_touching_zero_beside_a_verdict(limits):
    plain = replace(TAU, margin=None)
    found = results(compared(plain, *limits), metrics=(plain,))
    row, _ = blocks(found)["forest"].rows
    ends = [end.strip("+−0.,") for end in row.interval.split(" to ")]
    assert row.word in ("Better", "Worse") and all(ends)


def test_one_model_has_a_table_of_its_values():
    found = blocks(made.alone())
    assert "forest" not in found
    assert found["table"].title == "How good is Gradient boosting?"
    assert [row[1].text for row in found["table"].rows] == ["0.356", "38.6 dollars", "34.8 dollars"]


def test_ten_models_stand_in_one_forest():
    forest = blocks(made.crowd())["forest"]
    assert len(forest.rows) == 10  # nine candidates, and the baseline


@pytest.mark.parametrize("make", [made.wallet, made.alone, made.crowd])
def test_page_one_alone_is_the_same_as_in_the_report(make):
    alone, whole = build_first_page(make()), build_document(make())
    assert [s.id for s in alone.sections] == ["decision"]
    kinds = [block.kind for block in alone.sections[0].blocks]
    assert kinds == [block.kind for block in whole.sections[0].blocks]


def test_a_limit_that_is_all_but_zero_is_printed_with_a_digit():
    plain = replace(TAU, margin=None)
    found = results(compared(plain, 0.0000001, 0.2), metrics=(plain,))
    row, _ = blocks(found)["forest"].rows
    assert (row.difference, row.interval) == ("+0.1000", "+1.0\xa0×\xa010⁻⁷ to +0.2000")


def test_a_contradicted_verdict_has_no_green_in_the_matrix_and_the_tables():
    found = results_of("wallet")
    index = Index(found)
    (better,) = (index.comparison(m, "kendall") for m in ["boosted"])
    contradicted = next(
        c
        for m in index.candidates
        if (c := index.comparison(m.name, "kendall")) is not None and "91 days" in m.label
    )
    assert better is not None
    assert (better.word, contradicted.word) == ("clearly better", "clearly better")
    assert (index.tone(better), index.tone(contradicted)) == ("good", "neutral")
    tables = {
        block.id: block
        for section in build_document(found).sections
        for block in iter_unfolded(section.blocks)
        if isinstance(block, Table)
    }
    every = tables["scores-table"]
    place = [c.title for c in every.columns].index("Spend, last 91 days")
    cell = every.rows[0][place]
    assert (cell.text[:1], cell.tone) == ("▲", "neutral")


def test_a_share_of_the_top_says_how_many_that_are_and_what_a_point_is_worth():
    notes = {row[0].text: row[0].note for row in table_of("wallet", "consequences").rows}
    assert notes["Captured spend"] == (
        "spend captured by the top 20%; 4,714 of 23,570 customers; 1 point = $7,770"
    )


def _text(item):
    return "".join(span.text for span in item)


def test_the_metric_behind_a_name_of_the_config_is_told() -> None:
    worked = results_of("digits")
    metrics = tuple(
        replace(m, is_primary=True, label="right in two guesses", title="Top-k accuracy")
        if m.name == "top_k_accuracy"
        else replace(m, is_primary=False, title=m.label)
        for m in worked.metrics
    )
    primary = next(m.key for m in metrics if m.is_primary)
    inference = replace(worked.inference, primary=primary)
    found = replace(worked, metrics=metrics, inference=inference)
    judged = method.build_method_section(found).blocks[0]
    lines = [_text(item) for item in judged.items]
    assert any("right in two guesses (top-k accuracy). No margin is set." in x for x in lines)
    every = scores.build_scores_section(found).blocks[0]
    notes = {row[0].text: row[0].note for row in every.rows}
    assert notes["right in two guesses"] == "top-k accuracy, higher is better"
    assert notes["Log loss"] == "lower is better"
    finished = replace(metrics[0], label="ROC AUC", title="Score")
    assert find_full_title(finished) == ""
    assert METRICS["finished_score"].title == finished.title


@pytest.mark.parametrize("name", ["churn", "digits", "folds", "auc-matrix"])
def test_names_of_forty_letters_stand_whole_in_the_tables_of_page_one(name) -> None:
    worked = results_of(name)
    models = tuple(
        replace(m, label=f"Model fitted in the second quarter no. {k}")
        for k, m in enumerate(worked.models)
    )
    assert {len(m.label) for m in models} == {40}
    tables = [
        b
        for b in first.build_page_one_section(replace(worked, models=models)).blocks
        if isinstance(b, Table)
        and b.id in ("consequences", "first-classes", "first-folds", "first-ranks")
    ]
    assert tables
    for table in tables:
        heads = [column.title for column in table.columns] + [row[0].text for row in table.rows]
        assert not [head for head in heads if "…" in head]
        assert any(head.startswith("Model fitted in the second quarter no.") for head in heads)

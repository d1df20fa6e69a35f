"""The titles of figures: a sentence with numbers wherever a curve gives one."""

from dataclasses import replace

import pytest

from reportgen.report.document import Figure, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.sections.curves.findings import describe_curve
from reportgen.report.sections.index import Index
from tests.worked import results_of

SAID = {
    "rec": "Half of the predictions are off by at most $",
    "lift": "The 10% of customers ranked highest by CLV have ",
    "concentration": "The 80% of customers with the lowest scores hold 31% of spend in nine months",
    "concordance": "On average, CLV puts a customer in the right order with 62% of the others",
    "auc_by_cutoff": "Averaged over all cut-offs of spend in nine months, the AUC is 0.764 for CLV",
    "bucket_calibration": "For each $1 more predicted, spend in nine months rises by $1.08 for CLV",
}


@pytest.fixture(scope="module")
def wallet():
    return results_of("wallet")


def curves_of(results, name):
    return [c for c in results.curves if c.curve == name and c.baseline is None and not c.segment]


@pytest.mark.parametrize("name", SAID)
def test_a_title_says_what_the_curve_shows(wallet, name):
    assert describe_curve(Index(wallet), curves_of(wallet, name)).startswith(SAID[name])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("roc", "The area under the ROC curve is 0.787 for Logistic regression"),
        (
            "cumulative_gains",
            "The 10% of customers flagged first by Logistic regression include 35% of the",
        ),
    ],
)
def test_a_title_of_two_classes_says_what_the_curve_shows(name, said):
    churn = results_of("churn")
    assert describe_curve(Index(churn), curves_of(churn, name)).startswith(said)


def test_no_two_figures_of_a_section_have_one_title(wallet):
    for section in build_document(wallet).sections:
        titles = [b.title for b in iter_unfolded(section.blocks) if b.kind == "figure"]
        assert len(titles) == len(set(titles)), titles


def test_shares_of_a_sum_are_not_told_where_values_are_below_zero(wallet):
    (found,) = wallet.datasets
    columns = tuple(replace(c, minimum=-1.0) if c.role == "y" else c for c in found.columns)
    index = Index(replace(wallet, datasets=(replace(found, columns=columns),)))
    for name in ("lift", "concentration"):
        assert describe_curve(index, curves_of(wallet, name)) == ""


def test_the_titles_stand_over_the_figures(wallet):
    titles = {
        block.id: block.title
        for section in build_document(wallet).sections
        for block in iter_unfolded(section.blocks)
        if isinstance(block, Figure)
    }
    assert sum(
        any(title.startswith(said) for title in titles.values()) for said in SAID.values()
    ) == len(SAID)


def test_what_alpha_is_stands_before_its_first_use():
    costs = next(s for s in build_document(results_of("wallet-costs")).sections if s.id == "costs")
    assert "".join(span.text for span in costs.lede).endswith("For 4 : 1, α is 4/(4 + 1) = 0.8.")

"""What a name keeps and loses inside a sentence."""

import pytest

from reportgen.metrics import METRICS
from reportgen.report.wording.names import lower_first_word

AS_WRITTEN = {  # names of people, abbreviations and letters, which keep their capital
    "AP",
    "AUC",
    "Brier",
    "Cohen's",
    "DCG",
    "F",
    "F1",
    "FAP",
    "Fowlkes–Mallows",
    "Gini",
    "H",
    "Hamming",
    "Jaccard",
    "Kendall's",
    "Kolmogorov–Smirnov",
    "Matthews",
    "Pearson's",
    "R-precision",
    "R²",
    "Spearman's",
    "Youden's",
}


@pytest.mark.parametrize("title", sorted({metric.title for metric in METRICS.values()}))
def test_only_names_and_abbreviations_keep_their_capital_inside_a_sentence(title):
    first = title.partition(" ")[0]
    keeps = first[1:] != first[1:].lower() or first in AS_WRITTEN or not first[:1].isupper()
    assert (lower_first_word(title) == title) is keeps

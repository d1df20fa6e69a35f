"""What a statistic sees of one model: rows, where one row is one unit of analysis.

There is one kind of rows a kind of target. All answer the same questions, so that weights,
segments, clusters, case deletion and influence act on units and never ask what a unit is.

    Amounts     an amount a row, and a score for it
    Classes     a class a row, and a score of each class
    LabelSets   any number of labels a row, and a score of each label
    Queries     a list of graded documents a row, and a score of each document
    FinishedScores  what each model reached, and nothing that happened beside it

`Fit` is rows of the same model that are not judged. This file knows no metric, file or page.
"""

from reportgen.rows.amounts import Amounts, Fit, is_density, quantile_levels
from reportgen.rows.classes import Classes
from reportgen.rows.finished import FinishedScores
from reportgen.rows.label_sets import LabelSets
from reportgen.rows.queries import Queries, find_ahead
from reportgen.rows.rows import OFFERS, Rows, Shown

__all__ = [
    "OFFERS",
    "Amounts",
    "Classes",
    "FinishedScores",
    "Fit",
    "LabelSets",
    "Queries",
    "Rows",
    "Shown",
    "find_ahead",
    "is_density",
    "quantile_levels",
]

"""The texts of the coded warnings about scores of several fits, and about several data sets."""

from __future__ import annotations

from reportgen.wording.warning_text import WarningText

FOLDS = {
    "W125": WarningText(
        "a cluster in two folds",
        "Rows that hang together lie in several folds",
        "{count} of {units} clusters lie in more than one fold",
        (" (by {column})",),
        "Rows of one cluster were divided among folds of the same round.",
        "A model that scored such a row was fitted on others like it, so that the scores look "
        "better than those of clusters never seen, and folds differ less than new ones would.",
        "Deal whole clusters into folds, fit again, and judge those scores.",
        consequence="The values flatter the models, by how much nobody can tell.",
        example=(
            {"count": 12, "units": 40, "column": "patient"},
            "12 of 40 clusters lie in more than one fold (by patient).",
        ),
    ),
    "W126": WarningText(
        "few folds or data sets",
        "There is too little for the intervals to hold",
        "There is too little for the intervals to hold",
        (
            ": {folds} folds",
            "; how much folds differ is read from {differences} difference alone, which tells next "
            "to nothing",
            ": {rows} rows judge the fitted models",
            ": {clusters} judge the fitted models",
            ": {datasets} data sets",
        ),
        "There are fewer than 5 folds, of all rounds together; or the question is about the fitted "
        "models and there are fewer than 400 rows, or clusters of rows; or there are fewer than "
        "6 data sets.",
        "The spread of a few folds, or data sets, is hardly known: there is no p-value, and an "
        "interval is very wide; fewer than 6 data sets, or 3 folds, give no verdict. Two folds "
        "give one difference, whose interval often holds most values that the measure can take. "
        "What is said of fitted models on few rows may hold less "
        "often than it claims, and tells little of models that are fitted again.",
        "Repeat cross-validation with other folds and name its rounds, or gather more data.",
        consequence="Read its intervals as a lower limit of the doubt.",
        example=(
            {"folds": 3},
            "There is too little for the intervals to hold: 3 folds.",
        ),
    ),
    "W128": WarningText(
        "undefined in some folds",
        "The measure does not exist in some folds",
        "The measure does not exist in {count} of {folds} folds",
        (
            ", which are left out: the value is that of the other {others}",
            ", so that its spread is read from the other {read}; the value is that of all rows",
        ),
        "A fold lacks what the measure needs, such as a row of each class.",
        "A mean over folds is that of the other folds, and so is the spread: folds are not left "
        "out by chance, but for what happened in them.",
        "Deal rows into folds class by class, or take fewer folds.",
        consequence="What varies between folds is read from the others alone.",
        example=(
            {"count": 2, "folds": 10, "others": 8},
            "The measure does not exist in 2 of 10 folds, which are left out: the value is that of "
            "the other 8.",
        ),
    ),
}

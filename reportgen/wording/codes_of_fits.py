"""The texts of the warnings about what was fitted on other rows: shifts and thresholds."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.wording.warning_text import WarningText

FITS: Mapping[str, WarningText] = {
    "W115": WarningText(
        "shifts fitted on ids they are judged on",
        "Shifts are judged on ids that they were fitted on",
        "Shifts are judged on ids that they were fitted on: {shared} of {rows} ids are also in "
        "the dataset {fit}",
        (),
        "Ids of the dataset with `role: fit` are among those that its shifts are judged on, and "
        "the config says `used_to_fit: true`. They may be the same rows, or others of the same "
        "units, such as last year's of the same customers.",
        "A shift suits the rows that it was fitted on, a polynomial all the more: on them it looks "
        "cheaper than it will be on new rows, and its gap to the best constant is flattered; on "
        "other rows of the same units as far as they are alike. Intervals draw both sets of rows "
        "apart, and do not know of it.",
        "Fit on other rows: a second file, or another fold by a `filter` on each dataset.",
        consequence="On new rows a fitted shift may save less than it seems to here.",
        example=(
            {"shared": 20, "rows": 500, "fit": "last year"},
            (
                "Shifts are judged on ids that they were fitted on: 20 of 500 ids are also "
                "in the dataset last year."
            ),
        ),
    ),
    "W116": WarningText(
        "shifts fitted on few rows",
        "Shifts were fitted on few rows",
        "Shifts were fitted on only {rows} rows, where {few} are wanted",
        (" (dataset {fit})",),
        "The dataset with `role: fit` has fewer than 30 rows that weigh. Under 5, or under two "
        "more than the degree of a polynomial, it is refused.",
        "At an asymmetry of 0.8 a fifth of the rows decide a constant, and each further power of a "
        "polynomial needs rows of its own: other rows would have given another shift.",
        "Add rows to fit on, or lower `degree`; `degree: 0` fits a constant alone.",
        consequence="Other rows would have given another shift.",
        example=(
            {"rows": 12, "few": 30, "fit": "last year"},
            ("Shifts were fitted on only 12 rows, where 30 are wanted (dataset last year)."),
        ),
    ),
    "W117": WarningText(
        "clusters both in the rows to fit and in those judged",
        "The same clusters are in the rows to fit and in those judged",
        "{shared} clusters of column {column} are both in the rows to fit and in those judged",
        (" (dataset {fit})",),
        "A shift was fitted on rows of a cluster, such as one customer, and others of it judge it.",
        "The shift knows something of these clusters that it would not know of new ones, and its "
        "gap to the best constant is flattered. Intervals draw both sets of rows apart, and do not "
        "know of it.",
        "Split by cluster instead of by row, unless the shift is meant for these very clusters.",
        consequence="For new ones a fitted shift may save less than it seems to here.",
        example=(
            {"shared": 3, "column": "shop", "fit": "last year"},
            (
                "3 clusters of column shop are both in the rows to fit and in those judged "
                "(dataset last year)."
            ),
        ),
    ),
    "W121": WarningText(
        "threshold or cut-off chosen on the rows it is judged on",
        "A threshold or cut-off was chosen on the rows that it is judged on",
        "The threshold of {what} was chosen on the rows that it is judged on",
        (": the rank at which {peak} is highest", "; {shared} ids taught it and are judged"),
        "An operating point is learnt with on: test, or the rank to cut lists at is where a curve "
        "is highest and no other rows say where that is, or rows that taught it are judged as "
        "well.",
        "The choice suits the accidents of these rows, and other rows will be called or answered "
        "worse than they are here. Choosing anew in every resample makes intervals wide enough for "
        "its spread, but does not take that optimism away.",
        "Learn it on other rows: give a dataset role: fit.",
        consequence="What the choice gives on new rows will be worse than it looks here.",
        example=(
            {"what": "half", "shared": 20},
            (
                "The threshold of half was chosen on the rows that it is judged on; 20 ids "
                "taught it and are judged."
            ),
        ),
    ),
    "W129": WarningText(
        "unsteady threshold",
        "A learnt threshold is not firm",
        "The threshold of {point} could lie elsewhere: resamples of {fit} spread it over {spans} "
        "of their rows",
        ("; only {fewer} rows of the rarer class taught it",),
        "A threshold was learnt on fewer than 30 rows of a class, or resamples of the rows that "
        "taught it put it so far apart that over 20% of them lie between.",
        "Intervals of what is called take the threshold as given: with other rows to learn on it "
        "would have been another.",
        "Learn it on more rows, or fix it by costs or by a budget.",
        consequence="Other rows would have given another threshold.",
        example=(
            {"point": "half", "fit": "last year", "spans": 0.3, "fewer": 12},
            (
                "The threshold of half could lie elsewhere: resamples of last year spread "
                "it over 30% of their rows; only 12 rows of the rarer class taught it."
            ),
        ),
    ),
    "W144": WarningText(
        "worse on fresh rows",
        "The model is far worse on fresh rows than on those to fit on",
        "It is {on_fresh} on fresh rows, and {on_fitted} on those of {fit}, which are there to fit "
        "on",
        (),
        "Between the rows of a dataset with `role: fit` and those judged the whole interval of the "
        "gap lies beyond the margin of the metric; or, where none is declared, beyond a fifth of "
        "what is missing to the best value and a hundredth of the range of the metric.",
        "The model was trained on those rows and knows some of them by heart, or what it is asked "
        "has changed since. Thresholds that are learnt there are learnt from scores that fresh "
        "rows do not get.",
        "Score the rows to fit on by models that were not trained on them (cross-fitting), or take "
        "others; simplify the model.",
        consequence="What is learnt on those rows, such as a threshold, does not suit fresh ones.",
        example=(
            {"fit": "last year", "on_fresh": 0.812, "on_fitted": 0.994},
            (
                "It is 0.812 on fresh rows, and 0.994 on those of last year, which are there to "
                "fit on."
            ),
        ),
    ),
}

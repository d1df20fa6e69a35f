"""The texts of warnings about data, folds, fitted rows and governance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.results.types import Scalar

WarningLine = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class WarningText:
    """A code in words.

    `bare` is the line without numbers, `line` the template with them, used if all are there, and
    `instead` those in its place where their own are; each of `parts` follows if its own numbers
    are there. `meaning`, `matters` and `remedy` make the paragraph that explains the code. Page one
    takes the first of `briefs` whose numbers are there in place of the line, and then
    `consequence`: what it means for a reader who knows no statistics, empty where the line says it.
    `example` are numbers, of which the docs print the line.
    `{limit.share}` in a text is a limit of the code, `{limit.share percent}` the same as printed.
    `topic` is what such a warning is about, if not its title, where it was not looked for.
    """

    title: str
    bare: str
    line: str
    meaning: str
    matters: str
    remedy: str
    example: Mapping[str, Scalar]
    parts: tuple[str, ...] = ()
    consequence: str = ""
    briefs: tuple[WarningLine, ...] = ()
    topic: str = ""
    instead: tuple[str, ...] = ()


DATA_WARNINGS: Mapping[str, WarningText] = {
    "W201": WarningText(
        "constant target",
        "Every row has the same target",
        "Every row has the same target, {value}",
        "The target does not vary on these rows.",
        "Most measures are undefined.",
        "Check the column and the filter.",
        example={"value": 1.0},
    ),
    "W202": WarningText(
        "identical score columns",
        "Two models have the same score on every row",
        "Its scores are those of {other} on every row",
        "Two score columns hold the same numbers.",
        "Probably one model was entered twice, or a file was copied.",
        "Check the columns that the config names.",
        example={"other": "last year's model"},
    ),
    "W203": WarningText(
        "small or empty segment",
        "The segment has few rows or none",
        "The segment has {rows} rows, fewer than the {fewest} needed",
        "A declared segment holds few rows, or none.",
        "Its measures are unsure or undefined; an absent finding there is not an absent problem.",
        "Merge it with a neighbour, or gather rows.",
        parts=(", n = {n}",),
        example={"rows": 7, "fewest": 30},
    ),
    "W204": WarningText(
        "rows dropped",
        "Rows were left out",
        "Rows left out for missing values of {column}: {removed}",
        "Some rows of the files take no part in the report.",
        "If rows are missing for a reason, what is left is not what the model will meet.",
        "Look at the row waterfall, and decide on `missing:` and `filter:` knowingly.",
        parts=(
            ": {rows} rows",
            ", {reason}",
            "; rows that lack it: {missing}",
            "; ids of its table without a row: {unused}",
            "; {unmatched_share} of all rows are not in every file",
            "; {gone_positive} of those left out are positive, {kept_positive} of the others",
        ),
        example={"column": "spend", "missing": 4, "removed": 3, "unused": 0},
    ),
    "W205": WarningText(
        "characters without a font",
        "The PDF and figures print some characters as code points",
        "The PDF and figures print characters that no font has as code points: {characters}",
        "A name holds characters that no packaged font has.",
        "The HTML page's text, report.md and results.json have them; no number is touched.",
        "Name a folder of fonts with `theme: {fonts: DIR}`.",
        example={"characters": "U+1F600"},
    ),
    "W206": WarningText(
        "probabilities brought to a sum of 1",
        "Probabilities did not sum to 1, and were divided by their sum",
        "The probabilities of {rows} rows did not sum to 1, and were divided by their sum",
        "The probabilities of all classes of a row are those of one model, and must sum to 1.",
        "What is judged is not what the model gave: another model may have been meant, or a class "
        "may be missing.",
        "Look at the rows that are off; a class that the model knows may not be among `classes:`.",
        parts=("; the farthest sum is {sum}",),
        example={"rows": 17, "of": 300, "sum": 0.93},
    ),
    "W207": WarningText(
        "a class without rows",
        "A class has no row",
        "No row is of class {class}",
        "A class that is declared, that another dataset has or that a model names has no row here.",
        "Nothing can be said of it, and macro averages, which are means of one value per class, "
        "leave it out. Whatever is counted over all rows keeps it: the log loss, micro averages.",
        "Look at the spelling of its value, and at `filter:`.",
        parts=(
            ": macro averages, such as of F or AUC, are over the {others} others that have rows",
        ),
        example={"class": "rabies", "others": 4},
    ),
    "W251": WarningText(
        "not fully checked",
        "Some warnings and parts of the report are left out when rows are streamed",
        "Left out, as rows were streamed: some warnings, {what}",
        "Rows were read piece by piece, and what is left out needs all of them at once.",
        "What was not looked for may be there, and a part that is absent says nothing of the "
        "models.",
        "Run a sample of the rows with `engine: memory` for these warnings and parts.",
        parts=(
            "; these warnings are about {unseen}",
            "; of each class: {of_classes}",
            "; without a model: {without}",
            "; of the curves that the config names: {named}",
            "; {binned} come from bins of values: off by at most {bound}, and intervals are "
            "that much wider",
        ),
        example={"what": "curves, single rows", "named": "lorenz"},
        briefs=(
            (
                "Rows were streamed, so warnings about {unseen} were not looked for",
                (", and of the curves that the config names these are left out: {named}",),
            ),
            (
                "Rows were streamed, so {beside} are left out",
                ("; of the curves that the config names: {named}",),
            ),
            (
                "Rows were streamed, so warnings about heavy tails, repeated units and "
                "neighbouring rows were not looked for",
                (", and of the curves that the config names these are left out: {named}",),
            ),
        ),
        consequence="A warning that is not told here may still apply.",
    ),
    "W115": WarningText(
        "shifts fitted on ids they are judged on",
        "Shifts are judged on ids that they were fitted on",
        "Shifts are judged on ids that they were fitted on: {shared} of {rows} ids are also in "
        "the dataset {fit}",
        "Ids of the dataset with `role: fit` are among those that its shifts are judged on, and "
        "the config says `used_to_fit: true`. They may be the same rows, or others of the same "
        "units, such as last year's of the same customers.",
        "A shift suits the rows that it was fitted on, a polynomial all the more: on them it looks "
        "cheaper than it will be on new rows, and its gap to the best constant is flattered; on "
        "other rows of the same units as far as they are alike. Intervals draw both sets of rows "
        "apart, and do not know of it.",
        "Fit on other rows: a second file, or another fold by a `filter` on each dataset.",
        consequence="On new rows a fitted shift may save less than it seems to here.",
        example={"shared": 20, "rows": 500, "fit": "last year"},
    ),
    "W116": WarningText(
        "shifts fitted on few rows",
        "Shifts were fitted on few rows",
        "Shifts were fitted on only {rows} rows; {few} are needed",
        "The dataset with `role: fit` has fewer than {limit.fewest} rows that weigh. Under "
        "{limit.refused}, or under two more than the degree of a polynomial, it is refused.",
        "At an asymmetry of 0.8 a fifth of the rows decide a constant, and each further power of a "
        "polynomial needs rows of its own: other rows would have given another shift.",
        "Add rows to fit on, or lower `degree`; `degree: 0` fits a constant alone.",
        parts=(" (dataset {fit})",),
        consequence="Other rows would have given another shift.",
        example={"rows": 12, "few": 30, "fit": "last year"},
    ),
    "W117": WarningText(
        "clusters both in the rows to fit and in those judged",
        "The same clusters are in the rows to fit and in those judged",
        "{shared} clusters of column {column} are both in the rows to fit and in those judged",
        "A shift was fitted on rows of a cluster, such as one customer, and others of it judge it.",
        "The shift knows something of these clusters that it would not know of new ones, and its "
        "gap to the best constant is flattered. Intervals draw both sets of rows apart, and do not "
        "know of it.",
        "Split by cluster instead of by row, unless the shift is meant for these very clusters.",
        parts=(" (dataset {fit})",),
        consequence="For new ones a fitted shift may save less than it seems to here.",
        example={"shared": 3, "column": "shop", "fit": "last year"},
    ),
    "W121": WarningText(
        "threshold or cut-off chosen on the rows it is judged on",
        "A threshold or cut-off was chosen on the rows that it is judged on",
        "The threshold of {what} was chosen on the rows that it is judged on",
        "An operating point is learnt with on: test, or the rank to cut lists at is where a curve "
        "is highest and no other rows say where that is, or rows that taught it are judged as "
        "well.",
        "The choice suits the accidents of these rows, and other rows will be flagged or answered "
        "worse than they are here. Choosing anew in every resample makes intervals wide enough for "
        "its spread, but does not take that optimism away.",
        "Learn it on other rows: give a dataset role: fit.",
        parts=(": the rank at which {peak} is highest", "; {shared} ids taught it and are judged"),
        consequence="What the choice gives on new rows will be worse than it looks here.",
        example={"what": "half", "shared": 20},
    ),
    "W129": WarningText(
        "unsteady threshold",
        "A learnt threshold is not firm",
        "The threshold of {point} could lie elsewhere: resamples of {fit} spread it over {spans} "
        "of their rows",
        "A threshold was learnt on fewer than {limit.fewest} rows of a class, or resamples of the "
        "rows that taught it put it so far apart that over {limit.spans percent} of them lie "
        "between.",
        "Intervals of what is flagged take the threshold as given: with other rows to learn on it "
        "would have been another.",
        "Learn it on more rows, or fix it by costs or by a budget.",
        parts=("; only {fewer} rows of the rarer class taught it",),
        consequence="Other rows would have given another threshold.",
        example={"point": "half", "fit": "last year", "spans": 0.3, "fewer": 12},
    ),
    "W144": WarningText(
        "worse on fresh rows",
        "The model is far worse on fresh rows than on those to fit on",
        "It is {on_fresh} on fresh rows, and {on_fitted} on those of {fit}, which are there to fit "
        "on",
        "Between the rows of a dataset with `role: fit` and those judged the whole interval of "
        "the gap lies beyond the margin of the metric; or, where none is declared, beyond "
        "{limit.lacking words} of what is missing to the best value and {limit.range words} of "
        "the range of the metric.",
        "The model was trained on those rows and knows some of them by heart, or what it is asked "
        "has changed since. Thresholds that are learnt there are learnt from scores that fresh "
        "rows do not get.",
        "Score the rows to fit on by models that were not trained on them (cross-fitting), or take "
        "others; simplify the model.",
        consequence="What is learnt on those rows, such as a threshold, does not suit fresh ones.",
        example={"fit": "last year", "on_fresh": 0.812, "on_fitted": 0.994},
    ),
    "W125": WarningText(
        "a cluster in two folds",
        "Rows that hang together lie in several folds",
        "{count} of {units} clusters lie in more than one fold",
        "Rows of one cluster were divided among folds of the same round.",
        "A model that scored such a row was fitted on others like it, so that the scores look "
        "better than those of clusters never seen, and folds differ less than new ones would.",
        "Deal whole clusters into folds, fit again, and judge those scores.",
        parts=(" (by {column})",),
        consequence="The values flatter the models, by how much nobody can tell.",
        example={"count": 12, "units": 40, "column": "patient"},
    ),
    "W126": WarningText(
        "few folds or data sets",
        "There is too little for the intervals to hold",
        "There is too little for the intervals to hold",
        "There are fewer than {limit.folds} folds, of all rounds together; or the question is "
        "about the fitted models and there are fewer than {limit.rows} rows, or clusters of rows; "
        "or there are fewer than {limit.datasets} data sets.",
        "The spread of a few folds, or data sets, is hardly known: there is no p-value, and an "
        "interval is very wide; fewer than {limit.datasets} data sets, or {limit.verdict} folds, "
        "give no verdict. Two folds give one difference, whose interval often holds most values "
        "that the measure can take. What is said of fitted models on few rows may hold less "
        "often than it claims, and tells little of models that are fitted again.",
        "Repeat cross-validation with other folds and name its rounds, or gather more data.",
        parts=(
            ": {folds} folds",
            "; how much folds differ is read from {differences} difference alone, which tells next "
            "to nothing",
            ": {rows} rows judge the fitted models",
            ": {clusters} judge the fitted models",
            ": {datasets} data sets",
        ),
        consequence="Read its intervals as a lower limit of the doubt.",
        example={"folds": 3},
    ),
    "W128": WarningText(
        "undefined in some folds",
        "The measure does not exist in some folds",
        "The measure does not exist in {count} of {folds} folds",
        "A fold lacks what the measure needs, such as a row of each class.",
        "A mean over folds is that of the other folds, and so is the spread: folds are not left "
        "out by chance, but for what happened in them.",
        "Deal rows into folds class by class, or take fewer folds.",
        parts=(
            ", which are left out: the value is that of the other {others}",
            ", so that its spread is read from the other {read}; the value is that of all rows",
        ),
        consequence="What varies between folds is read from the others alone.",
        example={"count": 2, "folds": 10, "others": 8},
    ),
    "W141": WarningText(
        "many looks at the same rows",
        "These rows were judged several times",
        "These rows were judged {looks} times",
        "The runs that this one carries on judged the same rows {limit.looks words} times or "
        "more, and no number of looks was planned.",
        "Each look may favour a model by chance, and what was learned from one look is in the next "
        "model: a holdout that decides often is slowly learned by heart.",
        "Judge on new rows, or plan the looks beforehand by `looks:` of the dataset.",
        parts=(
            "; had no candidate been better, one would look so with a chance of up to {by_chance}",
        ),
        consequence="A model may look better by chance alone.",
        example={"looks": 6, "by_chance": 0.15},
    ),
    "W142": WarningText(
        "exploratory",
        "The rule is not the one that was frozen",
        "The rule is not the one that was frozen: {keys}",
        "The config names a frozen rule, and what decides differs from it.",
        "A rule that was changed after the data were seen can be chosen for its answer.",
        "Go back to the frozen rule, or take the verdicts as a reason to look at new rows.",
        consequence="Verdicts are exploratory.",
        example={"keys": "gates.1.value"},
    ),
    "W237": WarningText(
        "p-values and intervals are adjusted differently",
        "`comparisons.adjust` adjusts p-values alone",
        "comparisons.adjust: {adjust} adjusts the p-values in comparisons.csv; printed intervals "
        "are adjusted by Bonferroni",
        "The config asks for `holm` or `bh`, which adjust p-values step by step. Intervals that go "
        "with them cannot be printed.",
        "One interval decides each comparison, on every page and in every requirement.",
        "Nothing needs to be done. Without `adjust`, p-values are adjusted by Bonferroni too.",
        example={"adjust": "holm"},
    ),
    "W238": WarningText(
        "an old name in the config",
        "The config has an old name",
        "{place}: {old} is now {new}; write {new}",
        "A value of the config has a new name. The old one is read for two more minor versions.",
        "A later version will refuse the config.",
        "Write the new name.",
        example={"place": "datasets.audit.labelled", "old": "called", "new": "flagged"},
    ),
    "W143": WarningText(
        "judged on rows it was trained on",
        "A model is judged on rows that it was trained on",
        "A model is judged on rows that it was trained on: {shared} of {rows} ids are in the file "
        "of its training",
        "Ids of rows that are judged are also in the file that `trained_on` of a model names. They "
        "may be the same rows, or others of the same units, such as last year's of the same "
        "customers.",
        "A model knows the rows that it was trained on, and will do worse on new ones; compared "
        "with a model that did not see them it looks better than it is.",
        "Judge on rows that no model has seen, by a `filter` or another file. Where the ids are of "
        "units and the rows are later ones of them, say so in `limitations`.",
        consequence="On new rows it may do worse than here.",
        example={"shared": 20, "rows": 500},
    ),
    "W241": WarningText(
        "not FINAL",
        "The report is a draft, since FINAL lacks something",
        "The report is a draft, since FINAL lacks {first}",
        "A condition of status FINAL does not hold; the header names it.",
        "A final report can be made again, and its rule was stated.",
        "Add what is lacking, and run again.",
        parts=("; {lacking} conditions in all",),
        example={"first": "limitations", "lacking": 2},
    ),
    "W252": WarningText(
        "unneeded allow",
        "An `allow` that nothing needs",
        "An `allow` that nothing needs: {allowed}",
        "The check that it names does not fail.",
        "It would hide a failure to come.",
        "Remove it.",
        example={"allowed": "too_few"},
    ),
}

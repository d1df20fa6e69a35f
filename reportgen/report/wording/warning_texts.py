"""The texts of the coded warnings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

from reportgen.report.wording.warning_texts_data import (
    DATA_WARNINGS,
    FIT_WARNINGS,
    FOLD_WARNINGS,
    GOVERNANCE_WARNINGS,
    WarningText,
)
from reportgen.report.wording.warning_texts_tasks import PROBABILITY_WARNINGS, QUERY_WARNINGS

_STATISTICS = {
    "W101": WarningText(
        "few rows of a class",
        "One class has few rows",
        "One class has only {count} of the rows",
        (
            "; positives: {positives}",
            "; negatives: {negatives}",
            "; by their weights worth {effective} equally weighted rows",
            "; in {clusters}",
            "; in the window of the measure: {in_window}",
            "; of the rarer class in the bucket: {in_bucket}",
            "; called at “{at}”",
        ),
        "A class has fewer than 30 rows, or fewer than 15 under a measure that asks for no "
        "classes, such as a mean loss, or fewer than 200 under one at its best threshold, or fewer "
        "than 10 in the window of a partial area or, of clusters, in a bucket at an end of the "
        "scores. Rows with uneven weights count as the number of equally weighted rows that they "
        "are worth, and at a best threshold clusters count, where these are resampled. Or a "
        "measure of calls rests on the few rows that are called, or the few that are not: rows of "
        "each class and call add to its variance, and those that add most are worth fewer than 10, "
        "or fewer than 15 in a difference, where rows count that two models call differently.",
        "How sure a measure such as ROC AUC can be is set by the smaller class, and how sure one "
        "of calls by the rarer kind of call, not by the number of rows: intervals are then too "
        "short, and mostly flatter the model. With fewer than 10 rows of a class no gate may rest "
        "on what compares the classes, such as an area; on shares of the rows of one, such as "
        "recall, it may, by limits that hold for so few.",
        "Gather more rows of that class or that are called so, or read the interval as a lower "
        "limit of the doubt.",
        consequence="How sure a number can be is set by the rows that are few.",
        instead=(
            "The difference from {other} rests on only about {deciding} rows",
            "It rests on only about {deciding} rows",
            "Only {count} of the rows are “{class}”",
        ),
        example=(
            {"count": 9, "class": "left", "positives": 9, "negatives": 500, "at": "call list"},
            "Only 9 of the rows are “left”; negatives: 500; called at “call list”.",
        ),
    ),
    "W102": WarningText(
        "ties",
        "Many rows share the same value",
        "{share_pairs} of the pairs are tied",
        (" in {what}", "; {mode_share} of the rows have the value {mode}"),
        "More than 1% of the pairs of rows have equal values, or one value holds more than 5% "
        "of the rows.",
        "Rank measures differ in how they count a tied pair, so two of them can name different "
        "winners on the same scores.",
        "Compare measures that treat ties differently, and look at what the tied rows are; "
        "zeros are often a question of their own.",
        consequence="Rank measures may then disagree.",
        briefs=(
            (
                "{share_pairs} of the pairs of rows are equal",
                (" in {what}", "; {mode_share} of the rows have the value {mode}"),
            ),
        ),
        example=(
            {"share_pairs": 0.49, "what": "y", "mode": 9.110581, "mode_share": 0.7},
            ("49% of the pairs are tied in y; 70% of the rows have the value 9.11."),
        ),
    ),
    "W103": WarningText(
        "heavy tail",
        "Few rows, or clusters, carry much of this measure",
        "The {counted} that count most, 5% of them, hold {top_share} of what makes it vary",
        (
            "; tail index at most {tail_index_bound}",
            "; under {too_few} rows no sample shows how heavy its tail is",
            " (n = {n})",
        ),
        "Few rows, or clusters where these are resampled, make up much of the measure, more than "
        "its interval can allow for at this number of them; or there are so few rows that none can "
        "be told from a wild one.",
        "The estimate moves with the presence of single rows, and its interval is too short: in "
        "trials a nominal 95% interval held 68 to 77%.",
        "Read a measure that limits single rows beside it, such as a rank measure or, for amounts, "
        "the mean absolute error, and look at the rows with the largest losses.",
        consequence="Intervals may be too narrow.",
        briefs=(
            (
                (
                    "{n} {counted} (fewer than {too_few}) cannot show how much single {counted}"
                    " may weigh"
                ),
                (),
            ),
            ("5% of the {counted} hold {top_share} of what makes it vary", ()),
        ),
        example=(
            {"top_share": 0.7, "tail_index_bound": 1.8, "n": 23570},
            (
                "The rows that count most, 5% of them, hold 70% of what makes it vary; "
                "tail index at most 1.8 (n = 23,570)."
            ),
        ),
        topic="heavy tails",
    ),
    "W104": WarningText(
        "BCa out of its range",
        "The corrections of the BCa interval are too large to trust",
        "The corrections of the BCa interval are large: bias {z0}, acceleration {acceleration}",
        (),
        "BCa corrects a bootstrap interval for bias and skew. Here a correction is beyond what it "
        "was made for (bias over 0.25, acceleration over 0.1, or a bound beyond the replicates).",
        "The interval may be far from its nominal level.",
        "Name another interval for this measure, or gather more rows.",
        example=(
            {"z0": -0.31, "acceleration": 0.02},
            ("The corrections of the BCa interval are large: bias −0.31, acceleration 0.02."),
        ),
    ),
    "W105": WarningText(
        "degenerate resamples",
        "The measure did not exist in some of the resamples",
        "The measure did not exist in {share} of the resamples",
        (),
        "In more than 1% of the resamples the measure is undefined, for instance because no "
        "positive row was drawn.",
        "Those resamples are left out, so the interval describes only samples that happen to be "
        "easy.",
        "Gather more rows of the rare kind, or choose a measure that exists without them.",
        consequence=("Such resamples are left out: what is known of chance rests on the others."),
        example=(
            {"share": 0.034},
            "The measure did not exist in 3.4% of the resamples.",
        ),
    ),
    "W106": WarningText(
        "few or dominating clusters",
        "There are few clusters, or one of them dominates",
        "The rows fall into {clusters}",
        (", the largest with {largest_share} of the weight",),
        "Rows are resampled by cluster, and there are fewer than 20 of them or one outweighs the "
        "rest.",
        "What is known is set by the number of clusters, not of rows. Under 10 clusters no "
        "p-value is given.",
        "Gather more clusters; rows added to the ones there are will not help.",
        consequence="What is known is set by the number of clusters, not of rows.",
        example=(
            {"clusters": 12, "largest_share": 0.4},
            ("The rows fall into 12 clusters, the largest with 40% of the weight."),
        ),
    ),
    "W107": WarningText(
        "repeated units without a cluster",
        "Units occur more than once, and no cluster is declared",
        "{share} of the rows are of a unit that occurs more than once, and no cluster is declared",
        ("; the largest unit has {largest} rows", "; the units are those of the column {what}"),
        "A column that the config does not name tells units apart, by its name; the same unit "
        "stands in several rows, and no `cluster` is declared.",
        "Rows of one unit are alike. Taking them as independent makes intervals too short: in "
        "trials a nominal 95% interval held 61 to 64%.",
        "Set `cluster:` to the column of the unit; if its rows have nothing to do with each other, "
        "leave it.",
        consequence="Rows of one unit say much the same, so intervals may be too narrow.",
        example=(
            {"share": 0.2, "largest": 12, "what": "shop"},
            (
                "20% of the rows are of a unit that occurs more than once, and no cluster "
                "is declared; the largest unit has 12 rows; the units are those of the "
                "column shop."
            ),
        ),
        topic="repeated units",
    ),
    "W108": WarningText(
        "estimate at its bound",
        "The estimate lies at the end of its range",
        "The estimate lies at the end of its range, {bound}",
        (
            "; an exact bound is {exact_low} from below",
            "; an exact bound is {exact_high} from above",
        ),
        "The measure has the largest or smallest value it can have on these rows.",
        "Every resample gives the same value, so a bootstrap interval has no width and claims "
        "certainty that nobody has.",
        "Use the exact bound; as a rule of three, n rows without an event leave room for a share "
        "of about 3/n.",
        example=(
            {"bound": 1.0, "exact_low": 0.97},
            ("The estimate lies at the end of its range, 1; an exact bound is 0.97 from below."),
        ),
    ),
    "W109": WarningText(
        "difference without variance",
        "The difference is the same in every resample, or in every fold where these are what "
        "varies, so it has no interval: the rows are too few, or the measure says the same "
        "whichever are drawn, as where everything is captured",
        "The two models have the same score on each of {same_rows} rows",
        (),
        "The difference between the models is the same in every resample, or in every fold where "
        "these are what varies.",
        "Both columns hold the same model; or the rows are too few to show how the difference "
        "varies; or the measure cannot see how the models differ, as where the top k are all rows.",
        "Check that the config names the columns it means, that there are rows enough, and that k "
        "or the cut-off leaves some of them out.",
        example=(
            {"same_rows": 500},
            "The two models have the same score on each of 500 rows.",
        ),
    ),
    "W110": WarningText(
        "test set used to choose",
        "The rows of this test were also used to choose the model",
        "The rows of this test were also used to choose the model",
        (),
        "The config says that the test rows took part in choosing or tuning a model.",
        "The chosen model looks better on them than it will on new rows, and the interval does "
        "not know of it.",
        "Judge the choice on rows that no model has seen.",
        consequence="The chosen model looks better on these rows than it will on new ones.",
        example=(
            {},
            "The rows of this test were also used to choose the model.",
        ),
    ),
    "W111": WarningText(
        "losses that follow one another",
        "Neighbouring rows have similar losses, and no time is declared",
        "Neighbouring rows have similar losses (correlation {autocorrelation}), and no time is "
        "declared",
        ("; strongest at lag {lag}",),
        "The loss of one row tells something of the loss of the next, and the config declares no "
        "`time`.",
        "Rows that move together count for fewer than their number: intervals are too short.",
        "Declare `time:`, or a `cluster:` such as the week.",
        consequence=(
            "Rows that move together count for fewer than they are, so intervals may be too narrow."
        ),
        example=(
            {"autocorrelation": 0.412},
            ("Neighbouring rows have similar losses (correlation 0.412), and no time is declared."),
        ),
        topic="neighbouring rows",
    ),
    "W112": WarningText(
        "too few resamples",
        "The resamples are too few for the bounds of this interval",
        "Chance in the resampling moves the bounds by {share} of the interval's width",
        (),
        "Another seed would move the bounds by more than a tenth of the interval's width.",
        "A verdict could depend on the seed.",
        "Raise `replicates`.",
        consequence="Another seed could move a verdict.",
        example=(
            {"share": 0.13},
            ("Chance in the resampling moves the bounds by 13% of the interval's width."),
        ),
    ),
    "W113": WarningText(
        "verdict within the resampling error",
        "The bound that decides lies so near the margin that another seed could move the verdict",
        "The bound that decides is {distance} from the margin or from zero, and resampling moves "
        "it by {error}",
        (),
        "The bound that decides is nearer to the margin, or to zero, than the error of resampling.",
        "The verdict could change with the seed.",
        "Raise `replicates`, and do not lean on the verdict before.",
        example=(
            {"distance": 0.0004, "error": 0.0021},
            (
                "The bound that decides is 0.0004 from the margin or from zero, and "
                "resampling moves it by 0.00210."
            ),
        ),
    ),
    "W114": WarningText(
        "too few resamples for so many comparisons",
        "The resamples are too few for the number of comparisons",
        "{replicates} resamples cannot reach the level that {comparisons} comparisons together "
        "ask for; at least {needed} could",
        (" (family: {family})",),
        "With B resamples no bootstrap p-value is below 1/(B + 1), and no limit lies beyond the "
        "first or the last of them. What is left of the level for each of many comparisons is "
        "further out.",
        "No adjusted p-value of this family that counts resamples can be small enough to say "
        "anything, and there are no limits that allow for all of its comparisons: their verdicts "
        "are inconclusive.",
        "Leave `replicates` out, or raise it; compare fewer models or metrics; or set "
        "`adjust: maxt`.",
        example=(
            {"replicates": 999, "needed": 3999, "comparisons": 100, "family": "segments"},
            (
                "999 resamples cannot reach the level that 100 comparisons together ask "
                "for; at least 3,999 could (family: segments)."
            ),
        ),
    ),
    "W130": WarningText(
        "uneven weights",
        "Few rows, or clusters, hold most of the weight",
        "By their weights the {units} {counted} count for {effective}",
        ("; the largest holds {largest_share} of the weight",),
        "The effective number of rows, (Σw)²/Σw² (Kish 1965), is under 100 and under half of their "
        "number, or one row holds more than 20% of the weight. Where clusters, queries or times "
        "are resampled, these are counted by the weight of their rows.",
        "What is known is set by the few that weigh much. Intervals and tests use Student's t on "
        "the effective number, and are wide; where it is below two there is none, and no verdict "
        "and no gate rests on one.",
        "Check the column of weights and its unit; trim or smooth weights that are an accident of "
        "sampling.",
        consequence="What is known is set by these few, not by the number of all.",
        example=(
            {"effective": 7.26, "units": 1000, "largest_share": 0.31, "counted": "cluster"},
            (
                "By their weights the 1,000 clusters count for 7.3; the largest holds 31% "
                "of the weight."
            ),
        ),
    ),
    "W118": WarningText(
        "few scores",
        "The model gives few different scores",
        "The model gives only {distinct}",
        (),
        "A model of classes has fewer than 20 different scores on these rows.",
        "Few thresholds tell rows apart: curves have few corners, a budget of calls cuts through "
        "many tied rows, which are then called in part, and scores rounded or bucketed lose order.",
        "Ask for the scores as the model computed them, before they were rounded.",
        consequence="Rows with one score cannot be told apart.",
        example=(
            {"distinct": 5, "few": 20},
            "The model gives only 5 different scores.",
        ),
    ),
    "W151": WarningText(
        "open by the bins alone",
        "Only what bins of values may hide keeps this comparison inconclusive",
        "The difference is found from bins of values, and may be off by {bound}: without that "
        "the verdict would be {verdict}",
        (),
        "Rows were streamed, so measures of ranks are found from bins of values, and every "
        "interval is wider by as much as the orders within bins could move the value.",
        "The rows would settle the comparison, and the bins do not.",
        "Run it with `engine: memory`, or round the values to three digits, so that those in one "
        "bin are equal.",
        example=(
            {"bound": 0.00004, "verdict": "better"},
            "The difference is found from bins of values, and may be off by 0.00004: without "
            "that the verdict would be Better.",
        ),
    ),
    "W140": WarningText(
        "few pay",
        "Few rows, or clusters, pay the larger cost",
        "{payers} {counted} of {units} pay the larger cost of this loss, fewer than {few}",
        (),
        "The loss charges one side of an error at least four times as much as the other, or only "
        "what lies outside an interval, and fewer than 30 rows, or clusters where these are "
        "resampled, are on that side.",
        "These few decide the value, and an interval of it may be too short.",
        "Judge it on more rows, or at a less extreme quantile or level.",
        consequence="They decide the value, and an interval of it may be too narrow.",
        example=(
            {"payers": 5, "units": 100, "few": 30, "counted": "row"},
            "5 rows of 100 pay the larger cost of this loss, fewer than 30.",
        ),
    ),
}

_EVERY = (
    _STATISTICS,
    FIT_WARNINGS,
    PROBABILITY_WARNINGS,
    FOLD_WARNINGS,
    GOVERNANCE_WARNINGS,
    DATA_WARNINGS,
    QUERY_WARNINGS,
)
WARNING_TEXTS: Mapping[str, WarningText] = MappingProxyType(
    dict(sorted(chain(*(codes.items() for codes in _EVERY))))
)

"""The texts of the coded warnings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from reportgen.report.wording.warning_texts_data import DATA_WARNINGS, WarningText
from reportgen.terms import LIMITS

_STATISTICS: Mapping[str, WarningText] = {
    "W119": WarningText(
        "classes separated",
        "The classes are told apart without error",
        "The classes are told apart without error",
        "On these rows all probabilities of one class lie above all of the other; or, of several "
        "classes or labels, every row is classified correctly.",
        "No finite calibration slope is best, measures stand at the end of their range, and "
        "resamples show no error either. On few rows chance does this; on many, a column that "
        "tells what happened may have been among the inputs.",
        "Look whether an input knows what happened; else judge the model on more rows.",
        parts=(": on all of {rows} rows",),
        consequence="Such a result is rare without a leak of what happened.",
        example={},
        topic="separated classes",
    ),
    "W120": WarningText(
        "miscalibrated",
        "The probabilities are not right",
        "The probabilities are not right",
        "As much miscalibration is rarer than {limit.p odds} among samples of a calibrated model, "
        "and the calibration error is above {limit.error}; or, of two classes, the whole interval "
        "of the calibration slope lies outside {limit.low} to {limit.high}, or what happened "
        "differs from what the probabilities say on average, by more than {limit.error points} "
        "points where that is as rare, or with a ratio whose whole interval lies outside "
        "{limit.low} to {limit.high}. Of several classes the class that each row is predicted as "
        "and each class, and of labels each label, are judged by one test of them all.",
        "Whatever takes the probabilities at their word is off: expected costs, a threshold set by "
        "costs, sums over rows. The order of the rows is not touched. A slope below 1 means that "
        "probabilities are too extreme, above 1 that they are too timid.",
        "Recalibrate the model on rows that it was not fitted on, or choose thresholds by a budget "
        "or on such rows.",
        parts=(
            " for class {class}",
            " for label {label}",
            ": they are off by {error} (calibration error)",
            "; on average they say {expected} where {happened} happened",
            "; on average the predicted class has probability {said} and is right for "
            "{right} of the rows",
            "; those of {classes} are off too",
            "; those of {more_classes} are off too",
            "; those of {more_labels} are off too",
            "; their slope is {slope} ({low} to {high}), 1 being right",
        ),
        consequence="Decisions that take the probabilities at their word are off.",
        example={"error": 0.106, "slope": 1.62, "low": 1.32, "high": 1.91, "p": 0.001},
        topic="calibration",
    ),
    "W123": WarningText(
        "sure mistakes",
        "Probability 0, or next to it, was given to what happened",
        "Probability 0, or next to it, was given to what happened in {count} of the rows, {share} "
        "of the log loss",
        "The model was wholly sure of the class that did not happen.",
        "Such a row has no finite log loss, or one without measure: each class counts as at least "
        "`clip` likely, 2.2e-16 if that is not set, which costs 36, so that this share of the log "
        "loss is set by a convention.",
        "Ask for probabilities that are not rounded, or have the model hold them away from 0 "
        "and 1.",
        consequence="That share of it is set by where probabilities are clipped.",
        example={"count": 3, "share": 0.42},
        instead=(
            "A probability under {clip} was given to what happened in {count} of the rows, {share} "
            "of the log loss",
        ),
    ),
    "W127": WarningText(
        "few rows at this prevalence",
        "Under these weights few rows decide",
        "At the declared prevalence {rows} rows know as much as {effective} of equal weight",
        "The shares of the classes under prevalence.target are so far from those of the rows that "
        "Kish's effective number is under {limit.effective words} of the rows; or, of one measure "
        "under any weights, the mean of the resamples is over {limit.leans words} of a standard "
        "error from its value.",
        "What is asked of all classes rests on the rows of the class that was drawn too rarely: "
        "each of them counts for many. Precision among the highest scores, and with it the average "
        "precision, then depends on the few negatives there: it comes out too high, and its limits "
        "with it.",
        "Judge more rows of that class, or give a prevalence nearer to that of the rows.",
        parts=("; resamples lie {leans} standard errors to one side of the value",),
        consequence="Values rest on the rows of one class.",
        example={"rows": 1000, "effective": 120},
    ),
    "W122": WarningText(
        "a class that resamples lack",
        "Some resamples hold no row of a class",
        "Of class {class} {share} of the resamples hold no row",
        "A class has so few units that more than {limit.share percent} of the resamples draw none "
        "of them.",
        "What is told of that class has no value there; a mean over classes then leaves it out, so "
        "that its interval is about fewer classes now and then.",
        "Gather more rows of the class, or join it with another.",
        consequence="A class is so rare that little can be said of it.",
        example={"class": "rabies", "share": 0.05},
    ),
    "W124": WarningText(
        "score the wrong way round",
        "The score may be the wrong way round",
        "The interval of this measure lies wholly below one {limit.chance words}, up to {high}: "
        "the score may be the wrong way round",
        "The whole interval of an area under the ROC curve is below one {limit.chance words}.",
        "The model puts the other class first more often than chance would: its sign, or which "
        "class is 1, may be mistaken.",
        "Look whether higher scores are meant for the class that is 1 in the target; of a score "
        "where low ones are, say so: `order: ascending` in the model.",
        consequence="The opposite order would be better than chance.",
        example={"value": 0.4, "high": 0.45},
    ),
    "W131": WarningText(
        "few queries",
        "There are few queries",
        "The number of queries is {queries}; {few} are needed",
        "Fewer than {limit.fewest} queries were judged, or a measure leaves out so many that "
        "fewer stay. Under {limit.verdict} there is no p-value, and neither verdicts nor "
        "requirements can tell.",
        "Queries differ more than systems do: which few were chosen may decide who looks better.",
        "Judge more queries; more documents of the same ones help little.",
        parts=("; the measure leaves out {left_out} others",),
        consequence="Which few queries were chosen may decide who looks better.",
        example={"queries": 12, "few": 25},
    ),
    "W132": WarningText(
        "most queries level",
        "On most queries the two models have the same value",
        "The two models differ on only {differing} of {of} queries",
        "Fewer than {limit.fewest} and fewer than half of all queries differ, or under "
        "{limit.share words}.",
        "What is known of the difference rests on these. If they are under ten and under a third "
        "of all, the interval is made of the shares ahead and behind alone and names no winner.",
        "Judge more queries, or a measure that sees more of each list.",
        consequence="What is known of the difference rests on these.",
        example={"differing": 9, "of": 300},
        topic="queries on which models are level",
    ),
    "W133": WarningText(
        "unjudged documents among the first",
        "Many of the first documents were never judged",
        "{share} of its first {k} documents were judged",
        "Of some model under {limit.fewest percent} of the first k documents were judged, or two "
        "models differ by more than {limit.apart points} points in it; k is that of the primary "
        "metric.",
        "What nobody judged counts as not relevant, so that a model that finds other documents "
        "than those judged looks worse than it is.",
        "Judge what is missing, or look at the comparison under `unjudged: drop`.",
        parts=("; of {other} {most_share}",),
        consequence="What nobody judged counts as not relevant.",
        example={"share": 0.16, "k": 10, "other": "dense", "most_share": 0.4},
        topic="unjudged documents",
    ),
    "W134": WarningText(
        "short lists",
        "Lists are shorter than the ranks that are judged, and lack judged documents",
        "{share} of its lists have fewer than {k} documents and lack some that were judged",
        "Over {limit.share percent} of the lists have fewer documents than the ranks looked at, "
        "and lack some that were judged.",
        "What is not there counts as not relevant: a run cut short loses what it may have found.",
        "Write runs at least as deep as the measure looks.",
        parts=("; the longest has {deepest}",),
        consequence="What is not there counts as not relevant.",
        example={"share": 0.25, "k": 10, "deepest": 50},
    ),
    "W135": WarningText(
        "the order of tied documents matters",
        "Tied documents leave their order open, and it moves the value",
        "The best and the worst order of tied documents are {spread} apart, where the standard "
        "error of the difference is {error}",
        "Scores leave documents tied, and their order moves the primary metric by more than "
        "{limit.of_error words} of the standard error of the difference, or would change the "
        "verdict.",
        "A system that breaks ties in its own way would have another value; the report has the "
        "mean over all orders, unless `ties` says otherwise.",
        "Write scores with more digits, or break ties as the system does.",
        consequence="A system that breaks ties in its own way would have another value.",
        example={"spread": 0.157, "error": 0.0103, "is_turned": False},
        topic="tied documents",
    ),
    "W136": WarningText(
        "one query dominates",
        "One query decides much of the difference",
        "One query holds {share} of what makes the difference vary",
        "One query holds over {limit.variance words} of the variance of the difference, or over "
        "{limit.largest words} of the weight.",
        "The interval rests on that query being like the others.",
        "Look at that query, and at its weight.",
        parts=("; the heaviest has {largest_share} of the weight",),
        consequence="The interval rests on that query being like the others.",
        example={"share": 0.31, "largest_share": 0.0},
        topic="one query that dominates",
    ),
    "W137": WarningText(
        "scores upside down",
        "Documents that are relevant stand below those that are not",
        "Relevant documents stand above others in {auc} of the pairs only, at most {most_auc}",
        "The upper limit of the mean share of pairs in the right order is below one "
        "{limit.chance words}.",
        "Such a model would be better upside down: mostly a distance was read as a score.",
        "Write `order: ascending` for a distance.",
        consequence="A distance may have been read as a score.",
        example={"auc": 0.31, "most_auc": 0.36},
    ),
    "W138": WarningText(
        "mean and majority disagree",
        "The mean favours one model, most queries the other",
        "It is ahead on {ahead} queries and behind on {behind} (p = {p}), while the mean "
        "difference points the other way",
        "The interval of the mean difference leaves out zero on one side, the sign test on the "
        "other.",
        "One model gains much on few queries, the other a little on many: which is better is a "
        "question of what queries are worth.",
        "Look at the queries that move most before you choose.",
        consequence="Which is better is a question of what queries are worth.",
        example={"ahead": 20, "behind": 60, "p": 0.0004},
        topic="the mean against the majority",
    ),
    "W139": WarningText(
        "a convention decides",
        "Under another convention the verdict would be another",
        "With {choice} the verdict would be “{verdict}”, not “{declared}”",
        "The primary comparison was made again under other conventions by the same method, and "
        "one of them disagrees with the one declared. One that says the same more strongly agrees.",
        "The verdict depends on a setting, not only on the systems.",
        "Say in the report why that convention is the right one here.",
        parts=("; conventions that disagree: {choices}",),
        consequence="The verdict depends on a setting.",
        example={"choice": "k: 5", "verdict": "cannot tell", "declared": "worse", "choices": 2},
        topic="other conventions",
    ),
    "W231": WarningText(
        "queries missing from a run",
        "Its run has no line for some of the queries",
        "Its run has no line for {queries} of {of} queries",
        "A run lacks queries that were judged.",
        "An empty answer counts as one that finds nothing, unless `missing_query` says otherwise.",
        "Look whether the system failed on them or the file was cut off.",
        parts=(
            "; {empty} lists count as ones that find nothing",
            "; {left_out} are left out for every model",
        ),
        consequence="How these count may decide who looks better.",
        example={"queries": 3, "of": 50, "left_out": 3},
    ),
    "W232": WarningText(
        "queries without a relevant document",
        "Some queries have no relevant document",
        "{queries} of {of} queries have no relevant document",
        "Nothing that was judged of some queries has the grade of a relevant document.",
        "Measures that count relevant documents leave them out, unless "
        "`no_relevant` says otherwise.",
        "Look whether the judgements of these queries are complete.",
        example={"queries": 3, "of": 50},
    ),
    "W233": WarningText(
        "queries of a run without judgements",
        "Its run answers queries that nobody judged",
        "Number of queries that its run answers and nobody judged: {queries}",
        "A run has queries that are not in the judgements; they were left out.",
        "If they were meant, the report judges another set of queries than was answered.",
        "Compare the names of queries in both files.",
        example={"queries": 3},
    ),
    "W235": WarningText(
        "ranks against scores",
        "The ranks of a run stand against its scores",
        "{share} of neighbours by score have ranks the other way round",
        "In over {limit.share percent} of the neighbours of a list the column of ranks has "
        "another order than the scores.",
        "Lists are ordered by score, as trec_eval does; if the ranks were meant, another list was "
        "judged.",
        "Write `order: rank` if the ranks are meant, `order: ascending` if scores are distances.",
        example={},
    ),
    "W236": WarningText(
        "scores equal in single precision",
        "Scores differ, but not in single precision",
        "{documents} neighbours differ in score, but not in single precision",
        "With `ties: trec` scores are compared in single precision, as trec_eval compares them.",
        "Documents that the system put in order are ordered by their ids.",
        "Scale the scores before writing them, or leave `ties` at expected.",
        example={},
        topic="ties in single precision",
    ),
    "W234": WarningText(
        "grades below 0",
        "Some grades are below 0",
        "{documents} grades are below 0",
        "Some documents have a grade below 0.",
        "TREC writes so what was pooled and not judged; elsewhere it may be a judgement.",
        "Say which by `ranking: {negative: …}`.",
        example={"documents": 7},
    ),
    "W101": WarningText(
        "few rows of a class",
        "One class has few rows",
        "One class has only {count} of the rows",
        "A class has fewer than {limit.fewest} rows, or fewer than {limit.any_measure} under a "
        "measure that asks for no classes, such as a mean loss, or fewer than {limit.maximum} "
        "under one at its best threshold, or fewer than {limit.window} in the window of a partial "
        "area or, of clusters, in a bucket at an end of the scores. Rows with uneven weights "
        "count as the number of equally weighted rows that they are worth, and at a best "
        "threshold clusters count, where these are resampled. Or a measure at a threshold rests on "
        "the few rows that are flagged, or the few that are not: flagged and other rows of each "
        "class add to its variance, and those that add most are worth fewer than {limit.window}, "
        "or fewer than {limit.any_measure} in a difference, where rows count that two models flag "
        "differently.",
        "How sure a measure such as ROC AUC can be is set by the smaller class, and how sure one "
        "at a threshold by the rarer of flagged rows and others, not by the number of rows: "
        "intervals are then too short, and mostly flatter the model. With fewer than {limit.gate} "
        "rows of a class no gate may rest on what compares the classes, such as an area; on shares "
        "of the rows of one, such as recall, it may, by limits that hold for so few.",
        "Gather more rows of that class or more flagged rows, or read the interval as a lower "
        "limit of the doubt.",
        parts=(
            "; positives: {positives}",
            "; negatives: {negatives}",
            "; by their weights worth {effective} equally weighted rows",
            "; in {clusters}",
            "; in the window of the measure: {in_window}",
            "; of the rarer class in the bucket: {in_bucket}",
            "; flagged at “{at}”",
        ),
        consequence="How sure a number can be is set by the rows that are few.",
        instead=(
            "The difference from {other} rests on only about {deciding} rows",
            "It rests on only about {deciding} rows",
            "Only {count} of the rows are “{class}”",
        ),
        example={"count": 9, "class": "left", "positives": 9, "negatives": 500, "at": "call list"},
    ),
    "W102": WarningText(
        "ties",
        "Many rows share the same value",
        "{share_pairs} of the pairs are tied",
        "More than {limit.pairs percent} of the pairs of rows have equal values, or one value "
        "holds more than {limit.mode percent} of the rows.",
        "Rank measures differ in how they count a tied pair, so two of them can name different "
        "winners on the same scores.",
        "Compare measures that treat ties differently, and look at what the tied rows are; "
        "zeros are often a question of their own.",
        parts=(" in {what}", "; {mode_share} of the rows have the value {mode}"),
        consequence="Rank measures may then disagree.",
        briefs=(
            (
                "{share_pairs} of the pairs of rows are equal",
                (" in {what}", "; {mode_share} of the rows have the value {mode}"),
            ),
        ),
        example={"share_pairs": 0.49, "what": "y", "mode": 9.110581, "mode_share": 0.7},
    ),
    "W103": WarningText(
        "heavy tail",
        "Few rows, or clusters, carry much of this measure",
        "The most extreme {limit.top percent} of the {counted} carry {top_share} of the variation",
        "Few rows, or clusters where these are resampled, make up much of the measure, more than "
        "its interval can allow for at this number of them; or there are so few rows that none can "
        "be told from a wild one.",
        "The estimate moves with the presence of single rows, and its interval is too short: in "
        "trials a nominal 95% interval held 68 to 77%.",
        "Read a measure that limits single rows beside it, such as a rank measure or, for amounts, "
        "the mean absolute error, and look at the rows with the largest losses.",
        parts=(
            "; tail index at most {tail_index_bound}",
            "; under {too_few} rows no sample shows how heavy its tail is",
            " (n = {n})",
        ),
        consequence="Intervals may be too narrow.",
        briefs=(
            (
                ("{n} {counted} are too few (fewer than {too_few}) to show how heavy the tail is"),
                (),
            ),
            (
                "The most extreme {limit.top percent} of the {counted} carry {top_share} of the "
                "variation",
                (),
            ),
        ),
        example={"top_share": 0.7, "tail_index_bound": 1.8, "n": 23570},
        topic="heavy tails",
    ),
    "W104": WarningText(
        "BCa out of its range",
        "The corrections of the BCa interval are too large to trust",
        "The corrections of the BCa interval are large: bias {z0}, acceleration {acceleration}",
        "BCa corrects a bootstrap interval for bias and skew. Here a correction is beyond what it "
        "was made for (bias over {limit.bias}, acceleration over {limit.acceleration}, or a bound "
        "beyond the replicates).",
        "The interval may be far from its nominal level.",
        "Name another interval for this measure, or gather more rows.",
        example={"z0": -0.31, "acceleration": 0.02},
    ),
    "W105": WarningText(
        "degenerate resamples",
        "The measure did not exist in some of the resamples",
        "The measure did not exist in {share} of the resamples",
        "In more than {limit.share percent} of the resamples the measure is undefined, for "
        "instance because no positive row was drawn.",
        "Those resamples are left out, so the interval describes only samples that happen to be "
        "easy.",
        "Gather more rows of the rare kind, or choose a measure that exists without them.",
        consequence=("Such resamples are left out: what is known of chance rests on the others."),
        example={"share": 0.034},
    ),
    "W106": WarningText(
        "few or dominating clusters",
        "There are few clusters, or one of them dominates",
        "The rows fall into {clusters}",
        "Rows are resampled by cluster, and there are fewer than {limit.fewest} of them or one "
        "outweighs the rest.",
        "What is known is set by the number of clusters, not of rows. Under {limit.fewest_for_p} "
        "clusters no p-value is given.",
        "Gather more clusters; rows added to the ones there are will not help.",
        parts=(", the largest with {largest_share} of the weight",),
        consequence="What is known is set by the number of clusters, not of rows.",
        example={"clusters": 12, "largest_share": 0.4},
    ),
    "W107": WarningText(
        "repeated units without a cluster",
        "Units occur more than once, and no cluster is declared",
        "{share} of the rows are of a unit that occurs more than once, and no cluster is declared",
        "A column that the config does not name tells units apart, by its name; the same unit "
        "stands in several rows, and no `cluster` is declared.",
        "Rows of one unit are alike. Taking them as independent makes intervals too short: in "
        "trials a nominal 95% interval held 61 to 64%.",
        "Set `cluster:` to the column of the unit; if its rows have nothing to do with each other, "
        "leave it.",
        parts=(
            "; the largest unit has {largest} rows",
            "; the units are those of the column {what}",
        ),
        consequence="Rows of one unit say much the same, so intervals may be too narrow.",
        example={"share": 0.2, "largest": 12, "what": "shop"},
        topic="repeated units",
    ),
    "W108": WarningText(
        "estimate at its bound",
        "The estimate lies at the end of its range",
        "The estimate lies at the end of its range, {bound}",
        "The measure has the largest or smallest value it can have on these rows.",
        "Every resample gives the same value, so a bootstrap interval has no width and claims "
        "certainty that nobody has.",
        "Use the exact bound; as a rule of three, n rows without an event leave room for a share "
        "of about 3/n.",
        parts=(
            "; an exact bound is {exact_low} from below",
            "; an exact bound is {exact_high} from above",
        ),
        example={"bound": 1.0, "exact_low": 0.97},
    ),
    "W109": WarningText(
        "difference without variance",
        "The difference is the same in every resample, or in every fold where these are what "
        "varies, so it has no interval: the rows are too few, or the measure says the same "
        "whichever are drawn, as where everything is captured",
        "The two models have the same score on each of {same_rows} rows",
        "The difference between the models is the same in every resample, or in every fold where "
        "these are what varies.",
        "Both columns hold the same model; or the rows are too few to show how the difference "
        "varies; or the measure cannot see how the models differ, as where the top k are all rows.",
        "Check that the config names the columns it means, that there are rows enough, and that k "
        "or the cut-off leaves some of them out.",
        example={"same_rows": 500},
    ),
    "W110": WarningText(
        "test set used to choose",
        "The rows of this test were also used to choose the model",
        "The rows of this test were also used to choose the model",
        "The config says that the test rows took part in choosing or tuning a model.",
        "The chosen model looks better on them than it will on new rows, and the interval does "
        "not know of it.",
        "Judge the choice on rows that no model has seen.",
        consequence="The chosen model looks better on these rows than it will on new ones.",
        example={},
    ),
    "W111": WarningText(
        "losses that follow one another",
        "Neighbouring rows have similar losses, and no time is declared",
        "Neighbouring rows have similar losses (correlation {autocorrelation}), and no time is "
        "declared",
        "The loss of one row tells something of the loss of the next, and the config declares no "
        "`time`.",
        "Rows that move together count for fewer than their number: intervals are too short.",
        "Declare `time:`, or a `cluster:` such as the week.",
        parts=("; strongest at lag {lag}",),
        consequence=(
            "Rows that move together count for fewer than they are, so intervals may be too narrow."
        ),
        example={"autocorrelation": 0.412},
        topic="neighbouring rows",
    ),
    "W112": WarningText(
        "too few resamples",
        "The resamples are too few for the bounds of this interval",
        "Chance in the resampling moves the bounds by {share} of the interval's width",
        "Another seed would move the bounds by more than {limit.share words} of the interval's "
        "width.",
        "A verdict could depend on the seed.",
        "Raise `replicates`.",
        consequence="Another seed could move a verdict.",
        example={"share": 0.13},
    ),
    "W113": WarningText(
        "verdict within the resampling error",
        "The bound that decides lies so near the margin that another seed could move the verdict",
        "The bound that decides is {distance} from the margin or from zero, and resampling moves "
        "it by {error}",
        "The bound that decides is nearer to the margin, or to zero, than the error of resampling.",
        "The verdict could change with the seed.",
        "Raise `replicates`, and do not lean on the verdict before.",
        example={"distance": 0.0004, "error": 0.0021},
    ),
    "W114": WarningText(
        "too few resamples for so many comparisons",
        "The resamples are too few for the number of comparisons",
        "{replicates} resamples cannot reach the level that {comparisons} comparisons together "
        "ask for; at least {needed} could",
        "With B resamples no bootstrap p-value is below 1/(B + 1), and no limit lies beyond the "
        "first or the last of them. What is left of the level for each of many comparisons is "
        "further out.",
        "No adjusted p-value of this family that counts resamples can be small enough to say "
        "anything, and there are no limits that allow for all of its comparisons: their verdicts "
        "stay open.",
        "Leave `replicates` out, or raise it; compare fewer models or metrics; or set "
        "`adjust: maxt`.",
        parts=(" (family: {family})",),
        example={"replicates": 999, "needed": 3999, "comparisons": 100, "family": "segments"},
    ),
    "W130": WarningText(
        "uneven weights",
        "Few rows, or clusters, hold most of the weight",
        "By their weights the {units} {counted} count for {effective}",
        "The effective number of rows, (Σw)²/Σw² (Kish 1965), is under {limit.fewest} and under "
        "{limit.share words} of their number, or one row holds more than {limit.largest percent} "
        "of the weight. Where clusters, queries or times are resampled, these are counted by the "
        "weight of their rows.",
        "What is known is set by the few that weigh much. Intervals and tests use Student's t on "
        "the effective number, and are wide; where it is below two there is none, and no verdict "
        "and no gate rests on one.",
        "Check the column of weights and its unit; trim or smooth weights that are an accident of "
        "sampling.",
        parts=("; the largest holds {largest_share} of the weight",),
        consequence="What is known is set by these few, not by the number of all.",
        example={"effective": 7.26, "units": 1000, "largest_share": 0.31, "counted": "cluster"},
    ),
    "W118": WarningText(
        "few scores",
        "The model gives few different scores",
        "The model gives {distinct}",
        "A model of classes has fewer than {limit.fewest} different scores on these rows.",
        "Few thresholds tell rows apart: curves have few corners, a budget cuts through "
        "many tied rows, which are then flagged in part, and scores rounded or bucketed lose "
        "order.",
        "Ask for the scores as the model computed them, before they were rounded.",
        consequence="Rows with one score cannot be told apart.",
        example={"distinct": 5, "few": 20},
    ),
    "W151": WarningText(
        "open by the bins alone",
        "Only what bins of values may hide keeps this comparison open",
        "The difference is found from bins of values, and may be off by {bound}: without that "
        "the verdict would be “{verdict}”",
        "Rows were streamed, so measures of ranks are found from bins of values, and every "
        "interval is wider by as much as the orders within bins could move the value.",
        "The rows would settle the comparison, and the bins do not.",
        "Run it with `engine: memory`, or round the values to three digits, so that those in one "
        "bin are equal.",
        example={"bound": 0.00004, "verdict": "better"},
    ),
    "W140": WarningText(
        "few pay",
        "Few rows, or clusters, pay the larger cost",
        "{payers} {counted} of {units} pay the larger cost of this loss, fewer than {few}",
        "The loss charges one side of an error at least four times as much as the other, or only "
        "what lies outside an interval, and fewer than {limit.fewest} rows, or clusters where "
        "these are resampled, are on that side.",
        "These few decide the value, and an interval of it may be too short.",
        "Judge it on more rows, or at a less extreme quantile or level.",
        consequence="They decide the value, and an interval of it may be too narrow.",
        example={"payers": 5, "units": 100, "few": 30, "counted": "row"},
    ),
}

_WORDS = {
    0.01: "a hundredth",
    0.1: "a tenth",
    0.125: "an eighth",
    0.2: "a fifth",
    0.25: "a quarter",
    0.5: "half",
    5: "five",
}
_FORMS: Mapping[str, Callable[[float], str]] = {
    "": "{:g}".format,
    "percent": "{:.0%}".format,
    "points": lambda share: f"{100 * share:g}",
    "odds": lambda share: f"1 in {1 / share:g}",
    "words": _WORDS.__getitem__,
}


def _fill_limits(value: Any, limits: Mapping[str, float]) -> Any:
    """Fill in the limits of a code, such as `{limit.share percent}`."""
    if isinstance(value, str):
        return re.sub(
            r"\{limit\.(\w+) ?(\w*)\}", lambda found: _FORMS[found[2]](limits[found[1]]), value
        )
    return tuple(_fill_limits(each, limits) for each in value) if type(value) is tuple else value


WARNING_TEXTS: Mapping[str, WarningText] = MappingProxyType(
    {
        code: WarningText(**dict(_fill_limits(tuple(vars(text).items()), LIMITS.get(code, {}))))
        for code, text in sorted({**_STATISTICS, **DATA_WARNINGS}.items())
    }
)

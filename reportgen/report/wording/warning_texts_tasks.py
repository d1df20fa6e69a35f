"""The texts of warnings about probabilities and about ranked lists."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.report.wording.warning_texts_data import WarningText

PROBABILITY_WARNINGS: Mapping[str, WarningText] = {
    "W119": WarningText(
        "classes separated",
        "The classes are told apart without error",
        "The classes are told apart without error",
        (": on all of {rows} rows",),
        "On these rows all probabilities of one class lie above all of the other; or, of several "
        "classes or labels, every row is called rightly.",
        "No finite calibration slope is best, measures stand at the end of their range, and "
        "resamples show no error either. On few rows chance does this; on many, a column that "
        "tells what happened may have been among the inputs.",
        "Look whether an input knows what happened; else judge the model on more rows.",
        consequence="Such a result is rare without a leak of what happened.",
        example=({}, "The classes are told apart without error."),
        topic="separated classes",
    ),
    "W120": WarningText(
        "miscalibrated",
        "The probabilities are not right",
        "The probabilities are not right",
        (
            " for class {class}",
            " for label {label}",
            ": they are off by {error} (calibration error)",
            "; on average they say {expected} where {happened} happened",
            "; on average the class that is called has probability {said} and is right for "
            "{right} of the rows",
            "; those of {classes} are off too",
            "; those of {more_classes} are off too",
            "; those of {more_labels} are off too",
            "; their slope is {slope} ({low} to {high}), 1 being right",
        ),
        "As much miscalibration is rarer than 1 in 100 among samples of a calibrated model, and "
        "the calibration error is above 0.02; or, of two classes, the whole interval of the "
        "calibration slope lies outside 0.8 to 1.25, or what happened differs from what the "
        "probabilities say on average, by more than 2 points where that is as rare, or with a "
        "ratio whose whole interval lies outside 0.8 to 1.25. Of several classes the class that "
        "each row is called and each class, and of labels each label, are judged by one test of "
        "them all.",
        "Whatever takes the probabilities at their word is off: expected costs, a threshold set by "
        "costs, sums over rows. The order of the rows is not touched. A slope below 1 means that "
        "probabilities are too extreme, above 1 that they are too timid.",
        "Recalibrate the model on rows that it was not fitted on, or choose thresholds by a budget "
        "or on such rows.",
        consequence="Decisions that take the probabilities at their word are off.",
        example=(
            {"error": 0.106, "slope": 1.62, "low": 1.32, "high": 1.91, "p": 0.001},
            (
                "The probabilities are not right: they are off by 0.106 (calibration error); "
                "their slope is 1.62 (1.32 to 1.91), 1 being right."
            ),
        ),
        topic="calibration",
    ),
    "W123": WarningText(
        "sure mistakes",
        "Probability 0, or next to it, was given to what happened",
        "Probability 0, or next to it, was given to what happened in {count} of the rows, {share} "
        "of the log loss",
        (),
        "The model was wholly sure of the class that did not happen.",
        "Such a row has no finite log loss, or one without measure: each class counts as at least "
        "`clip` likely, 2.2e-16 if that is not set, which costs 36, so that this share of the log "
        "loss is set by a convention.",
        "Ask for probabilities that are not rounded, or have the model hold them away from 0 "
        "and 1.",
        consequence="That share of it is set by where probabilities are clipped.",
        example=(
            {"count": 3, "share": 0.42},
            "Probability 0, or next to it, was given to what happened in 3 of the rows, 42% of "
            "the log loss.",
        ),
        topic="sure mistakes",
        instead=(
            "A probability under {clip} was given to what happened in {count} of the rows, {share} "
            "of the log loss",
        ),
    ),
    "W127": WarningText(
        "few rows at this prevalence",
        "Under these weights few rows decide",
        "At the declared prevalence {rows} rows know as much as {effective} of equal weight",
        ("; resamples lie {leans} standard errors to one side of the value",),
        "The shares of the classes under prevalence.target are so far from those of the rows that "
        "Kish's effective number is under a quarter of the rows; or, of one measure under any "
        "weights, the mean of the resamples is over an eighth of a standard error from its value.",
        "What is asked of all classes rests on the rows of the class that was drawn too rarely: "
        "each of them counts for many. Precision among the highest scores, and with it the average "
        "precision, then depends on the few negatives there: it comes out too high, and its limits "
        "with it.",
        "Judge more rows of that class, or give a prevalence nearer to that of the rows.",
        consequence="Values rest on the rows of one class.",
        example=(
            {"rows": 1000, "effective": 120},
            "At the declared prevalence 1,000 rows know as much as 120 of equal weight.",
        ),
    ),
    "W122": WarningText(
        "a class that resamples lack",
        "Some resamples hold no row of a class",
        "Of class {class} {share} of the resamples hold no row",
        (),
        "A class has so few units that more than 1% of the resamples draw none of them.",
        "What is told of that class has no value there; a mean over classes then leaves it out, so "
        "that its interval is about fewer classes now and then.",
        "Gather more rows of the class, or join it with another.",
        consequence="A class is so rare that little can be said of it.",
        example=(
            {"class": "rabies", "share": 0.05},
            "Of class rabies 5.0% of the resamples hold no row.",
        ),
    ),
    "W124": WarningText(
        "score the wrong way round",
        "The score may be the wrong way round",
        "The interval of this measure lies wholly below one half, up to {high}: the score may be "
        "the wrong way round",
        (),
        "The whole interval of an area under the ROC curve is below one half.",
        "The model puts the other class first more often than chance would: its sign, or which "
        "class is called 1, may be mistaken.",
        "Look whether higher scores are meant for the class that is 1 in the target; of a score "
        "where low ones are, say so: `order: ascending` in the model.",
        consequence="The opposite order would be better than chance.",
        example=(
            {"value": 0.4, "high": 0.45},
            (
                "The interval of this measure lies wholly below one half, up to 0.45: the "
                "score may be the wrong way round."
            ),
        ),
    ),
}

QUERY_WARNINGS: Mapping[str, WarningText] = {
    "W131": WarningText(
        "few queries",
        "There are few queries",
        "The number of queries is {queries}, where {few} are wanted",
        ("; the measure leaves out {left_out} others",),
        "Fewer than 25 queries were judged, or a measure leaves out so many that fewer stay. Under "
        "10 there is no p-value, no verdict, and gates are inconclusive.",
        "Queries differ more than systems do: which few were chosen may decide who looks better.",
        "Judge more queries; more documents of the same ones help little.",
        consequence="Which few queries were chosen may decide who looks better.",
        example=(
            {"queries": 12, "few": 25},
            "The number of queries is 12, where 25 are wanted.",
        ),
    ),
    "W132": WarningText(
        "most queries level",
        "On most queries the two models have the same value",
        "The two models differ on only {differing} of {of} queries",
        (),
        "Fewer than 30 queries differ, or under a tenth of all.",
        "What is known of the difference rests on these. If they are under ten and under a third "
        "of all, the interval is made of the shares ahead and behind alone and names no winner.",
        "Judge more queries, or a measure that sees more of each list.",
        consequence="What is known of the difference rests on these.",
        example=(
            {"differing": 9, "of": 300},
            "The two models differ on only 9 of 300 queries.",
        ),
        topic="queries on which models are level",
    ),
    "W133": WarningText(
        "unjudged documents among the first",
        "Many of the first documents were never judged",
        "{share} of its first {k} documents were judged",
        ("; of {other} {most_share}",),
        "Of some model under 90% of the first k documents were judged, or two models differ by "
        "more than 5 points in it; k is that of the primary metric.",
        "What nobody judged counts as not relevant, so that a model that finds other documents "
        "than those judged looks worse than it is.",
        "Judge what is missing, or look at the comparison under `unjudged: drop`.",
        consequence="What nobody judged counts as not relevant.",
        example=(
            {"share": 0.16, "k": 10, "other": "dense", "most_share": 0.4},
            ("16% of its first 10 documents were judged; of dense 40%."),
        ),
        topic="unjudged documents",
    ),
    "W134": WarningText(
        "short lists",
        "Lists are shorter than the ranks that are judged, and lack judged documents",
        "{share} of its lists have fewer than {k} documents and lack some that were judged",
        ("; the longest has {deepest}",),
        "Over 5% of the lists have fewer documents than the ranks looked at, and lack some that "
        "were judged.",
        "What is not there counts as not relevant: a run cut short loses what it may have found.",
        "Write runs at least as deep as the measure looks.",
        consequence="What is not there counts as not relevant.",
        example=(
            {"share": 0.25, "k": 10, "deepest": 50},
            "25% of its lists have fewer than 10 documents and lack some that were judged; the "
            "longest has 50.",
        ),
        topic="short lists",
    ),
    "W135": WarningText(
        "the order of tied documents matters",
        "Tied documents leave their order open, and it moves the value",
        "The best and the worst order of tied documents are {spread} apart, where the standard "
        "error of the difference is {error}",
        (),
        "Scores leave documents tied, and their order moves the primary metric by more than half "
        "of the standard error of the difference, or would change the verdict.",
        "A system that breaks ties in its own way would have another value; the report has the "
        "mean over all orders, unless `ties` says otherwise.",
        "Write scores with more digits, or break ties as the system does.",
        consequence="A system that breaks ties in its own way would have another value.",
        example=(
            {"spread": 0.157, "error": 0.0103, "is_turned": False},
            (
                "The best and the worst order of tied documents are 0.157 apart, where the "
                "standard error of the difference is 0.0103."
            ),
        ),
        topic="tied documents",
    ),
    "W136": WarningText(
        "one query dominates",
        "One query decides much of the difference",
        "One query holds {share} of what makes the difference vary",
        ("; the heaviest has {largest_share} of the weight",),
        "One query holds over a quarter of the variance of the difference, or over a fifth of the "
        "weight.",
        "The interval rests on that query being like the others.",
        "Look at that query, and at its weight.",
        consequence="The interval rests on that query being like the others.",
        example=(
            {"share": 0.31, "largest_share": 0.0},
            "One query holds 31% of what makes the difference vary.",
        ),
        topic="one query that dominates",
    ),
    "W137": WarningText(
        "scores upside down",
        "Documents that are relevant stand below those that are not",
        "Relevant documents stand above others in {auc} of the pairs only, at most {most_auc}",
        (),
        "The upper limit of the mean share of pairs in the right order is below one half.",
        "Such a model would be better upside down: mostly a distance was read as a score.",
        "Write `order: ascending` for a distance.",
        consequence="A distance may have been read as a score.",
        example=(
            {"auc": 0.31, "most_auc": 0.36},
            ("Relevant documents stand above others in 31% of the pairs only, at most 36%."),
        ),
        topic="scores upside down",
    ),
    "W138": WarningText(
        "mean and majority disagree",
        "The mean favours one model, most queries the other",
        "It is ahead on {ahead} queries and behind on {behind} (p = {p}), while the mean "
        "difference points the other way",
        (),
        "The interval of the mean difference leaves out zero on one side, the sign test on the "
        "other.",
        "One model gains much on few queries, the other a little on many: which is better is a "
        "question of what queries are worth.",
        "Look at the queries that move most before you choose.",
        consequence="Which is better is a question of what queries are worth.",
        example=(
            {"ahead": 20, "behind": 60, "p": 0.0004},
            (
                "It is ahead on 20 queries and behind on 60 (p = < 0.001), while the mean "
                "difference points the other way."
            ),
        ),
        topic="the mean against the majority",
    ),
    "W139": WarningText(
        "a convention decides",
        "Under another convention the verdict would be another",
        "With {choice} the verdict would be “{verdict}”, not “{declared}”",
        ("; conventions with another verdict: {choices}",),
        "The primary comparison was made again under other conventions by the same method, and "
        "one of them has another verdict than the one declared.",
        "The conclusion is one of the convention as well as of the systems.",
        "Say in the report why that convention is the right one here.",
        consequence="The conclusion is one of the convention as well as of the systems.",
        example=(
            {"choice": "k: 5", "verdict": "inconclusive", "declared": "worse", "choices": 2},
            (
                "With the first 5 ranks looked at the verdict would be “Not enough evidence”, not "
                "“Worse”; conventions with another verdict: 2."
            ),
        ),
        topic="other conventions",
    ),
    "W231": WarningText(
        "queries missing from a run",
        "Its run has no line for some of the queries",
        "Its run has no line for {queries} of {of} queries",
        (
            "; {empty} lists count as ones that find nothing",
            "; {left_out} are left out for every model",
        ),
        "A run lacks queries that were judged.",
        "An empty answer counts as one that finds nothing, unless `missing_query` says otherwise.",
        "Look whether the system failed on them or the file was cut off.",
        consequence="How these count may decide who looks better.",
        example=(
            {"queries": 3, "of": 50, "left_out": 3},
            "Its run has no line for 3 of 50 queries; 3 are left out for every model.",
        ),
    ),
    "W232": WarningText(
        "queries without a relevant document",
        "Some queries have no relevant document",
        "{queries} of {of} queries have no relevant document",
        (),
        "Nothing that was judged of some queries has the grade of a relevant document.",
        "Measures that count relevant documents leave them out, unless "
        "`no_relevant` says otherwise.",
        "Look whether the judgements of these queries are complete.",
        example=(
            {"queries": 3, "of": 50},
            "3 of 50 queries have no relevant document.",
        ),
    ),
    "W233": WarningText(
        "queries of a run without judgements",
        "Its run answers queries that nobody judged",
        "Number of queries that its run answers and nobody judged: {queries}",
        (),
        "A run has queries that are not in the judgements; they were left out.",
        "If they were meant, the report judges another set of queries than was answered.",
        "Compare the names of queries in both files.",
        example=(
            {"queries": 3},
            "Number of queries that its run answers and nobody judged: 3.",
        ),
    ),
    "W235": WarningText(
        "ranks against scores",
        "The ranks of a run stand against its scores",
        "{share} of neighbours by score have ranks the other way round",
        (),
        "In over 1% of the neighbours of a list the column of ranks has another order than the "
        "scores.",
        "Lists are ordered by score, as trec_eval does; if the ranks were meant, another list was "
        "judged.",
        "Write `order: rank` if the ranks are meant, `order: ascending` if scores are distances.",
        example=(
            {},
            "The ranks of a run stand against its scores.",
        ),
    ),
    "W236": WarningText(
        "scores equal in single precision",
        "Scores differ, but not in single precision",
        "{documents} neighbours differ in score, but not in single precision",
        (),
        "With `ties: trec` scores are compared in single precision, as trec_eval compares them.",
        "Documents that the system put in order are ordered by their ids.",
        "Scale the scores before writing them, or leave `ties` at expected.",
        example=(
            {},
            "Scores differ, but not in single precision.",
        ),
        topic="ties in single precision",
    ),
    "W234": WarningText(
        "grades below 0",
        "Some grades are below 0",
        "{documents} grades are below 0",
        (),
        "Some documents have a grade below 0.",
        "TREC writes so what was pooled and not judged; elsewhere it may be a judgement.",
        "Say which by `ranking: {negative: …}`.",
        example=(
            {"documents": 7},
            "7 grades are below 0.",
        ),
    ),
}

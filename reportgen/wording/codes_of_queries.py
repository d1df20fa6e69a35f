"""The texts of the warnings of ranking by query: W131 to W139 and W231 to W236."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.wording.warning_text import WarningText

QUERIES: Mapping[str, WarningText] = {
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

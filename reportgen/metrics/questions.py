"""The questions that metrics answer."""

from __future__ import annotations

from reportgen.metrics.traits import Question

UNSEEN = "the size of the errors: scores in another unit, or all ten times too high, lose nothing"
"""What every metric of order is blind to."""
IN_ORDER = "how well the scores put the rows in order"
"""What most metrics of order say."""
UNEVEN_COST = "what errors cost where too low and too high do not cost the same"
"""What most metrics of cost say."""
ORDER = Question(
    "Are the rows in the right order?",
    "Ask it where the order is what is used: a fixed budget goes to the first of a list, a cut-off "
    "is set later, or another model takes the score as an input. Gross errors in single rows move "
    "the answer little.",
)
TOP = Question(
    "Are the right rows at the top, or on the right side of a cut?",
    "Ask it where an action reaches a known number of rows, or those above a known amount.",
)
TIES = Question(
    "Does the score tell rows apart?",
    "Ask it beside a question of order: an order with many ties leaves the choice to chance.",
)
SIZE = Question(
    "How far off is a score, in the unit of y?",
    "Ask it where the amount itself is used, and an error below costs what one above does. A mean "
    "of errors has no bound: one wrong row can decide it.",
)
RATIO = Question(
    "How far off is a score, for the size of the target?",
    "Ask it where large amounts may err by more than small ones.",
)
LEVEL = Question(
    "Are the scores too high or too low?",
    "Ask it where sums of scores are used, as in a budget or a plan.",
)
SPREAD = Question(
    "How far off would the scores be, had they the right level?",
    "Ask it where a constant will be added to the scores before they are used.",
)
LINE = Question(
    "How much of what varies do the scores follow?",
    "Ask it to describe a model, not to choose one: the spread of y is part of the answer.",
)
COST = Question(
    "What do the errors cost, where too low and too high do not cost the same?",
    "Ask it where the costs of the two sides are known, or their ratio.",
)
QUANTILE = Question(
    "Does a predicted quantile or interval hold what it claims?",
    "Ask it where a stock, a reserve or a limit is set, and not a typical value.",
)
CLASSES = Question(
    "Do the scores tell one class from the other?",
    "Ask it where rows are taken in the order of their scores, or a threshold is set later.",
)
CALLS = Question(
    "How often is a row classified correctly?",
    "Ask it where every row is flagged or not at a known threshold.",
)
OVER_DATASETS = Question(
    "How good is a model on one data set and the next?",
    "Ask it where each data set was judged elsewhere, and counts as one whatever its size.",
)
ANSWERS = Question(
    "How good are the answers to items?",
    "Ask it where each item was answered once or more by every model, and each answer was scored.",
)
FIRST = Question(
    "What do the first results of a query hold?",
    "Ask it where a reader sees a few results and a document is relevant or not.",
)
GRADES = Question(
    "How good are the first results, where some are better than others?",
    "Ask it where documents have grades, and an early one is worth more than a late one.",
)
ORDER_OF_DOCUMENTS = Question(
    "How far do the relevant documents stand above the others?",
    "Ask it where all relevant documents count, not only those of the first results.",
)
POOL = Question(
    "How much of what was found has anybody judged?",
    "Ask it beside any other measure of results: what was not judged counts as not relevant.",
)
CAUGHT = Question(
    "What do flags find, and how many are false positives?",
    "Ask it where a flag leads to an action, and the two errors are answered for one by one.",
)
AGREEMENT = Question(
    "How well do flags agree with the target, both errors in one number?",
    "Ask it where one number is wanted that a rare class does not make high by itself; it has no "
    "unit, so that costs are the better question where they are known.",
)
PROBABILITY = Question(
    "Are the probabilities right?",
    "Ask it where the probability itself is used: to weigh costs, or with other probabilities.",
)

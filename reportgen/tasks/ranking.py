"""Ranking by query: the target grades documents, the score puts those of a query in order."""

from __future__ import annotations

from reportgen.kernels.batch import Column
from reportgen.rows import Queries
from reportgen.tasks.task import FirstConfig, Predictions, Task


def _rows(outcome: Column, found: Predictions) -> Queries:
    assert found.lists is not None
    return Queries(found.lists, found.scale, outcome)


RANKING = Task(
    name="ranking",
    target="grades",
    scales=("score",),
    rows=_rows,
    first=FirstConfig(
        metrics={
            "ndcg": "are the best documents the first? k: 10",
            "ap": "how far do relevant documents stand above the others?",
            "judged_at": "how many of the first results has anybody judged?",
        },
        loose_scale="score",
        loose="a score that rises with how early a document shall stand",
        gate=("order good enough", "above, metric: ndcg", "0.5"),
    ),
    has_wins=True,
    checks=("query_auc",),
)

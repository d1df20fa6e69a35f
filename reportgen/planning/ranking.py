"""Plan ranked lists: requests, lists of documents, and alternative conventions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import inf

import numpy as np

from reportgen.analysis.plan import Alternative, PlannedMetric
from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Config
from reportgen.config.schema.datasets import RankingKeys
from reportgen.config.schema.report import FewHarmed
from reportgen.data.arrow import Index, Mask
from reportgen.data.files.list_files import LETOR, QRELS, RUN, SCORES, SIZES
from reportgen.data.judgements import LARGEST_POWER
from reportgen.data.requests import (
    ColumnRequest,
    LetorRequest,
    RankedRequest,
    RunRequest,
)
from reportgen.data.sample import ModelLists, QueryTarget, Sample
from reportgen.errors import ConfigPath
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics.rows import Queries, Rows
from reportgen.metrics.statistic import Scalar
from reportgen.metrics.tasks import TASKS
from reportgen.planning.files import build_table_request

DEFAULTS = {"query": "query", "id": "document", "column": "score"}  # of the columns of a run


def build_ranked_request(
    loaded: LoadedConfig, name: str, document: ColumnRequest | None
) -> RankedRequest | None:
    """How the rows of a dataset are documents of queries; None where rows are no documents."""
    config = loaded.config
    if TASKS[config.task].target != "grades":
        return None
    dataset, at = config.datasets[name], ("datasets", name)
    id_at, policy = (*at, "queries", "id"), config.ranking or RankingKeys()
    ties = {use.params["ties"] for use in config.metrics if "ties" in use.params}
    facts = None
    if dataset.queries is not None:
        facts = build_table_request(
            loaded, (*at, "queries", "path"), _build_column(loaded, id_at), dataset
        )
    return RankedRequest(
        qrels=_build_qrels_request(loaded, name) if dataset.qrels else None,
        letor=_build_letor_request(loaded, name) if dataset.letor else None,
        runs={
            m: _build_run_request(loaded, name, m)
            for m, model in config.models.items()
            if name in model.run
        },
        queries=facts,
        document=document,
        unjudged=policy.unjudged,
        missing_document=policy.missing_document,
        missing_query=policy.missing_query,
        negative=policy.negative,
        is_by_id=config.are_ties_by_id,
        are_all_by_id=ties == {"trec"},
        are_powers=any(
            use.params.get("gain") == "exp2" for use in (*config.metrics, *config.curves)
        ),
        relevant=policy.relevant,
        grades=policy.grades,
        ranks=_find_largest_rank(loaded),
        orders={name: model.order for name, model in config.models.items()},
        match=dataset.match,
        dataset=name,
    )


def build_lists(config: Config, sample: Sample) -> dict[str, Lists]:
    """Build the lists of each model as metrics see them, to the depth that the config names."""
    policy = config.ranking or RankingKeys()
    if policy.depth is None:
        return build_runs(sample)
    lists = build_runs(sample, policy.depth)
    return {model: each.truncate(policy.depth) for model, each in lists.items()}


def build_runs(sample: Sample, depth: float = inf) -> dict[str, Lists]:
    """Each model's answers beside what was judged, which all share."""
    if not isinstance(sample.target, QueryTarget):
        return {}
    lists, judged = _collect_lists(sample), sample.target.judged
    sizes = [int(np.diff(each.start).max(initial=0)) for each in lists.values()]
    judgements = Judgements.from_grades(
        judged.start, judged.grade, int(min(max(sizes, default=0), depth))
    )
    return {
        model: Lists(each.start, each.grade, each.score, judgements, each.name)
        for model, each in lists.items()
    }


def _collect_lists(sample: Sample) -> dict[str, ModelLists]:
    return {name: model.lists for name, model in sample.models.items() if model.lists is not None}


def _find_largest_rank(loaded: LoadedConfig) -> int | None:
    """Return the largest rank that any metric looks at; None where one looks at all."""
    policy = loaded.config.ranking or RankingKeys()
    depth = inf if policy.depth is None else policy.depth
    cuts = [inf if (k := use.params.get("k")) is None else int(k) for use in loaded.config.metrics]
    most = min(max(cuts), depth)
    return None if most == inf else int(most)


def _build_qrels_request(loaded: LoadedConfig, dataset: str) -> RunRequest:
    at: ConfigPath = ("datasets", dataset, "qrels")
    query, document = (_build_column(loaded, (*at, key)) for key in ("query", "id"))
    grade = _build_column(loaded, ("datasets", dataset, "target"))
    own = loaded.config.datasets[dataset]
    table = build_table_request(
        loaded,
        (*at, "path"),
        None,
        own,
        fields=QRELS,
        columns=own.qrels.columns if own.qrels else None,
    )
    return RunRequest(table, query, document, grade)


def _build_letor_request(loaded: LoadedConfig, dataset: str) -> LetorRequest:
    at: ConfigPath = ("datasets", dataset, "letor")
    own, models = loaded.config.datasets[dataset], loaded.config.models
    keys = own.letor
    sizes = (*at, "groups") if keys is not None and keys.groups else None
    return LetorRequest(
        table=build_table_request(loaded, (*at, "path"), None, own, fields=LETOR),
        grade=_build_column(loaded, ("datasets", dataset, "target")),
        scores={
            name: build_table_request(
                loaded, ("models", name, "lines", dataset, "path"), None, own, fields=SCORES
            )
            for name, model in models.items()
            if dataset in model.lines
        },
        sizes=build_table_request(loaded, sizes, None, own, fields=SIZES) if sizes else None,
    )


def _build_run_request(loaded: LoadedConfig, dataset: str, model: str) -> RunRequest:
    at: ConfigPath = ("models", model, "run", dataset)
    query, document, score = (
        _build_column(loaded, (*at, key)) for key in ("query", "id", "column")
    )
    if loaded.config.models[model].order == "rank" and score.name == DEFAULTS["column"]:
        score = ColumnRequest("rank", score.at)
    own, run = loaded.config.datasets[dataset], loaded.config.models[model].run[dataset]
    table = build_table_request(loaded, (*at, "path"), None, own, fields=RUN, columns=run.columns)
    return RunRequest(table, query, document, score)


def _build_column(loaded: LoadedConfig, at: ConfigPath) -> ColumnRequest:
    """Build the request for a column that the config names, or that has its default name."""
    name = loaded.format_value(at)
    return (
        ColumnRequest(name, at, loaded.get_true_text(at))
        if name
        else ColumnRequest(DEFAULTS[str(at[-1])], at)
    )


MOST_GRADES = 6  # thresholds that are tried


def plan_conventions(
    config: Config, sample: Sample, uses: Sequence[PlannedMetric]
) -> tuple[Alternative, ...]:
    """Plan the other conventions under which the primary comparison could have been made."""
    primary = next((use for use in uses if use.is_primary), None)
    target, lists = sample.target, _collect_lists(sample).values()
    if primary is None or not isinstance(target, QueryTarget):
        return ()
    params = primary.metric.params
    found = [
        Alternative(name, str(value), {name: value})
        for name, values in _list_other_conventions(target, lists).items()
        for value in values
        if name in params and params[name] != value
    ]
    k = params.get("k")
    if isinstance(k, int):
        found += [Alternative("k", str(cut), {"k": cut}) for cut in (k // 2, 2 * k) if cut >= 1]
    policy = config.ranking or RankingKeys()
    if policy.unjudged == "not_relevant" and _has_unjudged(lists):
        found.append(Alternative("unjudged", "drop", rows=_drop_unjudged))
    if policy.missing_query == "zero" and target.unanswered is not None:
        kept = np.flatnonzero(~target.unanswered)
        if 1 < len(kept) < sample.n:
            found.append(Alternative("missing_query", "drop", kept=kept))
    if "ties" in params and _has_ties(lists):
        ends = ({"ties": "optimistic"}, {"ties": "pessimistic"})
        found += [
            Alternative("ties", "the candidate's at best, the baseline's at worst", *ends),
            Alternative("ties", "the candidate's at worst, the baseline's at best", *ends[::-1]),
        ]
    return tuple(found)


def _list_other_conventions(
    target: QueryTarget, lists: Collection[ModelLists]
) -> dict[str, tuple[Scalar, ...]]:
    """List what each convention could be, where that makes a difference on these lists."""
    grades = np.unique(target.judged.grade[target.judged.grade > 0])
    are_any = 0 < grades.max(initial=0.0) <= LARGEST_POWER
    is_named = all(each.name is not None for each in lists)
    by_id = ("trec",) if is_named else ()
    return {
        "ties": ("expected", *by_id) if _has_ties(lists) else (),
        "gain": ("linear", "exp2") if are_any and set(grades) != {1.0} else (),
        "no_relevant": ("skip", "zero") if (target.y == 0).any() else (),
        "relevant": tuple(float(g) for g in grades[:MOST_GRADES]) if len(grades) > 1 else (),
    }


def _has_ties(lists: Iterable[ModelLists]) -> bool:
    """Return whether any list holds equal scores one after the other."""
    return any(
        bool(np.any((each.score[1:] == each.score[:-1]) & ~_find_list_starts(each.start)[1:-1]))
        for each in lists
    )


def _find_list_starts(start: Index) -> Mask:
    """Where in the documents, and after the last, a list begins."""
    found = np.zeros(int(start[-1]) + 1, dtype=bool)
    found[start] = True
    return found


def _has_unjudged(lists: Iterable[ModelLists]) -> bool:
    return any(bool(np.isnan(each.grade).any()) for each in lists)


def _drop_unjudged(rows: Rows) -> Rows:
    if not isinstance(rows, Queries):
        return rows
    return Queries(rows.lists.only_judged(), rows.scale, rows.outcome)


def plan_harms(config: Config, dataset: str) -> tuple[tuple[str, str, str, float, str | None], ...]:
    """List what gates ask of single rows: on how many a metric drops by more than a size."""
    return tuple(
        (gate.metric, gate.model, gate.against, gate.drop, gate.segment)
        for gate in config.gates
        if isinstance(gate, FewHarmed) and gate.dataset == dataset
    )

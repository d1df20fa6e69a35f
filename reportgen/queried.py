"""From the config to what is read of lists of documents, and from what was read to lists."""

from __future__ import annotations

from math import inf

import numpy as np

from reportgen.config import Config, Loaded
from reportgen.config.ranking import RankingKeys
from reportgen.data.files.letor import LETOR
from reportgen.data.files.spaced import QRELS, RUN, SCORES, SIZES
from reportgen.data.files.unpacking import GB
from reportgen.data.request import (
    ColumnRequest,
    LetorRequest,
    RankedRequest,
    RunRequest,
    TableRequest,
)
from reportgen.data.sample import Sample
from reportgen.errors import Path
from reportgen.kernels.lists import Judgements, Lists
from reportgen.tasks import TASKS

DEFAULTS = {"query": "query", "id": "document", "column": "score"}  # of the columns of a run


def ranked_request(
    loaded: Loaded, name: str, document: ColumnRequest | None
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
        facts = _table(loaded, name, (*at, "queries", "path"), (), _column(loaded, id_at))
    return RankedRequest(
        qrels=_qrels(loaded, name) if dataset.qrels else None,
        letor=_letor(loaded, name) if dataset.letor else None,
        runs={m: _run(loaded, name, m) for m, model in config.models.items() if name in model.run},
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
        ranks=_ranks(loaded),
        orders={name: model.order for name, model in config.models.items()},
    )


def lists_of(config: Config, sample: Sample) -> dict[str, Lists]:
    """What metrics see of each model's answers, down to the depth that the config names."""
    policy = config.ranking or RankingKeys()
    if policy.depth is None:
        return runs_of(sample)
    lists = runs_of(sample, policy.depth)
    return {model: each.to_depth(policy.depth) for model, each in lists.items()}


def runs_of(sample: Sample, depth: float = inf) -> dict[str, Lists]:
    """Each model's answers beside what was judged, which all share."""
    if sample.judged is None:
        return {}
    sizes = [int(np.diff(each.start).max(initial=0)) for each in sample.lists.values()]
    judged = Judgements.of(
        sample.judged.start, sample.judged.grade, int(min(max(sizes, default=0), depth))
    )
    return {
        model: Lists(each.start, each.grade, each.score, judged, each.name)
        for model, each in sample.lists.items()
    }


def _ranks(loaded: Loaded) -> int | None:
    """The largest rank that any metric looks at; None where one looks at all."""
    policy = loaded.config.ranking or RankingKeys()
    depth = inf if policy.depth is None else policy.depth
    cuts = [inf if (k := use.params.get("k")) is None else int(k) for use in loaded.config.metrics]
    most = min(max(cuts), depth)
    return None if most == inf else int(most)


def _qrels(loaded: Loaded, dataset: str) -> RunRequest:
    at: Path = ("datasets", dataset, "qrels")
    query, document = (_column(loaded, (*at, key)) for key in ("query", "id"))
    grade = _column(loaded, ("datasets", dataset, "target"))
    return RunRequest(_table(loaded, dataset, (*at, "path"), QRELS), query, document, grade)


def _letor(loaded: Loaded, dataset: str) -> LetorRequest:
    at: Path = ("datasets", dataset, "letor")
    keys, models = loaded.config.datasets[dataset].letor, loaded.config.models
    sizes = (*at, "groups") if keys is not None and keys.groups else None
    return LetorRequest(
        table=_table(loaded, dataset, (*at, "path"), LETOR),
        grade=_column(loaded, ("datasets", dataset, "target")),
        scores={
            name: _table(loaded, dataset, ("models", name, "lines", dataset, "path"), SCORES)
            for name, model in models.items()
            if dataset in model.lines
        },
        sizes=_table(loaded, dataset, sizes, SIZES) if sizes else None,
    )


def _run(loaded: Loaded, dataset: str, model: str) -> RunRequest:
    at: Path = ("models", model, "run", dataset)
    query, document, score = (_column(loaded, (*at, key)) for key in ("query", "id", "column"))
    if loaded.config.models[model].order == "rank" and score.name == DEFAULTS["column"]:
        score = ColumnRequest("rank", score.at)
    return RunRequest(_table(loaded, dataset, (*at, "path"), RUN), query, document, score)


def _table(
    loaded: Loaded,
    dataset: str,
    at: Path,
    fields: tuple[str, ...],
    id_column: ColumnRequest | None = None,
) -> TableRequest:
    own = loaded.config.datasets[dataset]
    return TableRequest(
        path=str(loaded.file(at)),
        shown=loaded.written(at),
        id=id_column,
        at=at,
        max_unpacked=None if own.max_unpacked is None else round(own.max_unpacked * GB),
        delimiter="\t" if own.delimiter == "tab" else own.delimiter,
        printed=loaded.printed_path(at),
        is_hidden=loaded.is_hidden(at),
        fields=fields,
    )


def _column(loaded: Loaded, at: Path) -> ColumnRequest:
    """A column that the config names, or one that has its name by default."""
    name = loaded.written(at)
    return (
        ColumnRequest(name, at, loaded.true(at))
        if name
        else ColumnRequest(DEFAULTS[str(at[-1])], at)
    )

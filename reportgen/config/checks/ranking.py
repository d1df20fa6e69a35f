"""Rules about ranked lists."""

from __future__ import annotations

from reportgen.config.checks.view import ConfigFinding, ConfigFindings, ConfigView, has_keys
from reportgen.config.schema.config import Dataset
from reportgen.config.schema.datasets import Model
from reportgen.config.task_shorthand import RUN_KEYS
from reportgen.errors import ConfigPath, did_you_mean
from reportgen.terms import QUERIES

OF_DATASETS = (*RUN_KEYS, "queries", "balance")
NOT_OF_QUERIES = {
    "labels": "name one long table by `path:`, or a file of judgements by `qrels:` or `letor:`",
    "missing": "see `missing_document` and `missing_query` under `ranking:`",
    "unit": "a grade has none",
    "count": "a document is listed once; remove it",
}
FACTS = ("weight", "cluster", "strata", "balance", "fold", "time", "segments")


def check_ranking(view: ConfigView) -> ConfigFindings:
    """Keys of judgements and runs stand under task: ranking, and all that it needs is there."""
    if view.task is None:
        return
    if not view.task.is_of_lists:
        yield from _refuse_ranking_keys(view)
        return
    for name, dataset in view.config.datasets.items():
        if view.is_map("datasets", name):
            yield from _check_dataset(view, name, dataset)
    for name, model in view.config.models.items():
        if view.is_map("models", name):
            yield from _check_runs(view, name, model)
    if has_keys(view.config, "costs"):
        yield ConfigFinding(("costs",), "costs: are for amounts; remove them", at_key=True)
    yield from _check_few_harmed_metrics(view)


def _check_few_harmed_metrics(view: ConfigView) -> ConfigFindings:
    """Check that few_harmed is used with a metric that has a value for each query."""
    words, keys = view.words.metrics, view.metrics
    means = [key for key, name in keys.items() if name in words and words[name].has_losses]
    way = f"name one that is, such as {means[0]!r}" if means else "add one that is, such as ap"
    for index, gate in enumerate(view.config.gates):
        if gate.rule == "few_harmed" and gate.metric in keys and gate.metric not in means:
            at = ("gates", index, "metric")
            yield ConfigFinding(at, f"few_harmed: {view.quote(*at)} is no mean over queries; {way}")


def check_ties(view: ConfigView) -> ConfigFindings:
    """Documents of one long table have ids where ties are broken by them."""
    if view.task is None or not view.task.is_of_lists or not view.config.are_ties_by_id:
        return
    for name, dataset in view.config.datasets.items():
        if dataset.qrels is None and dataset.letor is None and dataset.id is None:
            yield ConfigFinding(
                ("datasets", name),
                f"datasets.{name} has no 'id' (the column that names each document), by which "
                "ties: trec puts documents with equal scores in order; add id: NAME",
            )


def _refuse_ranking_keys(view: ConfigView) -> ConfigFindings:
    config = view.config
    at: list[ConfigPath] = [("ranking",)] if has_keys(config, "ranking") else []
    for name, dataset in config.datasets.items():
        at += [("datasets", name, key) for key in OF_DATASETS if has_keys(dataset, key)]
    for name, model in config.models.items():
        files = [("models", name, key) for key in RUN_KEYS.values() if has_keys(model, key)]
        at += [place for place in files if not view.is_empty_map(place)]
    for place in at:
        yield _refuse(place, f"{place[-1]} is", at_key=True)
    has_order = view.task is not None and view.task.is_of_flags
    for name, model in config.models.items() if not has_order else ():
        if isinstance(model.order, str) and model.order not in ("descending", ""):
            said = "order is for task: ranking, or two classes; remove it, or set that"
            yield ConfigFinding(("models", name, "order"), said, at_key=True)
    for index, output in enumerate(config.outputs):
        if output == QUERIES:
            yield _refuse(("outputs", index), f"the output {QUERIES} is")
    for index, gate in enumerate(config.gates):
        if gate.rule == "few_harmed":
            yield _refuse(("gates", index, "rule"), "the rule few_harmed is")


def _refuse(at: ConfigPath, what: str, *, at_key: bool = False) -> ConfigFinding:
    return ConfigFinding(at, f"{what} for task: ranking; remove it, or set that", at_key)


def _check_dataset(view: ConfigView, name: str, dataset: Dataset) -> ConfigFindings:
    at: ConfigPath = ("datasets", name)
    judged = next((key for key in RUN_KEYS if has_keys(dataset, key)), None)
    conflicts: dict[str, str] = {}
    for key, way in NOT_OF_QUERIES.items():
        if has_keys(dataset, key) and getattr(dataset, key) != "error":
            conflicts[key] = f"does not go with task: ranking; {way}"
    if judged is not None:
        for key in ("path", *RUN_KEYS, "query", "id", "filter"):
            if has_keys(dataset, key) and key != judged:
                way = "keep one of the two" if key in ("path", *RUN_KEYS) else "remove it"
                where = "one long table, not" if key not in RUN_KEYS else "other files, not"
                conflicts[key] = f"goes with {where} with {judged}; {way}"
        for key in FACTS if not has_keys(dataset, "queries") else ():
            if has_keys(dataset, key) and getattr(dataset, key) != ():
                conflicts[key] = (
                    "names a column of a file with a line for each query; add queries: "
                    "{path: …, id: …}"
                )
    elif has_keys(dataset, "queries"):
        conflicts["queries"] = "goes with qrels or letor; in one long table name its columns"
    for key, said in conflicts.items():
        yield ConfigFinding((*at, key), f"datasets.{name}: {key} {said}", at_key=True)
    if judged is None and not has_keys(dataset, "query"):
        yield ConfigFinding(
            at,
            f"datasets.{name} has no 'query' (the column that names the query of each "
            "document); add query: NAME",
        )
    if has_keys(dataset, "balance") and has_keys(dataset, "strata"):
        yield ConfigFinding(
            (*at, "strata"),
            f"datasets.{name}: strata and balance are both given; the values of balance are "
            "strata themselves, so remove strata",
            at_key=True,
        )


def _check_runs(view: ConfigView, name: str, model: Model) -> ConfigFindings:
    """Check that a model has answers for every dataset of judgements, in the matching form."""
    for judgements, key in RUN_KEYS.items():
        own = getattr(model, key)
        datasets = view.config.datasets.items()
        judged = [d for d, dataset in datasets if has_keys(dataset, judgements)]
        for dataset in own:
            if dataset not in judged:
                yield ConfigFinding(
                    ("models", name, key, dataset),
                    f"models.{name}.{key}: there is no dataset {dataset!r} with `{judgements}:` "
                    f"in this config; {did_you_mean(dataset, judged)}",
                    at_key=True,
                )
        for dataset in judged:
            if dataset not in own:
                yield ConfigFinding(
                    ("models", name),
                    f"models.{name} has no {key!r} for the dataset {dataset!r}; add {key}: FILE",
                )

"""Rules about files, columns, folds, resampling units and ranked lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reportgen.config.checks.view import ConfigFinding, ConfigFindings, ConfigView, has_keys
from reportgen.config.schema.config import Dataset
from reportgen.config.schema.datasets import Model, Scores
from reportgen.config.task_shorthand import EACH, NO_TARGET, RUN_KEYS
from reportgen.config.yaml.tree import format_key_path
from reportgen.errors import ConfigPath, did_you_mean
from reportgen.terms import QUERIES

SOURCES = ("path", "sql", "sql_file", "labels", "qrels", "letor")
VARIABLE_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
DRIVER_NAME = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)


def check_sources(view: ConfigView) -> ConfigFindings:
    """Every dataset has one source of labels, every model has scores for every dataset."""
    datasets = view.config.datasets
    if datasets and len(view.fit_datasets) == len(datasets):
        said = "every dataset has role: fit; the one that models are tested on has role: test"
        yield ConfigFinding(("datasets",), said)
    for name, dataset in datasets.items():
        at, has_labels = ("datasets", name), has_keys(dataset, "labels")
        has_path = has_keys(dataset, "path", "sql", "sql_file", "qrels", "letor")
        if not has_path and not has_labels and view.is_map(*at):
            said = f"datasets.{name} has no 'path'; name its file, or `labels: {{path: …}}`"
            yield ConfigFinding(at, said)
        if view.task is None or not view.task.is_of_items:
            yield from _check_long_table(at, dataset)
        yield from _check_statement(at, dataset)
        is_joined = has_labels or any(name in model.scores for model in view.config.models.values())
        if is_joined and not has_keys(dataset, "id"):
            yield ConfigFinding(
                at,
                f"datasets.{name} has no 'id' (the column that names each row), by which labels "
                "and scores in files of their own are joined; add id: NAME",
            )
        if has_path and has_labels:
            yield ConfigFinding(
                (*at, "labels"),
                f"datasets.{name} has both path and labels; one wide table has a path, "
                "labels and scores in files of their own have labels",
                at_key=True,
            )
    for name, model in view.config.models.items():
        if view.is_map("models", name):
            yield from _check_scores(view, ("models", name), model)
    yield from _check_columns(view)


def _check_statement(at: ConfigPath, dataset: Dataset) -> ConfigFindings:
    """Check that a statement stands alone and has a connection, by its name, and ids to sort by."""
    name = format_key_path(at)
    if dataset.connection is not None and not VARIABLE_NAME.fullmatch(str(dataset.connection)):
        text = f"{name}.connection names an environment variable that holds the URI of a database"
        way = "keep the URI out of the config, and write connection: WAREHOUSE"
        yield ConfigFinding((*at, "connection"), f"{text}; {way}")
    if dataset.driver is not None and not DRIVER_NAME.fullmatch(str(dataset.driver)):
        text = f"{name}.driver names an installed driver, and no file; write its name"
        yield ConfigFinding((*at, "driver"), f"{text}, such as adbc_driver_flightsql")
    sources = [key for key in SOURCES if has_keys(dataset, key)]
    if not has_keys(dataset, "sql", "sql_file", "connection", "driver"):
        return
    if len(sources) > 1:
        text = f"{name} has {' and '.join(sources)}; keep one of them"
        yield ConfigFinding((*at, sources[1]), text, at_key=True)
    if not has_keys(dataset, "connection"):
        yield ConfigFinding(
            at, f"{name} has a statement and no 'connection'; add connection: WAREHOUSE"
        )
    elif not {"sql", "sql_file"} & {*sources}:
        text = f"{name}.connection goes with sql or sql_file; remove it, or add sql: select …"
        yield ConfigFinding((*at, "connection"), text, at_key=True)
    if not has_keys(dataset, "id"):
        text = f"{name} has no 'id', by which rows of a database are sorted; add id: NAME"
        yield ConfigFinding(at, text)


def _check_long_table(at: ConfigPath, dataset: Dataset) -> ConfigFindings:
    """Check that a long table names its items, its models and its scores."""
    keys = [key for key in ("model", "score") if has_keys(dataset, key)]
    for key in ("id", "model", "score") if keys else ():
        if not has_keys(dataset, key):
            text = f"{format_key_path(at)} has `{keys[0]}:`, so it is a long table, and no {key!r}"
            yield ConfigFinding(at, f"{text}; add {key}: NAME")


def _check_scores(view: ConfigView, at: ConfigPath, model: Model) -> ConfigFindings:
    datasets = view.config.datasets
    yield from _check_one_column(at, model)
    for dataset, scores in model.scores.items():
        place = (*at, "scores", dataset)
        if dataset not in datasets:
            yield ConfigFinding(
                place,
                f"{format_key_path(at)}.scores: there is no dataset {dataset!r} in this config; "
                f"{did_you_mean(dataset, datasets)}",
                at_key=True,
            )
        elif view.is_map(*place):
            yield from _check_one_column(place, scores)
            yield from _check_has_column(place, scores)
    if not model.scores.keys() <= datasets.keys():
        return  # which dataset is meant must be clear first
    if datasets.keys() - {*model.scores, *model.run, *model.lines}:
        yield from _check_has_column(at, model)


def _check_one_column(at: ConfigPath, source: Model | Scores) -> ConfigFindings:
    if has_keys(source, "column") and has_keys(source, "columns"):
        said = f"{format_key_path(at)} has both column and columns; keep one of the two"
        yield ConfigFinding((*at, "columns"), said, at_key=True)


def _check_has_column(at: ConfigPath, source: Model | Scores) -> ConfigFindings:
    if not has_keys(source, "column", "columns"):
        yield ConfigFinding(
            at,
            f"{format_key_path(at)} has no 'column' (the column with its scores); "
            "add column: NAME, or columns: {mean: NAME, sd: NAME}",
        )


def _check_columns(view: ConfigView) -> ConfigFindings:
    """No two models read the same column, and none reads the target."""
    targets = {dataset.target for dataset in view.config.datasets.values()}
    seen: dict[str, str] = {}
    for name, model in view.config.models.items():
        at: ConfigPath = ("models", name, "column")
        column = model.column
        if not has_keys(model, "column"):
            column, at = (model.columns or {}).get(EACH), ("models", name, "columns", EACH)
        if not isinstance(column, str):
            continue
        first = seen.setdefault(column, name)
        if has_keys(model, "scores"):
            continue
        if column in targets:
            yield ConfigFinding(
                at,
                f"models.{name} reads the target {view.quote(*at)} as its score; "
                "name the column with its scores",
            )
        if first != name:
            yield ConfigFinding(
                at,
                f"models {first!r} and {name!r} both read the column {view.quote(*at)}; "
                "give each its own",
            )


FEWEST_DATASETS = 3


def check_across(view: ConfigView) -> ConfigFindings:
    """Datasets are a sample only where there are several to judge on, or a row is one."""
    if view.task is not None and view.task.is_of_values:
        return
    judged = len(view.config.datasets) - len(view.fit_datasets)
    if view.config.across is not None and judged < FEWEST_DATASETS:
        yield ConfigFinding(
            ("across",),
            f"across: compares models over {FEWEST_DATASETS} datasets or more, and there are "
            f"{judged} to judge on; remove it",
        )


OF_FOLDS = ("auto", "corrected-t")


def check_folds(view: ConfigView) -> ConfigFindings:
    """Folds have a column, rounds have ids, and intervals are those of the question."""
    config = view.config
    folded = [name for name, each in config.datasets.items() if each.fold is not None]
    if has_keys(config, "folds") and not folded:
        said = "folds: no dataset says which fit scored its rows; add `fold:` with their column"
        yield ConfigFinding(("folds",), said, at_key=True)
    for name, dataset in config.datasets.items():
        if dataset.repeat is not None:
            for said in _iter_round_conflicts(view, name):
                at: ConfigPath = ("datasets", name, "repeat")
                yield ConfigFinding(at, f"{format_key_path(at)} {said}", at_key=True)
    for name in folded:
        for other in view.fit_datasets:
            yield ConfigFinding(
                ("datasets", name, "fold"),
                f"datasets.{name}: folds are tested on rows that other folds were trained on, and "
                f"{other!r} has role: fit; drop one",
                at_key=True,
            )
    question = None if config.folds is None else config.folds.question
    if folded and (question == "procedure" or not isinstance(question, str)):
        yield from _check_question(view)


def _iter_round_conflicts(view: ConfigView, name: str) -> Iterator[str]:
    dataset = view.config.datasets[name]
    if dataset.fold is None:
        yield "needs `fold:`, the column of folds, too"
    if dataset.id is None:
        yield "needs `id:`, the column that names each row, too"
    if view.config.task == "ranking":
        yield "is not for task: ranking; remove it"
    for model, each in view.config.models.items():
        if name in each.scores:
            yield (
                f"needs all scores in one table, and models.{model}.scores "
                "names a file of its own; join the files"
            )


def _check_question(view: ConfigView) -> ConfigFindings:
    """Refuse tests and intervals over rows, since they answer the other question about folds."""
    at: ConfigPath = ("comparisons", "test")
    test = view.config.comparisons.test
    methods: dict[ConfigPath, object] = {at: test}
    if isinstance(test, dict):
        methods = {(*at, key): method for key, method in test.items()}
    methods["bootstrap", "interval"] = view.config.bootstrap.interval
    for place, method in methods.items():
        if isinstance(method, str) and method not in OF_FOLDS:
            yield ConfigFinding(
                place,
                f"{'.'.join(map(str, place[:2]))}: {view.quote(*place)} takes rows for "
                "independent, and folds share the rows that they learn from; remove it, or ask of "
                "the fitted models: folds: {question: fitted}",
            )


def check_resampling(view: ConfigView) -> ConfigFindings:
    """Blocks of time are drawn whole, from all rows, and only where there is time."""
    bootstrap = view.config.bootstrap
    timed = [
        name
        for name, each in view.config.datasets.items()
        if each.time is not None
        and each.cluster is None
        and each.query is None
        and each.role != "fit"
    ]
    for name, each in view.config.datasets.items():
        if each.time is not None and each.time == each.cluster:
            yield ConfigFinding(
                ("datasets", name, "cluster"),
                f"datasets.{name} has one column as `time:` and as `cluster:`, and clusters have "
                "no order; remove `cluster:`: rows of one time stay together without it",
                at_key=True,
            )
    for name in timed:
        if view.config.datasets[name].strata is not None:
            yield ConfigFinding(
                ("datasets", name, "strata"),
                f"datasets.{name} has both time and strata, and blocks of time go across strata; "
                "remove one of the two",
                at_key=True,
            )
    if timed and bootstrap.weights in ("poisson", "bayesian"):
        at = ("bootstrap", "weights")
        yield ConfigFinding(
            at,
            f"bootstrap.weights cannot be {view.quote(*at)} with blocks of time, which "
            f"datasets.{timed[0]} has by its `time:`; use multinomial, or declare a cluster",
        )
    if not timed and bootstrap.block is not None:
        yield ConfigFinding(
            ("bootstrap", "block"),
            "bootstrap.block is the length of blocks of time, and no dataset is resampled in "
            "time; add `time:` to a dataset without cluster or query, or remove the block",
            at_key=True,
        )


NOT_OF_VALUES = {
    "unit": "the unit of the scores stands under score:",
    "count": "a row is one dataset",
    "fold": "the rows are no longer there",
    "repeat": "the rows are no longer there",
    "time": "datasets have no order",
    "role": "nothing is fitted",
}


def check_finished(view: ConfigView) -> ConfigFindings:
    """One table without a target; `score:` stands nowhere else."""
    config, score = view.config, ("score",)
    if view.task is None:
        return
    if not view.task.is_of_values:
        if has_keys(config, "score"):
            said = f"score is for task: {view.list_tasks('is_of_values')}; remove it"
            yield ConfigFinding(score, said, at_key=True)
        return
    if view.is_text(score):
        said = f"score needs a map of keys; write score: {{title: {view.format_text(score)}}}"
        yield ConfigFinding(score, said, settles=True)
    if len(config.datasets) > 1:
        said = "each row of its table is a dataset; put all of them into one table"
        yield ConfigFinding(("datasets",), f"task: {config.task} has one dataset, as {said}")
    for name, dataset in config.datasets.items():
        at: ConfigPath = ("datasets", name)
        if isinstance(dataset.target, str) and dataset.target != NO_TARGET:
            yield _refuse_key((*at, "target"), "scores that were computed elsewhere have no target")
        for key, said in NOT_OF_VALUES.items():
            if has_keys(dataset, key) and getattr(dataset, key) != "test":
                yield _refuse_key((*at, key), said)
    for name, model in config.models.items():
        if model.columns:
            said = "a model has one score per dataset; name column:"
            yield _refuse_key(("models", name, "columns"), said)


NOT_OF_ITEMS = {
    "unit": "the unit of a score stands under scores:",
    "score": "scores of answers stand under scores: at the top level",
    "count": "a row is one sample",
    "fold": "nothing is fitted",
    "repeat": "samples of an item are numbered by samples:",
    "role": "nothing is fitted",
    "labels": "scores of answers are in one table, or in logs: path:",
}


def check_items(view: ConfigView) -> ConfigFindings:
    """Scores of answers have no target; `scores:`, `judge:` and `samples:` stand nowhere else."""
    if view.task is None:
        return
    if not view.task.is_of_items:
        yield from _refuse_item_keys(view)
        return
    config = view.config
    if not config.scores and has_keys(config, "models"):
        text = (
            "no scores: are named; name each with its column, as in scores: {exact: {column: em}}"
        )
        yield ConfigFinding(("task",), text)
    for name, dataset in config.datasets.items():
        at: ConfigPath = ("datasets", name)
        if isinstance(dataset.target, str) and dataset.target != NO_TARGET:
            yield _refuse_key((*at, "target"), "task: scored has no target")
        for key, text in NOT_OF_ITEMS.items():
            if has_keys(dataset, key) and getattr(dataset, key) != "test":
                yield _refuse_key((*at, key), text)
    yield from _check_answers(view)


def _check_answers(view: ConfigView) -> ConfigFindings:
    """Check models, metrics and the judge of answers."""
    config = view.config
    for name, model in config.models.items():
        for key in ("columns", "scores", "transform"):
            if has_keys(model, key) and getattr(model, key):
                text = "the model column finds models; put their scores under scores: at the top"
                yield _refuse_key(("models", name, key), text)
    for index, use in enumerate(config.metrics):
        of = use.params.get("of")
        if isinstance(of, str) and config.scores:
            place: ConfigPath = ("metrics", index, "params", "of")
            yield from view.check_name(place, of, "score", config.scores)
    yield from _check_directions(view)
    yield from _check_zeros(view)
    if config.judge is not None:
        yield from view.check_name(("judge", "score"), config.judge.score, "score", config.scores)
        for name, dataset in config.datasets.items():
            if dataset.weight is not None:
                why = "judge: does not support weights"
                yield _refuse_key(("datasets", name, "weight"), why)


def _check_directions(view: ConfigView) -> ConfigFindings:
    """Refuse what takes high scores for good ones, of a score where lower is better."""
    config = view.config
    lower = [name for name, each in config.scores.items() if each.better == "lower"]
    for index, use in enumerate(config.metrics):
        if use.name in ("pass_at", "pass_all") and use.params.get("of") in lower:
            text = (
                f"{view.quote('metrics', index, 'name')} counts high scores as passes, and lower is"
            )
            place: ConfigPath = ("metrics", index, "name")
            yield ConfigFinding(place, f"{text} better of {use.params['of']!r}; remove it")
    used = [use.key for use in config.metrics if use.params.get("of") in lower]
    for name, dataset in config.datasets.items():
        if dataset.missing == "zero" and used:
            at: ConfigPath = ("datasets", name, "missing")
            text = (
                f"datasets.{name}.missing: zero is the best value of {used[0]!r}, where lower is "
            )
            text += "better; remove this metric, or use missing: intersect"
            yield ConfigFinding(at, text)


def _check_zeros(view: ConfigView) -> ConfigFindings:
    """Refuse a score of 0 for what was not answered, where the bounds of the score exclude it."""
    config = view.config
    ends = {name: each.bounds or (None, None) for name, each in config.scores.items()}
    limited = [name for name, (low, high) in ends.items() if (low or 0) > 0 or (high or 0) < 0]
    used = {
        str(use.params["of"]): f"remove {use.key!r} from metrics"
        for use in config.metrics
        if use.name == "item_score" and use.params.get("of") in limited
    }
    if config.judge is not None and config.judge.correct and config.judge.score in limited:
        used.setdefault(config.judge.score, "remove judge.correct")
    for name, dataset in config.datasets.items():
        for score, way in used.items() if dataset.missing == "zero" else ():
            text = (
                f"datasets.{name}.missing: zero is beyond the bounds of the score {score!r}; {way},"
            )
            yield ConfigFinding(("datasets", name, "missing"), f"{text} or use missing: intersect")


def _refuse_item_keys(view: ConfigView) -> ConfigFindings:
    tasks = view.list_tasks("is_of_items")
    for key in ("scores", "judge"):
        if getattr(view.config, key):
            yield ConfigFinding((key,), f"{key} is for task: {tasks}; remove it", at_key=True)
    for name, dataset in view.config.datasets.items():
        at: ConfigPath = ("datasets", name)
        if has_keys(dataset, "samples"):
            yield _refuse_key((*at, "samples"), f"samples is for task: {tasks}")
        if dataset.missing == "zero":
            text = f"{format_key_path(at)}.missing: zero is for task: {tasks}; remove it"
            yield ConfigFinding((*at, "missing"), text)


def _refuse_key(at: ConfigPath, why: str) -> ConfigFinding:
    return ConfigFinding(at, f"{'.'.join(map(str, at))}: {why}; remove it", at_key=True)


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
            yield ConfigFinding(
                at, f"few_harmed: {view.quote(*at)} is not a mean over queries; {way}"
            )


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
    for name, dataset in config.datasets.items():
        if has_keys(dataset, "duplicates"):
            yield _refuse(("datasets", name, "duplicates"), "duplicates is", at_key=True)
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
    if judged is None and has_keys(dataset, "duplicates"):
        conflicts["duplicates"] = "goes with judgements and runs (qrels:); remove it"
    if judged is not None:
        for key in ("format", "skip_rows", "sheet", "columns"):
            if has_keys(dataset, key):
                conflicts[key] = f"goes with one table, not with {judged}; remove it"
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

"""A comparison of arrays: from the arguments of `compare` to a config and its table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from warnings import warn

import narwhals as nw
import numpy as np

from reportgen.config.secrets import Secrets
from reportgen.config.sources import ConfigMapping
from reportgen.config.yaml.parsing import resolve_scalar
from reportgen.config.yaml.tree import dump_yaml
from reportgen.data.arrays import (
    TableColumns,
    convert_to_arrow,
    find_backend,
    is_frame,
    list_frame_columns,
    list_matrix_columns,
    name_value,
    name_values,
    prepare_segments,
)
from reportgen.errors import ReportgenError, UsageError, did_you_mean
from reportgen.metrics.tasks import (
    BINARY,
    MULTICLASS,
    MULTILABEL,
    RANKING,
    REGRESSION,
    SCORERS,
    Task,
)
from reportgen.notebook import task as tasks
from reportgen.notebook.estimators import Splits, arrange_splits, list_splits, predict_all
from reportgen.notebook.report import Report, raise_in_one_line, run_pipeline
from reportgen.pipeline import FinishedRun
from reportgen.planning.guesses import choose_metrics, guess_baseline, guess_positive_class
from reportgen.terms import Scale
from reportgen.version import describe_other_package

FILE = "in-memory.feather"
CALLED = "the given arrays"  # as messages call that file, which nobody wrote
ROW, FOLD, ROUND, QUERY = "row", "fold", "round", "query"
RENAMED = {
    "scores": "predictions",
    "weight": "sample_weight",
    "cluster": "groups",
    "threads": "n_jobs",
}
"""Arguments that have other names since version 0.3; they work until 1.0."""
WORDS = {
    r"^config: (?!gates|bootstrap|models)": "",
    r"\badd time: under datasets\.data": "give time=",
    r"`missing: drop` under datasets\.data": ("config={'datasets': {'data': {'missing': 'drop'}}}"),
    r"datasets\.data\.segments\[\d+\]: ": "",
    r"give `bins:`": "cut it first, as with pandas.cut",
    r"primary\.margin(: primary\.margin)?": "margin",
    r"this config's task is '(\w+)'; remove it, or change the task": (
        r"the task here is '\1'; remove it, or give task="
    ),
    r" of datasets\.data\b": "; give groups= or segments= under that name",
    r" under datasets\.data\b": "",
    r"^(.+?): \1(?= )": r"\1",
}
"""What messages say of a config that nobody wrote, by patterns, with the words of arguments."""
LARGE_CLASS = 0.6
"""The share of the commonest of several classes above which F decides in place of accuracy."""
Column = Any  # an array, a list, or a Series of any library that narwhals knows


class Comparison(Report):
    """The result of `compare`: a `Report` of arrays, with what was inferred from them.

    Attributes
    ----------
    inferred : tuple of str
        What was inferred: the task, the positive class, the baseline, the folds.

    Examples
    --------
    >>> from reportgen import compare
    >>> result = compare([3, 1, 2, 5], {"old": [2, 1, 3, 4], "new": [3, 1, 2, 4]}, metrics="mae",
    ...                 config={"allow": {"too_few": "an example"}}, use_cache=False)
    >>> result.summary()[["model", "value"]].values.tolist()
    [['old', 0.75], ['new', 0.25]]

    """

    def __init__(self, run: FinishedRun, inferred: tuple[str, ...], call: _Call) -> None:
        super().__init__(run)
        self.inferred, self._call = inferred, call

    def summary(self, segment: str | None = None) -> Any:
        """Return a row for each model and metric, in a frame of the library that y came in.

        Parameters
        ----------
        segment : str, optional
            A segment such as ``"region=north"``; by default all rows.

        Returns
        -------
        frame
            The columns ``model``, ``metric``, ``better`` (higher, lower or zero), ``value`` with
            ``low`` and ``high``, ``difference`` from the baseline with ``diff_low`` and
            ``diff_high``, and ``verdict``.

        Raises
        ------
        UsageError
            No segment has that name.

        """
        known = [each.segment for each in self.results.datasets[0].segments]
        if segment is not None and segment not in known:
            raise UsageError(f"no segment is called {segment!r}; {did_you_mean(segment, known)}")
        compared = {
            (c.key, c.candidate): c for c in self.results.comparisons if c.segment == segment
        }
        better = {metric.key: metric.better for metric in self.results.metrics}
        rows = []
        for value in (e for e in self.results.estimates if e.segment == segment):
            pair = compared.get((value.key, value.model))
            is_baseline = any(c.baseline == value.model for c in compared.values())
            rows.append(
                {
                    "model": value.model,
                    "metric": value.metric,
                    "better": better[value.key],
                    "value": value.value,
                    "low": value.low,
                    "high": value.high,
                    "difference": pair.difference if pair else None,
                    "diff_low": pair.low if pair else None,
                    "diff_high": pair.high if pair else None,
                    "verdict": pair.word if pair else "baseline" * is_baseline,
                }
            )
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        return nw.from_dict(columns, backend=self._call.backend).to_native()  # type: ignore[arg-type]

    def to_config(self, path: str | Path) -> Path:
        """Write the comparison as a YAML file, with its columns in a Parquet file beside it.

        ``reportgen run`` makes the same report from it.

        Parameters
        ----------
        path : str or Path
            The YAML file; the columns get the same name with ``.parquet``.

        Returns
        -------
        Path
            The YAML file.

        """
        config = Path(path)
        table = config.with_suffix(".parquet")
        keys = _merge(self._call.keys, self._call.config)
        keys["datasets"]["data"]["path"] = table.name
        self._call.columns.write(table)
        config.write_text(dump_yaml(keys), "utf-8")
        return config

    def _list_notes(self) -> Sequence[str]:
        return self.inferred


@raise_in_one_line
def compare(  # noqa: PLR0913
    y: Column = None,
    predictions: Any = None,
    *,
    estimators: Mapping[str, Any] | None = None,
    X: Any = None,
    cv: Any = None,
    folds: Column | None = None,
    task: str | None = None,
    classes: Sequence[Any] | None = None,
    pos_label: Any = None,
    baseline: str | int | None = None,
    metrics: str | Sequence[str | Mapping[str, object]] | None = None,
    margin: float | str | None = None,
    sample_weight: Column | None = None,
    groups: Column | None = None,
    query: Column | None = None,
    time: Column | None = None,
    segments: Any = None,
    unit: str | None = None,
    random_state: int | None = None,
    config: Mapping[str, object] | None = None,
    out: str | Path | None = None,
    n_jobs: int | None = None,
    use_cache: bool = True,
    **renamed: Any,
) -> Comparison:
    """Compare models on arrays: the outcome, and what each model predicts for the same rows.

    Columns are lists, arrays, or Series of pandas, polars, pyarrow or modin, with one value a row
    in the same order. Those of pandas that have an index must have the same one.

    Parameters
    ----------
    y : column, shape (n,), or frame or array, shape (n, labels)
        The outcome of each row: a number, a class, or a grade; or 1 and 0 for each of several
        labels.
    predictions : mapping, data frame or column
        By model: numbers, labels, or what ``predict_proba`` gives, shape (n, classes); a mapping of
        columns such as ``{"mean": m, "sd": s}`` is a predicted density. A single column is that of
        a single model.
    estimators : mapping, optional
        In place of predictions: estimators by name, fitted on other rows than `X`; or with `cv`
        estimators that are refitted on each split; or results of ``cross_validate`` with
        ``return_estimator=True`` and ``return_indices=True``.
    X : frame or array, optional
        The features that estimators predict from.
    cv : int, splitter or iterable, optional
        The splits of cross-validation. Every model is fitted on the same ones.
    folds : column, shape (n,), optional
        The fold of each row, where predictions are out of fold.
    task : str, optional
        ``"regression"``, ``"binary"``, ``"multiclass"``, ``"multilabel"``, ``"ranking"``, or
        ``"classification"``; by default inferred, and stated in `inferred`.
    classes : sequence, optional
        The classes in the order of the columns of predictions, as in ``estimator.classes_``.
    pos_label : optional
        The positive class of two.
    baseline : str or int, optional
        The model that the others are compared with; by default one whose name says so, else the
        first.
    metrics : str or sequence, optional
        Names of metrics or of scikit-learn's scorers, or mappings of a name and its parameters; the
        first one decides. By default those of the task.
    margin : float or str, optional
        The smallest difference that matters, in the first metric: 0.01 in its unit, or
        ``"2%"`` of the baseline's value.
    sample_weight : column, shape (n,), optional
        How much each row counts, 0 or more.
    groups : column, shape (n,), optional
        Groups of rows that belong together: they are resampled together, and splits keep them
        together.
    query : column, shape (n,), optional
        The query of each row, which is a document: the task is ranking.
    time : column, shape (n,), optional
        The time of each row, where neighbours in time may be alike.
    segments : mapping or data frame, optional
        Columns of shape (n,) whose values slice the rows.
    unit : str, optional
        The unit of `y`, as it is printed.
    random_state : int, optional
        The seed of the resamples; by default that of the config.
    config : mapping, optional
        Any other keys of a config, such as
        ``{"models": {"boost": {"label": "Boosted trees"}}}``.
    out : str or Path, optional
        A folder that every output is written into; by default none is written.
    n_jobs : int, optional
        How many threads compute; by default one per processor.
    use_cache : bool
        Whether resamples of earlier runs are read and kept.
    **renamed
        Earlier names of arguments.

    Returns
    -------
    Comparison
        The results; its outputs are rendered when first used: ``result.files``,
        ``result.save("folder")``.

    Raises
    ------
    UsageError
        An argument is wrong, such as the name of the baseline.
    ConfigError
        A name or value in `metrics`, `margin` or `config` is wrong.
    DataError
        A column is wrong: its length, its index or a value.
    OutputError
        An output could not be written into `out`.

    Examples
    --------
    >>> result = compare([3, 1, 2, 5], {"old": [2, 1, 3, 4], "new": [3, 1, 2, 4]},
    ...                 metrics=["mae"], config={"allow": {"too_few": "an example"}},
    ...                 use_cache=False)
    >>> list(result.estimates.value)
    [0.75, 0.25]

    """
    if other := describe_other_package():
        warn(other, stacklevel=3)
    given = {
        "predictions": predictions,
        "sample_weight": sample_weight,
        "groups": groups,
        "n_jobs": n_jobs,
    }
    given |= _rename(renamed, given)
    call = _Call(config=dict(config or {}))
    call.read(
        y, given["predictions"], estimators, X, cv, folds, given["groups"], task, classes, query
    )
    call.choose(pos_label, baseline, metrics, margin)
    call.add_about(given["sample_weight"], given["groups"], query, time, segments, unit)
    call.seed(random_state)
    with (
        _speak_of_arguments(),
        TemporaryDirectory() as folder,
        Secrets({FILE: CALLED}).hide_in_errors(),
    ):
        call.columns.write(Path(folder, FILE))
        base = ConfigMapping(call.keys, Path(folder))
        made = run_pipeline(
            ConfigMapping(call.config, Path(), base), threads=given["n_jobs"], use_cache=use_cache
        )
    result = Comparison(made, tuple(call.inferred), call)
    if out is not None:
        result.save(out)
    return result


@contextmanager
def _speak_of_arguments() -> Iterator[None]:
    """Replace words of a config in messages of the block by those of arguments."""
    try:
        yield
    except ReportgenError as error:
        lines = list(error.lines)
        for pattern, words in WORDS.items():
            lines = [re.sub(pattern, words, line) for line in lines]
        error.lines = tuple(lines)
        raise


def _rename(renamed: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments under their present names, with a warning for each earlier one."""
    made = {}
    for name, value in renamed.items():
        if name not in RENAMED:
            known = [each for each in compare.__wrapped__.__annotations__ if each != "return"]  # type: ignore[attr-defined]
            raise UsageError(f"compare has no argument {name!r}; {did_you_mean(name, known)}")
        if given.get(RENAMED[name]) is not None:
            raise UsageError(
                f"{name}= is the earlier name of {RENAMED[name]}=; give one of the two"
            )
        warn(f"{name}= is now {RENAMED[name]}=", DeprecationWarning, stacklevel=4)
        made[RENAMED[name]] = value
    return made


@dataclass
class _Call:
    """What one call leads to: the columns of its table, the keys of its config, what it inferred.

    `labels` are the names of the classes or labels in the order of the columns of predictions.
    """

    config: dict[str, object]
    columns: TableColumns = field(default_factory=TableColumns)
    keys: dict[str, Any] = field(default_factory=dict)
    inferred: list[str] = field(default_factory=list)
    backend: str = "pandas"
    task: Task = REGRESSION
    labels: tuple[str, ...] = ()
    y: dict[str, Any] = field(default_factory=dict)
    outputs: list[tasks.Output] = field(default_factory=list)
    splits: Splits | None = None
    scales: dict[str, Scale] = field(default_factory=dict)

    def read(  # noqa: PLR0913
        self,
        y: Any,
        predictions: Any,
        estimators: Any,
        X: Any,
        cv: Any,
        folds: Any,
        groups: Any,
        task: str | None,
        classes: Sequence[Any] | None,
        query: Any,
    ) -> None:
        """Read the outcome and the predictions, and infer the task."""
        if y is None:
            raise UsageError("give y, the outcome of each row")
        if (predictions is None) == (estimators is None):
            raise UsageError("give predictions, or estimators with X; one of the two")
        self.backend = find_backend(y)
        self.y = _read_outcome(y)
        if estimators is not None:
            fitted = predict_all(estimators, X, y, cv, groups)
            self.outputs = [
                tasks.read_output(name, each, f"estimators[{name!r}]")
                for name, each in fitted.outputs.items()
            ]
            self.splits, classes = fitted.splits, classes or fitted.classes
        else:
            self.outputs = [
                tasks.read_output(name, each, where)
                for name, each, where in _list_models(predictions)
            ]
        self._name_task(task, classes, query)
        if estimators is None and (folds is not None or cv is not None):
            self._read_folds(folds, cv, groups)
        if self.splits is not None:
            self.columns.rows = self.splits.rows
            self.inferred.append(f"cross-validation: {self.splits.description}")

    def _name_task(self, task: str | None, classes: Sequence[Any] | None, query: Any) -> None:
        if task is not None:
            self.task = tasks.find_task(task, self.y)
        elif query is not None:
            self.task = RANKING
            self.inferred.append(f"task {RANKING.name} (query= was given)")
        else:
            self.task, why = tasks.infer_task(self.y, self.outputs, classes)
            self.inferred.append(f"task {self.task.name} ({why})")
        if self.task is MULTILABEL:
            self.labels = tuple(self.y)
        elif self.task in (BINARY, MULTICLASS):
            column = next(iter(self.y.values()))
            self.labels = tasks.list_classes(classes, column, self.outputs)
            if len(self.labels) == 1:
                raise UsageError(f"y has one class, {self.labels[0]}; a comparison needs two")

    def _read_folds(self, folds: Any, cv: Any, groups: Any) -> None:
        """Read the folds of predictions that are out of fold."""
        column = next(iter(self.y.values()))
        if folds is not None:
            code = np.unique(convert_to_arrow(folds, "folds").to_pylist(), return_inverse=True)[1]
            pairs = [(np.flatnonzero(code != k), np.flatnonzero(code == k)) for k in set(code)]
        else:
            pairs = list_splits(
                cv,
                None,
                np.asarray(convert_to_arrow(column, "y")),
                groups,
                has_classes=self.task is not REGRESSION,
            )
        splits = arrange_splits(pairs)
        if splits.ids is not None or splits.round_.any():
            raise UsageError(
                "predictions have one value a row, and the splits score a row several times; give "
                "the splits of one round of folds"
            )
        order = np.argsort(splits.rows, kind="stable")
        none = np.zeros_like(splits.rows)
        self.splits = Splits(splits.rows[order], splits.fold[order], none, None, None)
        self.outputs = [_take_rows(each, self.splits.rows) for each in self.outputs]

    def choose(
        self,
        pos_label: Any,
        baseline: str | int | None,
        metrics: str | Sequence[str | Mapping[str, object]] | None,
        margin: float | str | None,
    ) -> None:
        """Choose the positive class, the columns of models, the baseline and the metrics."""
        dataset: dict[str, Any] = {"path": FILE, "id": ROW}
        self.keys = {
            "version": 1,
            "report": {"title": "Model comparison"},
            "task": self.task.name,
            "datasets": {"data": dataset},
        }
        positive = self._add_outcome(dataset, pos_label)
        models = {each.name: self._add_model(each, positive) for each in self.outputs}
        self._name_baseline(baseline, models)
        self.keys["models"] = models
        chosen = self._choose_metrics(metrics)
        self.keys |= {
            "metrics": chosen,
            "primary": _build_primary(chosen, margin),
            "outputs": ["html"],
        }
        if len(models) > 1:
            self.keys["report"]["decision"] = "replace" if len(models) == 2 else "choose"

    def _add_outcome(self, dataset: dict[str, Any], pos_label: Any) -> str:
        """Add the columns of the outcome; return the name of the positive class of two."""
        if self.task is MULTILABEL:
            dataset["target"] = "y {class}"
            for label, column in self.y.items():
                self.columns.add(f"y[{label!r}]", column, f"y {label}")
            self.keys["classes"] = list(self.labels)
            return ""
        ((name, column),) = self.y.items()
        values, positive = column, ""
        if self.task in (BINARY, MULTICLASS):
            values = name_values(convert_to_arrow(column, "y"))
        if self.task is BINARY:
            positive = self._find_positive(pos_label)
            dataset["positive"] = positive
        elif self.task is MULTICLASS:
            self.keys["classes"] = list(self.labels)
        dataset["target"] = self.columns.add("y", values, name, given=column)
        return positive

    def _find_positive(self, pos_label: Any) -> str:
        if len(self.labels) != 2:
            raise UsageError(
                f"y holds {len(self.labels)} classes, and task {BINARY.name} has two; give "
                f"task={MULTICLASS.name!r}"
            )
        if pos_label is not None:
            named = name_value(pos_label)
            if named not in self.labels:
                raise UsageError(
                    f"pos_label: y has no {named!r}; {did_you_mean(named, self.labels)}"
                )
            return named
        positive, is_named = guess_positive_class(self.labels)
        why = "by its name" if is_named else "the last of the two"
        self.inferred.append(f"positive class {positive} ({why})")
        return positive

    def _add_model(self, output: tasks.Output, positive: str) -> dict[str, Any]:
        """Add the columns of a model, and return its keys in the config."""
        take = {
            "amount": lambda: tasks.take_amount(output),
            "grades": lambda: tasks.take_score(output),
            "flag": lambda: tasks.take_positive(output, self.labels, positive),
            "class": lambda: tasks.take_classes(output, self.labels),
            "labels": lambda: tasks.take_labels(output, self.labels),
        }
        result = take[self.task.target]()
        self.scales[output.name] = result.scale
        is_default = result.scale in ("amount", "probability") or self.task is RANKING
        keys: dict[str, Any] = {} if is_default else {"scale": result.scale}
        keys |= {} if result.sums == "error" else {"sums": result.sums}
        of_rows = self.splits is None
        add = self.columns.add
        if list(result.columns) == [""]:
            given = next(iter(output.columns.values()))
            column = add(
                output.where, result.columns[""], output.name, given=given, is_of_rows=of_rows
            )
            return {"column": column, **keys}
        where = output.where
        return {
            "columns": {
                part: add(f"{where}[{part!r}]", each, f"{output.name} {part}", is_of_rows=of_rows)
                for part, each in result.columns.items()
            },
            **keys,
        }

    def _name_baseline(self, baseline: str | int | None, models: dict[str, dict[str, Any]]) -> None:
        names_one = any(
            isinstance(each, Mapping) and each.get("role") == "baseline"
            for each in dict(self.config.get("models") or {}).values()  # type: ignore[call-overload]
        )
        if baseline is not None:
            if str(baseline) not in models:
                near = did_you_mean(str(baseline), models)
                raise UsageError(f"baseline: no model is called {str(baseline)!r}; {near}")
            models[str(baseline)]["role"] = "baseline"
        elif len(models) > 1 and not names_one and "extends" not in self.config:
            name, is_named = guess_baseline(models)
            models[name]["role"] = "baseline"
            self.inferred.append(f"baseline {name} ({'by its name' if is_named else 'the first'})")

    def _choose_metrics(
        self, metrics: str | Sequence[str | Mapping[str, object]] | None
    ) -> list[str | Mapping[str, object]]:
        if metrics is not None:
            listed = [metrics] if isinstance(metrics, str) else list(metrics)
            return [_translate_scorer(each, self.task.name) for each in listed]
        kinds = dict.fromkeys(self.scales.values())
        chosen = list(choose_metrics(self.task.name, kinds))
        if len(kinds) > 1:
            held = ", ".join(f"{name} is a {scale}" for name, scale in self.scales.items())
            self.inferred.append(f"only metrics that all models can have, since {held}")
        if self.task is MULTICLASS and self._has_large_class() and "f" in chosen:
            chosen = ["f", *(each for each in chosen if each != "f")]
            self.inferred.append("primary metric F (one class has most of the rows)")
        return [*chosen]

    def _has_large_class(self) -> bool:
        column = convert_to_arrow(next(iter(self.y.values())), "y")
        counts = column.value_counts().field("counts")
        each: list[int] = counts.to_pylist()
        return max(each) > LARGE_CLASS * sum(each)

    def add_about(
        self, weight: Any, groups: Any, query: Any, time: Any, segments: Any, unit: str | None
    ) -> None:
        """Add the columns that say something else of the rows, and the name of each row."""
        dataset = self.keys["datasets"]["data"]
        dataset |= {} if unit is None else {"unit": unit}
        for key, argument, values in (
            ("weight", "sample_weight", weight),
            ("cluster", "groups", groups),
            ("query", "query", query),
            ("time", "time", time),
        ):
            if values is not None:
                dataset[key] = self.columns.add(argument, values, argument)
        slices = {} if segments is None else list_frame_columns(segments, "segments")
        named = {name: f"segments[{name!r}]" for name in slices}
        dataset["segments"] = [
            self.columns.add(where, prepare_segments(slices[name], where), name)
            for name, where in named.items()
        ]
        count = len(next(iter(self.columns.values.values())))
        rows: Any = range(count)
        if self.splits is not None:
            rows = self.splits.ids or self.splits.rows
            self._add_splits(dataset)
        self.columns.add(ROW, [*map(str, rows)] if self.splits else rows, ROW, is_of_rows=False)

    def _add_splits(self, dataset: dict[str, Any]) -> None:
        assert self.splits is not None
        of = self.splits
        dataset["fold"] = self.columns.add(FOLD, of.fold + 1, FOLD, is_of_rows=False)
        if of.round_.any():
            dataset["repeat"] = self.columns.add(ROUND, of.round_ + 1, ROUND, is_of_rows=False)
        self.keys["folds"] = {"question": "procedure"}
        if of.train_share is not None:
            self.keys["folds"]["train_share"] = of.train_share

    def seed(self, random_state: int | None) -> None:
        """Set the seed of the resamples."""
        if random_state is not None:
            self.keys["bootstrap"] = {"seed": int(random_state)}


def _read_outcome(y: Any) -> dict[str, Any]:
    """Read the outcome: one column under its name, or one for each label."""
    if isinstance(y, Mapping) or is_frame(y):
        columns = list_frame_columns(y, "y")
    elif getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
        columns = list_matrix_columns(y, [str(place) for place in range(y.shape[1])])
    else:
        columns = {str(getattr(y, "name", None) or "y"): y}
    return columns


def _list_models(predictions: Any) -> list[tuple[str, Any, str]]:
    """List the models with what each predicts, and what messages call that."""
    if isinstance(predictions, Mapping) or is_frame(predictions):
        columns = list_frame_columns(predictions, "predictions")
        return [(name, each, f"predictions[{name!r}]") for name, each in columns.items()]
    name = str(getattr(predictions, "name", None) or "model")
    return [(name, predictions, "predictions")]


def _take_rows(output: tasks.Output, rows: Any) -> tasks.Output:
    columns = {
        name: convert_to_arrow(each, output.where).take(rows)
        for name, each in output.columns.items()
    }
    return tasks.Output(output.name, output.where, output.kind, columns)


def _translate_scorer(metric: str | Mapping[str, object], task: str) -> str | Mapping[str, object]:
    """Translate the name of a scorer or function of scikit-learn to what a config lists."""
    if not isinstance(metric, str):
        return metric
    bare = metric.removesuffix("_score")
    for name in (metric, f"neg_{metric}", bare):
        own = SCORERS.get(name, {}).get(task)
        if own is not None:
            keys = dict(re.findall(r"(\w+): ([\w.]+)", own))
            parsed = {key: resolve_scalar(text) for key, text in keys.items()}
            return {**parsed, "as": metric} if parsed else own
    return bare if metric.endswith("_score") else metric


def _build_primary(
    metrics: Sequence[str | Mapping[str, object]], margin: float | str | None
) -> dict[str, object]:
    """Return the primary entry for the first metric, by its label if it has one."""
    if not metrics:
        raise UsageError("metrics is empty; name at least one, such as 'mae'")
    first = metrics[0]
    key = first if isinstance(first, str) else first.get("as", first.get("name"))
    return {"metric": key} if margin is None else {"metric": key, "margin": margin}


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge maps as `extends` does: maps merge, all else is replaced."""
    made = dict(below)
    for key, value in above.items():
        is_map = isinstance(value, Mapping) and isinstance(made.get(key), Mapping)
        made[key] = _merge(made[key], value) if is_map else value
    return made

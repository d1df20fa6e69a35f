"""A comparison of arrays: from the arguments of `compare` to a config and its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from warnings import warn

from reportgen.config.secrets import Secrets
from reportgen.config.sources import ConfigMapping
from reportgen.data.arrays import list_frame_columns, write_columns
from reportgen.errors import UsageError, did_you_mean
from reportgen.metrics.tasks import ARRAY_TASKS
from reportgen.notebook.report import Report, make_report
from reportgen.version import describe_other_package

FILE = "in-memory.feather"
CALLED = "the given arrays"  # as messages call that file, which nobody wrote
METRICS = tuple(ARRAY_TASKS.first.metrics)
ROW = "row"
Column = Any  # an array, a list, or a Series of pandas or polars


def compare(  # noqa: PLR0913
    y: Column,
    scores: Any,
    *,
    baseline: str | int | None = None,
    metrics: str | Sequence[str | Mapping[str, object]] = METRICS,
    margin: float | str | None = None,
    weight: Column | None = None,
    cluster: Column | None = None,
    segments: Any = None,
    unit: str | None = None,
    config: Mapping[str, object] | None = None,
    out: str | Path | None = None,
    threads: int | None = None,
    use_cache: bool = True,
) -> Report:
    """Compare models on arrays: the target, and each model's scores for the same rows.

    Columns are lists, arrays, or Series of pandas or polars, with one value a row in the same
    order. Those of pandas that have an index must have the same one.

    Parameters
    ----------
    y : column, shape (n,)
        The target: one number a row.
    scores : mapping or data frame
        A column of shape (n,) for each model, by its name. A model of several columns, as
        quantiles, is a mapping or data frame itself.
    baseline : str or int, optional
        The model that the others are compared with; only a single model needs none.
    metrics : str or sequence
        Names of metrics, or mappings of a name and its parameters; the first one decides.
    margin : float or str, optional
        The difference in the first metric that matters: 0.01 in its unit, or ``"2%"`` of the
        baseline's value.
    weight : column, shape (n,), optional
        How much each row counts, 0 or more.
    cluster : column, shape (n,), optional
        Names of groups of rows that are resampled together.
    segments : mapping or data frame, optional
        Columns of shape (n,) whose values slice the rows.
    unit : str, optional
        The unit of `y`, as it is printed.
    config : mapping, optional
        Any other keys of a config, such as
        ``{"bootstrap": {"seed": 7}, "models": {"boost": {"label": "Boosted trees"}}}``.
    out : str or Path, optional
        A folder that every output is written into; by default none is written.
    threads : int, optional
        How many threads compute; by default one per processor.
    use_cache : bool
        Whether resamples of earlier runs are read and kept.

    Returns
    -------
    Report
        The results; its outputs are drawn when they are asked for: ``report.files``,
        ``report.save("folder")``.

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
    >>> report = compare([3, 1, 2, 5], {"old": [2, 1, 3, 4], "new": [3, 1, 2, 4]},
    ...                  baseline="old", metrics=["mae"], use_cache=False)
    >>> list(report.estimates.value)
    [0.75, 0.25]

    """
    if other := describe_other_package():
        warn(other, stacklevel=2)
    columns = _Columns()
    target = columns.add("y", y, str(getattr(y, "name", None) or "y"))
    metrics = [metrics] if isinstance(metrics, str) else metrics
    models = {
        name: columns.add_model(name, values)
        for name, values in list_frame_columns(scores, "scores").items()
    }
    if baseline is not None:
        _find_baseline(str(baseline), models)["role"] = "baseline"
    elif len(models) > 1 and not {"models", "extends"} & set(config or {}):
        raise UsageError(
            f"baseline: none of the {len(models)} models is the baseline; give the one that the "
            f"others are compared with, such as baseline={next(iter(models))!r}"
        )
    dataset: dict[str, object] = {"path": FILE, "id": ROW, "target": target}
    dataset |= {} if unit is None else {"unit": unit}
    dataset |= columns.add_about({"weight": weight, "cluster": cluster}, segments)
    columns.add(ROW, range(columns.rows), ROW)
    keys = {
        "version": 1,
        "report": {"title": "Model comparison"},
        "task": ARRAY_TASKS.name,
        "datasets": {"data": dataset},
        "models": models,
        "metrics": list(metrics),
        "primary": _build_primary(metrics, margin),
        "outputs": ["html"],
    }
    with TemporaryDirectory() as folder, Secrets({FILE: CALLED}).hide_in_errors():
        columns.write(Path(folder, FILE))
        base = ConfigMapping(keys, Path(folder))
        report = make_report(
            ConfigMapping(config or {}, Path(), base), threads=threads, use_cache=use_cache
        )
    if out is not None:
        report.save(out)
    return report


@dataclass
class _Columns:
    """Columns of the table that is written, each with its name in messages."""

    values: dict[str, Column] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows of the first column."""
        return len(next(iter(self.values.values())))

    def add(self, name: str, values: Column, column: str) -> str:
        """Add a column under its own name, which no other may have."""
        if column in self.names:
            raise UsageError(
                f"{name} and {self.names[column]} would both be the column {column!r}; rename one"
            )
        self.values[column], self.names[column] = values, name
        return column

    def add_model(self, name: str, values: Any) -> dict[str, object]:
        """Add one or several columns of a model, and return its keys in the config."""
        where = f"scores[{name!r}]"
        if not (isinstance(values, Mapping) or getattr(values, "ndim", 1) == 2):
            return {"column": self.add(where, values, name)}
        parts = list_frame_columns(values, where)
        return {
            "columns": {
                part: self.add(f"{where}[{part!r}]", each, f"{name} {part}")
                for part, each in parts.items()
            }
        }

    def add_about(self, single: Mapping[str, Column], segments: Any) -> dict[str, object]:
        """Add further columns about the rows, and return their keys in the config."""
        slices = {} if segments is None else list_frame_columns(segments, "segments")
        names = [self.add(f"segments[{name!r}]", each, name) for name, each in slices.items()]
        given = {key: values for key, values in single.items() if values is not None}
        return {"segments": names, **{key: self.add(key, each, key) for key, each in given.items()}}

    def write(self, path: Path) -> None:
        """Write the table."""
        write_columns(self.values, path, self.names)


def _find_baseline(baseline: str, models: Mapping[str, dict[str, object]]) -> dict[str, object]:
    if baseline not in models:
        raise UsageError(
            f"baseline: no model is called {baseline!r}; {did_you_mean(baseline, models)}"
        )
    return models[baseline]


def _build_primary(
    metrics: Sequence[str | Mapping[str, object]], margin: float | str | None
) -> dict[str, object]:
    """Return the primary entry for the first metric, by its label if it has one."""
    if not metrics:
        raise UsageError("metrics is empty; name at least one, such as 'mae'")
    first = metrics[0]
    key = first if isinstance(first, str) else first.get("as", first.get("name"))
    return {"metric": key} if margin is None else {"metric": key, "margin": margin}

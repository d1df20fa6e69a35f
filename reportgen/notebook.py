"""Arrays in, a report out: the config is written here, and then all goes as with a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reportgen.config import Given, Secrets
from reportgen.data.arrays import frame_columns, write_columns
from reportgen.errors import UsageError, did_you_mean
from reportgen.report import Report, made
from reportgen.tasks import OF_ARRAYS

FILE = "in-memory.feather"
CALLED = "the given arrays"  # as messages call that file, which nobody wrote
METRICS = tuple(OF_ARRAYS.first.metrics)
ROW = "row"
Column = Any  # an array, a list, or a Series of pandas or polars


def compare(
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
    """Compare models on arrays: what happened (n,), and each model's scores (n,) by its name.

    `y` and each score are numbers, a value a row in the same order; `scores` is a map or a frame.
    A model of several columns, as quantiles, is a map or frame itself. The first of `metrics`
    decides, with the `margin` that matters (`0.01` in its unit, or `"2%"`). `baseline` is the
    model that the others are compared with; only a single model needs none. `segments` is a map or
    frame of columns that slice the rows. `config` holds any other keys of the language, such as
    `{"bootstrap": {"seed": 7}, "models": {"boost": {"label": "Boosted trees"}}}`.

    Outputs are drawn when they are asked for: `report.save("folder")`, `report.files`. What is
    wrong is raised: ConfigError, DataError or UsageError, each with its lines.

    >>> report = compare([3, 1, 2, 5], {"old": [2, 1, 3, 4], "new": [3, 1, 2, 4]},
    ...                  baseline="old", metrics=["mae"], use_cache=False)
    >>> list(report.estimates.value)
    [0.75, 0.25]
    """
    columns = _Columns()
    target = columns.add("y", y, str(getattr(y, "name", None) or "y"))
    given = frame_columns(scores, "scores")
    metrics = [metrics] if isinstance(metrics, str) else metrics
    models = {name: columns.add_model(name, values) for name, values in given.items()}
    if baseline is not None:
        _known(str(baseline), models)["role"] = "baseline"
    elif len(models) > 1 and not {"models", "extends"} & set(config or {}):
        raise UsageError(
            f"baseline: none of the {len(models)} models is the baseline; give the one that the "
            f"others are compared with, such as baseline={next(iter(models))!r}"
        )
    dataset: dict[str, object] = {"path": FILE, "id": ROW, "target": target}
    dataset |= {} if unit is None else {"unit": unit}
    dataset |= columns.add_about({"weight": weight, "cluster": cluster}, segments)
    columns.add(ROW, range(columns.rows), ROW)
    written = {
        "version": 1,
        "report": {"title": "Model comparison"},
        "task": OF_ARRAYS.name,
        "datasets": {"data": dataset},
        "models": models,
        "metrics": list(metrics),
        "primary": _primary(metrics, margin),
        "outputs": ["html"],
    }
    with TemporaryDirectory() as folder, Secrets({FILE: CALLED}).kept():
        columns.write(Path(folder, FILE))
        own = Given(written, Path(folder))
        report = made(Given(config or {}, Path(), own), threads=threads, use_cache=use_cache)
    if out is not None:
        report.save(out)
    return report


@dataclass
class _Columns:
    """The columns of the table that is written, and what each is called where it is at fault."""

    values: dict[str, Column] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows the first column has."""
        return len(next(iter(self.values.values())))

    def add(self, name: str, values: Column, column: str) -> str:
        """Take a column in under its own name, which no other may have."""
        if column in self.names:
            raise UsageError(
                f"{name} and {self.names[column]} would both be the column {column!r}; rename one"
            )
        self.values[column], self.names[column] = values, name
        return column

    def add_model(self, name: str, values: Any) -> dict[str, object]:
        """Take a model's column in, or its several, and write what the config says of it."""
        where = f"scores[{name!r}]"
        if not (isinstance(values, Mapping) or getattr(values, "ndim", 1) == 2):
            return {"column": self.add(where, values, name)}
        parts = frame_columns(values, where)
        return {
            "columns": {
                part: self.add(f"{where}[{part!r}]", each, f"{name} {part}")
                for part, each in parts.items()
            }
        }

    def add_about(self, single: Mapping[str, Column], segments: Any) -> dict[str, object]:
        """Take in what else is known of the rows, and write what the config says of it."""
        slices = {} if segments is None else frame_columns(segments, "segments")
        names = [self.add(f"segments[{name!r}]", each, name) for name, each in slices.items()]
        given = {key: values for key, values in single.items() if values is not None}
        return {"segments": names, **{key: self.add(key, each, key) for key, each in given.items()}}

    def write(self, path: Path) -> None:
        """Write the table."""
        write_columns(self.values, path, self.names)


def _known(baseline: str, models: Mapping[str, dict[str, object]]) -> dict[str, object]:
    if baseline not in models:
        raise UsageError(
            f"baseline: no model is called {baseline!r}; {did_you_mean(baseline, models)}"
        )
    return models[baseline]


def _primary(
    metrics: Sequence[str | Mapping[str, object]], margin: float | str | None
) -> dict[str, object]:
    """What decides: the first metric, by its label if it has one."""
    if not metrics:
        raise UsageError("metrics is empty; name at least one, such as 'mae'")
    first = metrics[0]
    key = first if isinstance(first, str) else first.get("as", first.get("name"))
    return {"metric": key} if margin is None else {"metric": key, "margin": margin}

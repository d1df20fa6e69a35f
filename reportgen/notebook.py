"""Run a report from a notebook: `compare` arrays, `run` a config, show a `Report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from reportgen import progress
from reportgen.config import ConfigMapping, Secrets
from reportgen.data.arrays import list_frame_columns, write_columns
from reportgen.errors import OutputError, UsageError, did_you_mean, require_docstrings
from reportgen.metrics.tasks import ARRAY_TASKS
from reportgen.pipeline import LaidOutRun, Options, Outcome, get_headline, lay_out_run, render_run
from reportgen.progress import SilentProgress
from reportgen.report import publish
from reportgen.report.render.html import render_page
from reportgen.report.sections import build_first_page
from reportgen.results import Results

if TYPE_CHECKING:
    import pandas as pd


class Report:
    """Report of a config: the results, their tables, and outputs that are made when asked for.

    Shown in a notebook it is page one of the report.
    """

    def __init__(self, found: LaidOutRun) -> None:
        self._found = found

    @property
    def results(self) -> Results:
        """Everything that was computed, as results.json has it."""
        return self._found.results

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        return get_headline(self._found.document)

    @property
    def estimates(self) -> pd.DataFrame:
        """One row per dataset, segment, model and metric, as in results.json."""
        return _frame(self.results.estimates)

    @property
    def comparisons(self) -> pd.DataFrame:
        """One row per comparison of a candidate with a baseline, as in results.json."""
        return _frame(self.results.comparisons)

    @property
    def gates(self) -> pd.DataFrame:
        """One row per gate."""
        return _frame(self.results.gates)

    @property
    def warnings(self) -> pd.DataFrame:
        """One row per warning."""
        return _frame(self.results.warnings)

    @property
    def files(self) -> Mapping[str, bytes]:
        """Every output that the config names, and results.json, as bytes under its file name.

        They are drawn once, when they are first asked for.
        """
        return self._drawn.files

    def save(self, folder: str | Path) -> Path:
        """Write every output into the folder, as the command line does.

        An OutputError says which outputs could not be made; the others are written all the same.
        """
        publish.check_folder(Path(folder))
        publish.publish_files(self.files, Path(folder))
        if self._drawn.failures:
            raise OutputError(*self._drawn.failures)
        return Path(folder)

    @cached_property
    def _drawn(self) -> Outcome:
        return render_run(self._found, SilentProgress())

    def __repr__(self) -> str:
        return f"<Report: {self.headline}>"

    def _repr_html_(self) -> str:
        """Page one, in a frame of its own so that neither page restyles the other."""
        first = render_page(build_first_page(self.results), self._found.look)
        return (
            f'<iframe title="{escape(self.headline)}" srcdoc="{escape(first)}" '
            'style="width:100%;height:700px;border:1px solid #ddd" sandbox></iframe>'
        )


def run(
    config: str | Path | Mapping[str, object],
    *,
    folder: str | Path = ".",
    out: str | Path | None = None,
    overrides: Sequence[str] = (),
    threads: int | None = None,
    template_dir: str | Path | None = None,
    allow_plugins: bool = False,
    use_cache: bool = True,
) -> Report:
    """Make the report that a YAML file, or a map of the same keys, describes.

    Paths in a map begin at `folder`. With `out` every output is also written there.
    What is wrong is raised: ConfigError, DataError or OutputError, each with its lines.
    """
    report = make_report(
        ConfigMapping(config, Path(folder)) if isinstance(config, Mapping) else Path(config),
        overrides=tuple(overrides),
        threads=threads,
        template_dir=None if template_dir is None else Path(template_dir),
        allow_plugins=allow_plugins,
        use_cache=use_cache,
        folder=None if out is None else Path(out),
    )
    if out is not None:
        report.save(out)
    return report


def make_report(
    config: Path | ConfigMapping, *, threads: int | None = None, **options: Any
) -> Report:
    """Make a report with the `Options` of the pipeline, on all processors unless set otherwise."""
    require_docstrings()
    threads = threads or progress.count_processors()
    return Report(lay_out_run(config, Options(threads=threads, **options), SilentProgress()))


def _frame(items: Sequence[object]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([asdict(item) for item in items])  # type: ignore[call-overload]


FILE = "in-memory.feather"
CALLED = "the given arrays"  # as messages call that file, which nobody wrote
METRICS = tuple(ARRAY_TASKS.first.metrics)
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
    given = list_frame_columns(scores, "scores")
    metrics = [metrics] if isinstance(metrics, str) else metrics
    models = {name: columns.add_model(name, values) for name, values in given.items()}
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
    written = {
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
        own = ConfigMapping(written, Path(folder))
        report = make_report(
            ConfigMapping(config or {}, Path(), own), threads=threads, use_cache=use_cache
        )
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
        """The number of rows of the first column."""
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
        parts = list_frame_columns(values, where)
        return {
            "columns": {
                part: self.add(f"{where}[{part!r}]", each, f"{name} {part}")
                for part, each in parts.items()
            }
        }

    def add_about(self, single: Mapping[str, Column], segments: Any) -> dict[str, object]:
        """Take in what else is known of the rows, and write what the config says of it."""
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

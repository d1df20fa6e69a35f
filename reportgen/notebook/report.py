"""The result of a run: data frames, files, and page one in a notebook cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cached_property, wraps
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from reportgen import progress
from reportgen.config.sources import ConfigMapping
from reportgen.errors import OutputError, ReportgenError, require_docstrings
from reportgen.governance.outputs import Outcome, render_outputs
from reportgen.governance.study import Options
from reportgen.pipeline import FinishedRun, finish_run
from reportgen.progress import SILENT
from reportgen.report import publish
from reportgen.results import Results
from reportgen.results.core import Comparison, Estimate, GateResult, Warning
from reportgen.terms import FILES

if TYPE_CHECKING:
    import pandas as pd


Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


def raise_in_one_line(function: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
    """Wrap a function so that an error which a user can act on shows no frame of this package."""

    @wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Made:
        try:
            return function(*args, **kwargs)
        except ReportgenError as error:
            raise error.with_traceback(None) from None

    return call


class Report:
    """Result of a run: its numbers, their tables, and outputs that are rendered when first used.

    The last line of a notebook cell, it is shown as page one of the report. `run` and `compare`
    return one; none is built by hand.

    Attributes
    ----------
    results : Results
        Everything that was computed, with the fields of results.json.
    answer : str
        The answer in one sentence.
    estimates : pandas.DataFrame
        One row per dataset, segment, model and metric: value and interval, in the metric's unit.
    comparisons : pandas.DataFrame
        One row per comparison of a candidate with a baseline: difference, interval, p-value.
    gates : pandas.DataFrame
        One row per gate of the config, with its status.
    warnings : pandas.DataFrame
        One row per warning, with its code.
    files : mapping of str to bytes
        Every output that the config names, and results.json, by file name.

    Examples
    --------
    >>> from reportgen import compare
    >>> report = compare([3, 1, 2, 5], {"old": [2, 1, 3, 4], "new": [3, 1, 2, 4]},
    ...                  baseline="old", metrics=["mae"], use_cache=False)
    >>> report.estimates.model.tolist(), "report.html" in report.files
    (['old', 'new'], True)

    """

    def __init__(self, run: FinishedRun) -> None:
        self._run = run

    @property
    def results(self) -> Results:
        """Everything that was computed, with the fields of results.json."""
        return self._run.results

    @property
    def answer(self) -> str:
        """The answer in one sentence."""
        return self._run.document.headline

    @property
    def estimates(self) -> pd.DataFrame:
        """One row per dataset, segment, model and metric, as in results.json."""
        return _build_frame(Estimate, self.results.estimates)

    @property
    def comparisons(self) -> pd.DataFrame:
        """One row per comparison of a candidate with a baseline, as in results.json."""
        return _build_frame(Comparison, self.results.comparisons)

    @property
    def gates(self) -> pd.DataFrame:
        """One row per gate."""
        return _build_frame(GateResult, self.results.gates)

    @property
    def warnings(self) -> pd.DataFrame:
        """One row per warning."""
        return _build_frame(Warning, self.results.warnings)

    @property
    def files(self) -> Mapping[str, bytes]:
        """Every output that the config names, and results.json, as bytes under its file name.

        They are rendered once, when first used.
        """
        return self._outcome.files

    def save(self, folder: str | Path) -> Path:
        """Write every output into a folder, as the command line does.

        Parameters
        ----------
        folder : str or Path
            Where the files are written; made if it is not there.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        OutputError
            Some outputs could not be made, a line each; the others are written all the same.

        """
        publish.check_folder(Path(folder))
        publish.publish_files(self.files, Path(folder))
        if self._outcome.failures:
            raise OutputError(*self._outcome.failures)
        return Path(folder)

    def to_html(self, path: str | Path) -> Path:
        """Write the page as one HTML file.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        OutputError
            The page could not be made.

        """
        return self._write("html", path)

    def to_pdf(self, path: str | Path) -> Path:
        """Write the report as a PDF; the arguments and errors are those of `to_html`."""
        return self._write("pdf", path)

    def open(self) -> Path:
        """Open the page in a browser, from a folder for temporary files; return its path."""
        import webbrowser

        page = self.to_html(Path(mkdtemp(prefix="reportgen-"), FILES["html"]))
        webbrowser.open(page.as_uri())
        return page

    def show(self) -> None:
        """Show page one: as a cell of a notebook, or as text elsewhere."""
        from reportgen.notebook import cell

        cell.show(self)

    def _write(self, output: str, path: str | Path) -> Path:
        made = self._render((output,))
        if made.failures:
            raise OutputError(*made.failures)
        Path(path).write_bytes(made.files[FILES[output]])
        return Path(path)

    def _render(self, outputs: Sequence[str]) -> Outcome:
        run = self._run
        return render_outputs(run.results, run.document, outputs, run.theme, SILENT)

    @cached_property
    def _outcome(self) -> Outcome:
        return self._render(self._run.outputs)

    def _list_notes(self) -> Sequence[str]:
        """List what was inferred from the arguments."""
        return ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.answer}>"

    def __str__(self) -> str:
        from reportgen.notebook import cell

        return cell.format_text(self.results, self._list_notes())

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Return page one as a notebook shows it, for readers with and without HTML."""
        from reportgen.notebook import cell

        return cell.build_cell(self.results, self._run.theme, self._list_notes())


@raise_in_one_line
def run(  # noqa: PLR0913
    config: str | Path | Mapping[str, object],
    *,
    folder: str | Path = ".",
    out: str | Path | None = None,
    overrides: Sequence[str] = (),
    threads: int | None = None,
    template_dir: str | Path | None = None,
    allow_plugins: bool = False,
    allow_remote: bool = False,
    use_cache: bool = True,
) -> Report:
    r"""Make the report that a YAML file, or a map of the same keys, describes.

    Parameters
    ----------
    config : str, Path or mapping
        The YAML file, or its keys and values.
    folder : str or Path
        Where relative paths of a map begin; those of a file begin at its own folder.
    out : str or Path, optional
        A folder that every output is written into; by default none is written.
    overrides : sequence of str
        Values that replace those of the config, such as ``"bootstrap.seed=7"``.
    threads : int, optional
        How many threads compute; by default one per processor.
    template_dir : str or Path, optional
        A folder of templates that replace those of the package.
    allow_plugins : bool
        Whether Python files under ``plugins:`` may run.
    allow_remote : bool
        Whether to connect to the databases, buckets and Dask scheduler that the config names.
        A scheduler can run code here.
    use_cache : bool
        Whether resamples of earlier runs are read and kept.

    Returns
    -------
    Report
        The results; its outputs are rendered when first used.

    Raises
    ------
    ConfigError
        The config is wrong: every problem with its place.
    DataError
        A data file is wrong.
    OutputError
        An output could not be written into `out`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> config = {
    ...     "version": 1,
    ...     "report": {"title": "Two models"},
    ...     "task": "regression",
    ...     "datasets": {"test": {"path": "rows.csv", "target": "y"}},
    ...     "models": {"old": {"column": "old", "role": "baseline"}, "new": {"column": "new"}},
    ...     "metrics": ["mae"],
    ... }
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "rows.csv").write_text("y,old,new\n3,2,3\n1,1,1\n2,3,2\n5,4,4\n")
    ...     report = run(config, folder=folder, use_cache=False)
    >>> report.estimates.value.tolist()
    [0.75, 0.25]

    """
    made = run_pipeline(
        ConfigMapping(config, Path(folder)) if isinstance(config, Mapping) else Path(config),
        overrides=tuple(overrides),
        threads=threads,
        template_dir=None if template_dir is None else Path(template_dir),
        allow_plugins=allow_plugins,
        allow_remote=allow_remote,
        use_cache=use_cache,
        folder=None if out is None else Path(out),
    )
    report = Report(made)
    if out is not None:
        report.save(out)
    return report


def run_pipeline(
    config: Path | ConfigMapping, *, threads: int | None = None, **options: Any
) -> FinishedRun:
    """Run a config with the `Options` of the pipeline, on all processors unless set otherwise."""
    require_docstrings()
    choices = Options(threads=progress.choose_threads(threads), **options)
    return finish_run(config, choices, SILENT)


def _build_frame(kind: type, items: Sequence[object]) -> pd.DataFrame:
    """Build a frame with a row for each item, whose columns are there if there is none."""
    import pandas as pd

    names = [each.name for each in fields(kind)]
    return pd.DataFrame([asdict(item) for item in items], columns=names)  # type: ignore[call-overload]

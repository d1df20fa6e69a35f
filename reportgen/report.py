"""The notebook's way in: a report as an object, with tables and page one as its view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen import output, processors
from reportgen.config import Given
from reportgen.errors import OutputError, require_docstrings
from reportgen.pipeline import Found, Options, Outcome, drawn, found_of, headline
from reportgen.progress import Silent
from reportgen.render.html import page
from reportgen.results import Results
from reportgen.sections import page_one

if TYPE_CHECKING:
    import pandas as pd


class Report:
    """What a config led to: the results, their tables, and outputs that are made when asked for.

    Shown in a notebook it is page one of the report.
    """

    def __init__(self, found: Found) -> None:
        self._found = found

    @property
    def results(self) -> Results:
        """Everything that was computed, as results.json has it."""
        return self._found.results

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        return headline(self._found.document)

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
        output.check(Path(folder))
        output.write(self.files, Path(folder))
        if self._drawn.failures:
            raise OutputError(*self._drawn.failures)
        return Path(folder)

    @cached_property
    def _drawn(self) -> Outcome:
        return drawn(self._found, Silent())

    def __repr__(self) -> str:
        return f"<Report: {self.headline}>"

    def _repr_html_(self) -> str:
        """Page one, in a frame of its own so that neither page restyles the other."""
        first = page(page_one(self.results), self._found.look)
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
    report = made(
        Given(config, Path(folder)) if isinstance(config, Mapping) else Path(config),
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


def made(config: Path | Given, *, threads: int | None = None, **options: Any) -> Report:
    """A report with the `Options` of the pipeline, on all processors unless said otherwise."""
    require_docstrings()
    threads = threads or processors.available()
    return Report(found_of(config, Options(threads=threads, **options), Silent()))


def _frame(items: Sequence[object]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([asdict(item) for item in items])  # type: ignore[call-overload]

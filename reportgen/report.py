"""The notebook's way in: a report as an object, with tables and an HTML view."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen import output
from reportgen.errors import require_docstrings
from reportgen.pipeline import Options, outcome_of
from reportgen.progress import Silent
from reportgen.results import Results

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Report:
    """What a config led to: the results, and every output as bytes under its file name."""

    results: Results
    files: dict[str, bytes]
    headline: str

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

    def save(self, folder: str | Path) -> Path:
        """Write every output into the folder, as the command line does."""
        output.check(Path(folder))
        output.write(self.files, Path(folder))
        return Path(folder)

    def _repr_html_(self) -> str:
        page = self.files.get("report.html", b"").decode()
        return (
            f'<iframe title="{escape(self.headline)}" srcdoc="{escape(page)}" '
            'style="width:100%;height:700px;border:1px solid #ddd" sandbox></iframe>'
        )


def run(
    config: str | Path,
    *,
    out: str | Path | None = None,
    overrides: Sequence[str] = (),
    threads: int | None = None,
    template_dir: str | Path | None = None,
    allow_plugins: bool = False,
    use_cache: bool = True,
) -> Report:
    """Make the report that a YAML file describes; with `out` also write it there.

    What is wrong is raised: ConfigError, DataError or OutputError, each with its lines.
    """
    require_docstrings()
    options = Options(
        overrides=tuple(overrides),
        threads=threads or len(os.sched_getaffinity(0)),
        template_dir=None if template_dir is None else Path(template_dir),
        allow_plugins=allow_plugins,
        use_cache=use_cache,
        folder=None if out is None else Path(out),
    )
    outcome = outcome_of(Path(config), options, Silent())
    report = Report(outcome.results, dict(outcome.files), outcome.headline)
    if out is not None:
        report.save(out)
    return report


def _frame(items: Sequence[object]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame([asdict(item) for item in items])  # type: ignore[call-overload]

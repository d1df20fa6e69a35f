"""The way in from a notebook: `compare` arrays, `run` a config, look at the `Report`."""

from reportgen.notebook.comparison import compare
from reportgen.notebook.report import Report, run

__all__ = ["Report", "compare", "run"]

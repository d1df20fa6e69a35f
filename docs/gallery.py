"""The gallery: finished reports of the configs, run as they are, with page one as a picture."""

from __future__ import annotations

import io
import shutil
from collections.abc import Mapping
from contextlib import chdir, redirect_stdout
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from reportgen.cli.commands import cli
from reportgen.report.archive import load_results
from reportgen.report.layout import build_document
from reportgen.report.render.figures import PIXELS_OF_A_PAGE
from reportgen.report.render.pdf import draw_page_one
from reportgen.report.render.theme import Theme
from reportgen.terms import PAGE_ONE

HERE = Path(__file__).parent
ROOT = HERE.parent
SITE = HERE / "reference" / "site" / "reports"
"""What the site holds beside its pages."""
SHOWN: Mapping[str, str] = {
    "wallet": "A ranking of customers by what they will spend",
    "wallet-costs": "What errors cost, at several ratios",
    "churn": "Two classes, a call list and its thresholds",
    "digits": "Ten classes",
    "movies": "Several labels a row",
    "see-also": "A ranking of documents by query",
    "folds": "Cross-validation",
    "retrain/fresh-rows": "A retrained model, held to what was decided before",
    "evals": "Answers of language models to questions, each asked several times",
}
"""The configs, and what each shows."""
AFTER = {"retrain/fresh-rows": "retrain/first"}
"""The config whose report is the earlier one of another."""
CARD = """\
<figure>
<a href="../reports/{name}/report.html"><img src="../reports/{name}/page-1.png" alt="Page one: \
{answer}" width="1191" height="1684" loading="lazy"></a>
<figcaption>{shows}:
<a href="../reports/{name}/report.html">HTML</a>, <a href="../reports/{name}/report.pdf">PDF</a>,
<code>configs/{config}.yaml</code></figcaption>
</figure>
"""
STYLE = """\
<style>
.reports {display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1.5rem}
.reports figure {margin: 0}
.reports img {width: 100%; height: auto; border: 1px solid #8888}
.reports figcaption {font-size: .9em; text-align: left}
</style>
"""
INTRODUCTION = """\
# Gallery

Each report is made by this build from a config in `configs/`, as it stands there: `reportgen run \
configs/churn.yaml`. [Reading a report](../reading-a-report.md) says how to read them.
"""


def pages() -> dict[str, str]:
    """Run the reports; the page that shows them, by its path in the folder of made pages."""
    cards = "".join(map(make_card, SHOWN))
    page = f'{INTRODUCTION}\n```{{raw}} html\n{STYLE}<div class="reports">\n{cards}</div>\n```\n'
    return {"gallery.md": page}


def make_card(config: str) -> str:
    """Run a config, put its report into the site; the part of the page that shows it."""
    name = config.replace("/", "-")
    shown = SITE / name
    shown.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        earlier, made = Path(folder) / "earlier", Path(folder) / "made"
        own = []
        if before := AFTER.get(config):
            run(before, earlier, "outputs=[json]")
            own = [f"previous.path={earlier}"]
        run(config, made, "outputs=[html, pdf]", *own)
        for file in ("report.html", "report.pdf"):
            shutil.copy(made / file, shown)
        results = load_results(made / "results.json")
    document, length = build_document(results), results.report.length
    (shown / PAGE_ONE).write_bytes(draw_page_one(document, length, Theme(), PIXELS_OF_A_PAGE))
    answer = results.conclusion.answer if results.conclusion else results.report.title
    return CARD.format(name=name, config=config, shows=SHOWN[config], answer=escape(answer))


def run(config: str, folder: Path, *choices: str) -> None:
    """Run a config with keys set otherwise, by the command line in this process."""
    arguments = ["run", f"configs/{config}.yaml", "--quiet", "--out", str(folder)]
    arguments += (part for each in choices for part in ("--set", each))
    with chdir(ROOT), redirect_stdout(io.StringIO()):
        code = cli.main(arguments, prog_name="reportgen", standalone_mode=False)
    if code not in (0, 1):  # 1: a requirement is not met, which a report shows
        raise RuntimeError(
            f"reportgen {' '.join(arguments)} ended with exit code {code}, not 0 or 1"
        )

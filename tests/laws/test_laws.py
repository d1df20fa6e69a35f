"""No page contradicts itself: the laws, over all worked reports and 2,000 random results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest

from reportgen.governance.decision import ResolvedGate, judge_gates
from reportgen.report.conclusion import conclude
from reportgen.report.document import Block, Document, Figure, Fold, Text, make_phrase
from reportgen.report.layout import build_document, build_first_page
from reportgen.report.render import html, junit, markdown, pdf
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.results.references import ReferenceDifference, ReferenceValue
from reportgen.terms import Margin
from tests.laws import random_results
from tests.laws.laws import LAWS, Report
from tests.laws.printed import STATUSES, WORDS, read_html, read_pdf
from tests.report.conclusion import numbers_in
from tests.worked import CONFIGS, results_of


def render(results: Results) -> str:
    """The page as it is written, but for its figures, of which it says what it says in words."""
    return html.render_page(_leave_out_figures(build_document(results)), Theme())


def read(results: Results, page: str, *, with_pdf: bool = False) -> Report:
    """Read the outputs of a report, one of which is its page."""
    document = build_document(results)
    return Report(
        results,
        read_html(page),
        markdown.render(document, results).decode(),
        junit.render(document, results).decode(),
        read_pdf(pdf.render(build_first_page(results), results)) if with_pdf else "",
    )


def _leave_out_figures(document: Document) -> Document:
    sections = tuple(
        replace(section, blocks=tuple(_iter_words(section.blocks))) for section in document.sections
    )
    return replace(document, sections=sections)


def _iter_words(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Figure):
            yield Text(make_phrase(f"{block.title}. {block.caption}"))
            yield from [block.table] if block.table is not None else []
        elif isinstance(block, Fold):
            yield replace(block, blocks=tuple(_iter_words(block.blocks)))
        else:
            yield block


@cache
def worked(name: str) -> Results:
    """The results of a worked config, with what page one says of them now."""
    results = results_of(name)
    return replace(results, conclusion=conclude(results))


def list_contradictions(report: Report, law: str = "") -> list[str]:
    """What breaks a law, or any of them."""
    return [
        f"{name}: {said}"
        for name, check in LAWS.items()
        if law in ("", name)
        for said in check(report)
    ]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", CONFIGS)
def test_worked_reports_keep_the_laws(name: str, law: str) -> None:
    """Every page that is shown to readers."""
    found = list_contradictions(_read_worked(name), law)
    assert found == []


@cache
def _read_worked(name: str) -> Report:
    return read(worked(name), render(worked(name)))


@pytest.mark.full
@pytest.mark.parametrize("name", CONFIGS)
def test_the_pdf_of_worked_reports_says_what_the_page_says(name: str) -> None:
    """Page one on paper has the verdicts, numbers and statuses of the HTML page."""
    law = "one verdict and one interval"
    report = read(worked(name), render(worked(name)), with_pdf=True)
    found = [said for said in list_contradictions(report, law) if "is not in the PDF" in said]
    assert found == []


@pytest.mark.parametrize("seed", range(random_results.COUNT))
def test_random_results_keep_the_laws(seed: int) -> None:
    """All laws of one result; the tier `ci` draws other results in each run."""
    results = random_results.make(seed)
    assert list_contradictions(read(results, render(results))) == []


@pytest.mark.full
@pytest.mark.parametrize("seed", range(16))
def test_the_pdf_of_random_results_says_what_the_page_says(seed: int) -> None:
    """Two results of each decision, on paper."""
    results = random_results.make(seed)
    assert list_contradictions(read(results, render(results), with_pdf=True)) == []


@pytest.mark.full
def test_random_results_have_every_verdict_status_and_answer() -> None:
    """A law that is tried on nothing proves nothing."""
    counts = random_results.count_words(map(random_results.make, range(random_results.COUNT)))
    for kind, found in counts.items():
        print(f"{kind}: {dict(found.most_common())}")
    assert set(counts["verdict"]) == set(WORDS)
    assert set(counts["status"]) == set(STATUSES)
    for decision in ("replace", "choose", "shift", "meets"):
        assert set(counts[decision]) >= {"yes", "no", "cannot tell"}, decision
    for decision in ("replace", "choose", "rank", "enough", "meets", "data sets"):
        assert counts[decision]["no verdict"] > 0, decision
    assert min(counts["rank"]["yes"], counts["rank"]["cannot tell"]) > 0
    assert min(counts["enough"]["yes"], counts["enough"]["no"]) > 0
    assert min(counts["data sets"][answer] for answer in ("yes", "no", "cannot tell")) >= 10
    assert {"constant", "hold", "trade-off", "requirement open"} <= set(counts["reason"])


# contradictions put in on purpose


@cache
def make_small() -> Results:
    """One candidate to use, one that is open, and requirements met, open and not met."""
    compared = numbers_in.compared
    mae = replace(numbers_in.MAE, unit="1")
    boost = compared(numbers_in.TAU, 0.012, 0.024), compared(mae, -0.03, -0.01)
    rfm = compared(numbers_in.TAU, -0.004, 0.014, "rfm"), compared(mae, 0.01, 0.03, "rfm")
    metrics = numbers_in.TAU, mae
    made = numbers_in.results(*boost, *rfm, models=("boost", "rfm"), metrics=metrics)
    names = ("gains order", "boost", "better", 0.0), ("keeps order", "boost", "non_inferior", 0.01)
    names += ("gains a lot", "rfm", "better", 0.01), ("gains more", "rfm", "better", 0.02)
    gates = judge_gates(
        [
            ResolvedGate(
                name,
                rule,
                "holdout",
                None,
                "kendall",
                model,
                "clv",
                Margin(bound),
                "interval",
                "warn",
            )
            for name, model, rule, bound in names
        ],
        made,
    )
    report = replace(
        made.report, question=None, decision="choose", about=None, sections=("results",)
    )
    order = [("clv", 0.33), ("boost", 0.35), ("rfm", 0.335)]
    amounts = [("clv", -0.1), ("boost", -0.12), ("rfm", -0.08)]
    known = without("kendall", "chance", "higher", 0.0, order)
    known += without("mae", "median", "lower", 0.6, amounts)
    return random_results.finish(replace(made, report=report, gates=gates, references=known))


def without(
    key: str, kind: str, better: str, value: float, leads: list[tuple[str, float]]
) -> tuple[ReferenceValue, ...]:
    """What takes no model, from which all models are told apart."""
    differences = tuple(ReferenceDifference(m, d, d - 0.01, d + 0.01, "t") for m, d in leads)
    made = ReferenceValue(
        "holdout", key, kind, "", None, "rows", better, value, None, None, 0.95, {}, differences
    )
    return (made,)


def swap(old: str, new: str) -> Callable[[str], str]:
    """Put new words in the place of the first that match."""
    return lambda page: re.sub(old, new, page, count=1, flags=re.DOTALL)


FOREST = r"(forest-name.>Gradient boosting<.*?)"
CHANGES = r"(id=.consequences.*?tbody.*?)"
STATUS = r"(id=.requirements.*?tbody.*?)"
DAMAGES = {
    "an interval of the figure": (
        swap(FOREST + r"(<small>.)\+0\.012 to", r"\1\2+0.002 to"),
        {"one verdict and one interval", "the verdict follows from the interval"},
    ),
    "a verdict of the figure": (
        swap(FOREST + "Clearly better</span>", r"\1Worse</span>"),
        {
            "one verdict and one interval",
            "the verdict follows from the interval",
            "the answer follows from the verdicts",
        },
    ),
    "a verdict of what else changes": (
        swap(CHANGES + ">Better<", r"\1>Worse<"),
        {
            "one verdict and one interval",
            "the verdict follows from the interval",
            "points agree with rows",
        },
    ),
    "a verdict of the results": (
        swap(r"(id=.results-heading.*?)Clearly better<", r"\1Worse<"),
        {"one verdict and one interval"},
    ),
    "a loss that no drawback tells": (
        swap(r"(id=.results-heading.*?Mean absolute error.*?)(?:Clearly b|B)etter<", r"\1Worse<"),
        {
            "one verdict and one interval",
            "the answer follows from the verdicts",
            "points agree with rows",
        },
    ),
    "a status": (
        swap(STATUS + "((?:Gradient boosting).*?)>Met<", r"\1\2>Not met<"),
        {
            "one verdict and one interval",
            "the answer follows from the verdicts",
            "counts are counts of rows",
            "what fails is not used, what is stopped not judged",
        },
    ),
    "the answer": (
        swap("Use Gradient boosting: it is", "Keep CLV: RFM is"),
        {"the answer follows from the verdicts"},
    ),
    "no verdict": (
        swap("Use Gradient boosting: it is clearly better", "No verdict: it is better"),
        {"what fails is not used, what is stopped not judged"},
    ),
    "a count": (swap("and 2 met", "and 3 met"), {"counts are counts of rows"}),
    "advice in a section": (
        swap(r"(<h2 id=.results-heading.*?</h2>)", r"\1<p>Errors cost more: use RFM.</p>"),
        {"advice stands in the answer alone"},
    ),
    "another cheapest model": (
        swap(r"(<h2 id=.results-heading.*?</h2>)", r"\1<p>The cheapest is RFM.</p>"),
        {"the best elsewhere is said where"},
    ),
    "a gain that is a loss": (
        swap("off by 0.480 on average, against 0.500 for CLV", "worse than those of CLV"),
        {"points agree with rows"},
    ),
    "a gain among the drawbacks": (
        swap("<strong>Gain<", "<strong>Drawback<"),
        {"points agree with rows"},
    ),
    "a value without a model": (
        swap(CHANGES + r">0\.600", r"\1>0.500"),
        {"one verdict and one interval", "what takes no model stands beside what is green"},
    ),
    "a difference": (
        swap(CHANGES + r">−0\.020", r"\1>−0.035"),
        {"one verdict and one interval", "differences are differences"},
    ),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_a_contradiction_put_in_on_purpose_breaks_its_laws(what: str) -> None:
    """The laws find what they are there to find, and nothing in the page as it is."""
    results = make_small()
    page = html.render(build_document(results), results).decode()
    change, broken = DAMAGES[what]
    damaged = change(page)
    assert damaged != page
    assert list_contradictions(read(results, page)) == []
    report = read(results, damaged)
    assert {law for law in LAWS if list_contradictions(report, law)} == broken


def test_the_lowest_cost_on_the_wrong_row_is_found() -> None:
    """A label that moves to another row of its table."""
    page = html.render_page(build_first_page(worked("churn")), Theme())
    marks = "lowest cost of 5</small>", "the first declared</small>"
    damaged = page.replace(marks[0], "</small>", 1).replace(marks[1], marks[0], 1)
    assert all(mark in page for mark in marks)
    law = "extremes are extremes"
    assert list_contradictions(Report(worked("churn"), read_html(page)), law) == []
    assert list_contradictions(Report(worked("churn"), read_html(damaged)), law) != []


OTHERS = {
    "markdown": ("Clearly better", "Better"),
    "junit": ("+0.012 to", "+0.002 to"),
    "pdf": ("Clearly better", "Better"),
}


@pytest.mark.parametrize("output", OTHERS)
def test_another_output_that_says_something_else_is_found(output: str) -> None:
    """Markdown, JUnit and the PDF are held to the page."""
    results = make_small()
    report = read(results, render(results), with_pdf=output == "pdf")
    law = "one verdict and one interval"
    said = getattr(report, output)
    damaged = replace(report, **{output: said.replace(*OTHERS[output])})
    assert said != getattr(damaged, output)
    assert list_contradictions(report, law) == []
    assert list_contradictions(damaged, law) != []

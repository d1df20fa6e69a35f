"""Numbers of the worked reports subtract in print, show their digits, and read alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from reportgen.report.conclusion import conclude
from reportgen.report.document import Cell, Forest, Table, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.sections.curves.drawing import build_points_table
from reportgen.results import Results
from reportgen.results.references import ReferenceDifference, ReferenceValue
from reportgen.results.sensitivity import Sensitivity
from tests.report.conclusion.numbers_in import MAE, compared, results
from tests.report.sections import results_factory as made
from tests.worked import CONFIGS, results_of

NUMBER = re.compile(r"[−+]?[$€]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
COUNTED = re.compile(
    r"p$|Sign test|Found|False positives|Flagged|Missed|True positives|Predicted|Won|Place \d"
)


def iter_tables(found: str | Results) -> Iterator[tuple[str, Table]]:
    """Yield every table of a worked report with the id of its section, folded ones included."""
    found = results_of(found) if isinstance(found, str) else found
    for section in build_document(found).sections:
        for block in iter_unfolded(section.blocks):
            if isinstance(block, Table):
                yield section.id, block


def read_number(text: str) -> tuple[float, int] | None:
    """Read the first number of a text and count its decimals."""
    found = NUMBER.search(text)
    if found is None:
        return None
    plain = re.sub(r"[,$€+]", "", found.group().replace("−", "-"))
    return float(plain), len(plain.partition(".")[2])


def iter_pairs(name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name of each printed difference, both values and the difference."""
    results = results_of(name)
    baseline = next((m.label for m in results.models if m.role == "baseline"), None)
    nearest = {m.label for m in results.metrics if m.better in ("zero", "one")}
    for section, table in iter_tables(name):
        titles = [column.title for column in table.columns]
        models = [k for k, title in enumerate(titles) if title in {m.label for m in results.models}]
        for row in table.rows:
            where = f"{section}: {row[0].text}"
            if row[0].text in nearest:
                continue  # a difference in size: the values' own sizes subtract
            if "Difference" in titles and len(models) == 2:
                base, other = (row[k].text for k in models)
                yield where, base, other, row[titles.index("Difference")].text
            for k, title in enumerate(titles):
                candidate = title.removesuffix(" is")
                if title.endswith(" is") and candidate in titles and baseline in titles:
                    ends = (row[titles.index(model)].text for model in (baseline, candidate))
                    yield where, *ends, row[k].note


@pytest.mark.parametrize("name", CONFIGS)
def test_printed_values_subtract_to_their_printed_difference(name):
    found = 0
    for where, *texts in iter_pairs(name):
        numbers = [read_number(text) for text in texts]
        if None in numbers:
            continue
        (base, a), (other, b), (difference, decimals) = numbers  # type: ignore[misc]
        assert abs(other - base - difference) <= 10.0**-decimals + 1e-9, (where, texts)
        assert a == b == decimals or not difference, (where, texts)
        found += 1
    assert found or name in ("auc-matrix",)


def is_exact(cell: Cell, printed: float) -> bool:
    """Tell whether a cell prints all digits of its number, a share in percent among them."""
    value = cell.value
    return isinstance(value, (int, float)) and any(
        abs(scale * abs(value) - abs(printed)) < 1e-9 for scale in (1, 100)
    )


@pytest.mark.parametrize("name", CONFIGS)
def test_no_value_shows_fewer_than_two_significant_digits(name):
    found = 0
    for section, table in iter_tables(name):
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=True):
                printed = read_number(cell.text)
                is_bound = cell.text.startswith(("under", "over", "<", ">"))
                if not column.is_numeric or printed is None or is_bound or cell.value is None:
                    continue
                if COUNTED.match(column.title) or column.title == "Difference":
                    continue
                if column.title == "Gap":  # a difference of groups: it is as fine as its limits
                    limits = NUMBER.finditer(cell.note)
                    decimals = {len(each.group().partition(".")[2]) for each in limits}
                    assert decimals and max(decimals) <= printed[1], (name, row[0].text, cell)
                    continue
                if cell.text[0] in "+−":
                    continue
                digits = re.sub(r"[^\d]", "", NUMBER.search(cell.text).group()).lstrip("0")
                shown = f"{name}, {section}, {row[0].text}, {column.title}: {cell.text}"
                assert len(digits) > 1 or is_exact(cell, printed[0]), shown
                found += 1
    assert found > 10


@pytest.mark.parametrize("name", CONFIGS)
def test_a_value_on_page_one_reads_as_in_the_table_of_every_metric(name):
    results = results_of(name)
    labels = {m.label for m in results.models}
    inner: dict[tuple[str, float], str] = {}
    page: list[tuple[str, float, str]] = []
    for section, table in iter_tables(name):
        is_inner = table.title == "Every metric"
        if not is_inner and section != "decision":
            continue
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=True):
                found = NUMBER.search(cell.text)
                if column.title not in labels or found is None or cell.value is None:
                    continue
                text = found.group().replace("$", "")
                if is_inner:
                    inner[column.title, cell.value] = text
                else:
                    page.append((column.title, cell.value, text))
    known = [
        (model, inner[model, value], text) for model, value, text in page if (model, value) in inner
    ]
    # One pair needs fewer decimals than the row of all models in one report.
    off = [each for each in known if each[1] != each[2]]
    assert len(off) <= 2 * (name == "ranking-in-regression"), off


def make_reference(value: float, *, is_beaten: bool) -> ReferenceValue:
    """Make what takes no model, on mean absolute error."""
    ends = (-20.0, -10.0) if is_beaten else (-10.0, 20.0)
    differences = tuple(
        ReferenceDifference(model, sum(ends) / 2, *ends, "t") for model in ("boost", "clv")
    )
    where = ("holdout", "mae", "median", "", 29.69, "rows", "lower")
    return ReferenceValue(*where, value, None, None, 0.95, differences=differences)


@pytest.mark.parametrize("value", [5642.28, 48.67, 5.31])
def test_what_takes_no_model_reads_alike_everywhere_and_changes_no_other_number(value):
    """It rounded the values of models in one table, and was itself rounded in another."""
    mae = replace(MAE, is_primary=True, unit="EUR")
    known = results(compared(mae, -240.0, -60.0), metrics=(mae,), decision="choose")
    levels = {"boost": 5590.3, "clv": 5740.3}
    found = replace(
        known,
        estimates=tuple(replace(e, value=levels[e.model]) for e in known.estimates),
        sensitivity=Sensitivity(),
        references=(make_reference(value, is_beaten=False),),
    )
    own = {5642.28: "5,640", 48.67: "49", 5.31: "5.31"}[value]
    (sentence,) = conclude(found).drawback
    assert sentence.endswith(f"The values are 5,590 EUR and 5,740 EUR, against {own} EUR.")
    (forest,) = (
        block
        for section in build_document(found).sections
        for block in section.blocks
        if isinstance(block, Forest) and block.id == "candidates"
    )
    assert [row.amount for row in forest.rows] == ["5,590 EUR", "5,740 EUR", f"{own} EUR"]
    table = next(table for _, table in iter_tables(found) if table.title == "Every metric")
    assert [cell.text for cell in table.rows[0][1:4]] == ["5,740", "5,590", own]


def test_a_class_of_two_reads_as_the_metric_of_its_flagged_rows():
    """The positive class had decimals of its own."""
    known = results_of("churn")
    at = known.points[0].name
    recall = next(m for m in known.class_metrics if m.name == "recall")
    same = replace(recall, key="recall", params={"at": at})
    of = next(
        each
        for each in known.classes
        if (each.metric, each.value, each.point) == ("recall", "1", at)
    )
    values = tuple(
        replace(e, key="recall", low=e.value - 0.01, high=e.value + 0.01) for e in of.estimates
    )
    wide = replace(of, estimates=tuple(replace(e, low=0.5, high=0.9) for e in of.estimates))
    found = replace(
        known,
        metrics=(*known.metrics, same),
        estimates=(*known.estimates, *values),
        classes=tuple(wide if each is of else each for each in known.classes),
    )
    texts = {e.model: f"{100 * e.value:.1f}%" for e in values}
    labels = {m.label: texts[m.name] for m in found.models}
    tables = [table for _, table in iter_tables(found)]
    (every,) = (table for table in tables if table.title == "Every metric")
    (row,) = (row for row in every.rows if row[0].text == recall.label)
    titles = [column.title for column in every.columns]
    assert {label: row[titles.index(label)].text for label in labels} == labels
    (classes,) = (table for table in tables if table.id == "classes-1")
    place = [column.title for column in classes.columns].index("Recall")
    assert {row[1].text: row[place].text for row in classes.rows if row[0].text == "1"} == labels


def test_a_value_of_a_curve_is_as_precise_beside_its_band_as_beside_its_own_interval():
    """A heading said 144, and the table of the figure 140."""
    curve = replace(
        made.ranking("boost", (23.15, 143.8)),
        y_unit="$",
        low=(20.2, 116.4),
        high=(26.5, 176.1),
        band_low=(19.2, 106.3),
        band_high=(27.6, 193.6),
    )
    table = build_points_table((curve,), ("Boosting",), "id", ("x", "y"))
    assert [row[-1].text for row in table.rows] == ["23", "144"]

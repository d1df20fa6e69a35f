"""Numbers of the worked reports subtract in print, show their digits, and read alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from reportgen.report.document import Cell, Table, iter_unfolded
from reportgen.report.layout import build_document
from tests.worked import CONFIGS, results_of

NUMBER = re.compile(r"[−+]?[$€]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
COUNTED = re.compile(
    r"p$|Sign test|Found|False positives|Flagged|Missed|True positives|Predicted|Won|Place \d"
)


def iter_tables(name: str) -> Iterator[tuple[str, Table]]:
    """Yield every table of a worked report with the id of its section, folded ones included."""
    for section in build_document(results_of(name)).sections:
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

"""Tables of the PDF: wide ones in parts whose columns stand apart, the sign-off on one page."""

import io
from dataclasses import replace
from itertools import pairwise

import pypdf
import pytest

from reportgen.report.document import Cell, SignOff, Table, TableColumn
from reportgen.report.render import pdf
from tests.report.render import sample_document

APART = 40.0  # points, about 14 mm


def pages_of(*blocks):
    """The pages of a document whose second section has these blocks."""
    whole = sample_document.sample()
    made = replace(whole, sections=(whole.sections[0], replace(whole.sections[1], blocks=blocks)))
    made = pdf.render(made, sample_document.results())
    return pypdf.PdfReader(io.BytesIO(made)).pages


def places(pages, mark):
    """Where the texts that begin with a mark start, from the left: (text, x)."""
    found = []

    def seen(text, cm, tm, _font, _size):
        if text.strip().startswith(mark):
            found.append((text.strip(), cm[0] * tm[4] + cm[4]))

    for page in pages:
        page.extract_text(visitor_text=seen)
    return found


@pytest.mark.parametrize(("models", "parts"), [(7, [7]), (9, [4, 5]), (15, [5, 5, 5])])
def test_columns_of_a_wide_table_stand_apart_in_parts_of_one_size(models, parts):
    columns = tuple(TableColumn(f"§{k} model") for k in range(models))
    cells = tuple(Cell("▼▼ −12,345.6", "−23,456.7 to −1,234.5, not adjusted") for _ in columns)
    head = Cell("¶ Root mean squared error of large amounts", "USD, lower is better")
    table = Table(
        "wide", "Wide", (TableColumn("¶ Metric", is_numeric=False), *columns), ((head, *cells),)
    )
    pages = pages_of(table)
    starts = [x for _, x in places(pages, "§")]
    begun = iter(starts)
    for size in parts:
        row = [places(pages, "¶ Metric")[0][1], *(next(begun) for _ in range(size))]
        assert all(b - a > APART for a, b in pairwise(row)), row
    assert next(begun, None) is None


@pytest.mark.parametrize("lines", range(40, 56, 3))
def test_the_lines_to_sign_stand_on_one_page_whatever_is_above_them(lines):
    above = Table(
        "findings",
        "Findings",
        (TableColumn("Finding", is_numeric=False),),
        tuple((Cell(f"F-{k}"),) for k in range(lines)),
    )
    names = [f"Signer {k}" for k in range(6)]
    sign_off = SignOff(tuple((name, "Owner", "", "") for name in names))
    on = [[name in page.extract_text() for name in names] for page in pages_of(above, sign_off)]
    assert [all(page) for page in on if any(page)] == [True]


@pytest.mark.parametrize(("lines", "rows"), [(40, 6), (44, 9), (48, 12)])
def test_a_table_of_up_to_twelve_rows_stands_on_one_page(lines, rows):
    head = (TableColumn("Finding", is_numeric=False),)
    above = Table("above", "A", head, tuple((Cell(f"F-{k}"),) for k in range(lines)))
    table = Table("whole", "W", head, tuple((Cell(f"R-{k}."),) for k in range(rows)))
    on = [
        [f"R-{k}." in page.extract_text() for k in range(rows)] for page in pages_of(above, table)
    ]
    assert [all(page) for page in on if any(page)] == [True]


def test_an_interval_ends_in_no_other_line_where_its_column_has_room():
    columns = (TableColumn("Metric"), *(TableColumn(f"Model {k} is") for k in range(5)))
    note = "+0.073 (+0.034 to +0.112); method-sensitive"
    table = Table("t", "T", columns, ((Cell("AUC"), *(Cell("Better", note=note),) * 5),))
    text = "".join(page.extract_text() for page in pages_of(table)).replace("\u00a0", " ")
    assert text.count("(+0.034 to +0.112)") == 5


def test_long_texts_share_what_short_columns_leave_while_that_is_enough():
    heads = ("§ Metric", "§ Meaning", "§ Range", "§ Undefined", "§ Margin", "§ Source")
    row = (
        "Root mean squared error, $",
        "Root of the mean squared error, in the unit of y: a few large errors decide it.",
        "0 to no upper end",
        "where every y is equal, or every score",
        "0.01",
        "Willmott & Matsuura (2005), Advantages of the mean absolute error",
    )
    columns = tuple(TableColumn(head, is_numeric=False) for head in heads)
    starts = dict(places(pages_of(Table("t", "T", columns, (tuple(map(Cell, row)),))), "§"))
    at = [starts[head] for head in heads]
    wide = dict(zip(heads, (b - a for a, b in pairwise(at)), strict=False))
    assert wide["§ Meaning"] > 1.3 * wide["§ Range"] and wide["§ Meaning"] > 2 * wide["§ Margin"]

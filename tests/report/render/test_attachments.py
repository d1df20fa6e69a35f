"""What leaves the page: CSV of every figure and table, inside the PDF and linked in the page."""

import base64
import csv
import io
import random
import shutil
import subprocess
import zipfile
from dataclasses import replace

import pypdf
import pytest

from reportgen.config.yaml.tree import dump_yaml
from reportgen.governance.manifest import attach_results, list_attachments
from reportgen.report.document import Figure, Table, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.publish.files import is_own_name
from reportgen.report.render import html, outputs, pdf
from reportgen.report.render.outputs import MOST_BYTES, Attachment, select_attachments
from tests.report.render import sample_document
from tests.report.render.reading import Page
from tests.report.sections import results_factory as made


@pytest.fixture(scope="module")
def results():
    """Results that name the files of a report."""
    return replace(made.wallet(), files=("results.json", "report.html", "report.pdf"))


@pytest.fixture(scope="module")
def report(results):
    return build_document(results)


@pytest.fixture(scope="module")
def attached(report, results):
    return (*list_attachments(report, results), attach_results(results))


@pytest.fixture(scope="module")
def full(results):
    """Those results where the PDF carries every kind of file."""
    kinds = ("results", "config", "tables", "evidence")
    return replace(results, report=replace(results.report, attached=kinds))


@pytest.fixture(scope="module")
def paper(report, full, attached):
    return pdf.render(report, full, None, attached)


def blocks(report, kind):
    return [b for s in report.sections for b in iter_unfolded(s.blocks) if isinstance(b, kind)]


def rows(attached, name):
    [file] = [each for each in attached if each.name == f"{name}.csv"]
    return list(csv.DictReader(io.StringIO(file.content.decode())))


def test_every_figure_and_table_is_a_file_by_its_name(report, attached):
    ids = {block.id for block in (*blocks(report, Figure), *blocks(report, Table))}
    assert {file.block for file in attached if file.block} == ids
    assert all(is_own_name(file.path) for file in attached)
    assert len({file.name for file in attached}) == len(attached)


def test_a_curve_has_every_point_of_the_results(results, attached):
    curve = results.curves[0]
    [name] = [f.block for f in attached if f.block.startswith(f"{curve.curve}-curve")]
    found = [row for row in rows(attached, name) if row["series"] == "CLV"]
    assert [float(row["y"]) for row in found] == list(curve.y)
    assert [float(row["x"]) for row in found] == list(curve.x)


def test_all_comparisons_are_there_number_for_number(results, attached):
    found = rows(attached, "comparisons")
    assert [float(row["difference"]) for row in found] == [
        c.difference for c in results.comparisons
    ]


def test_a_table_holds_its_numbers_and_its_notes(attached):
    first = rows(attached, "scores-table")[0]
    assert first["Metric"] == "Kendall τ-b"
    assert float(first["Gradient boosting is"]) == pytest.approx(0.018, abs=1e-3)
    assert "to" in first["Gradient boosting is, note"]


def test_no_cell_is_a_formula():
    names = [
        file for file in list_attachments(sample_document.hostile(), sample_document.results())
    ]
    for file in names:
        if file.name.endswith(".csv"):
            for row in csv.reader(io.StringIO(file.content.decode())):
                for cell in row:
                    assert not cell.startswith(("=", "+", "@")), (file.name, cell)


def test_two_blocks_of_like_names_are_two_files():
    taken = {"tables/a-b.csv": None}
    assert outputs._find_free_path("A b", taken) == "tables/a-b-2.csv"
    assert is_own_name(outputs._find_free_path("客户", {})) and is_own_name(
        outputs._find_free_path("../" + "x" * 300, {})
    )


def test_the_pdf_gives_every_file_back_byte_for_byte(paper, attached):
    found = pypdf.PdfReader(io.BytesIO(paper)).attachments
    assert {name: data[0] for name, data in found.items()} == {
        file.name: file.content for file in attached
    }


@pytest.mark.skipif(shutil.which("pdfdetach") is None, reason="needs poppler's pdfdetach")
def test_another_reader_gets_the_same_files(tmp_path, paper, attached):
    (tmp_path / "report.pdf").write_bytes(paper)
    subprocess.run(["pdfdetach", "-saveall", "report.pdf"], cwd=tmp_path, check=True)
    for file in attached:
        assert (tmp_path / file.name).read_bytes() == file.content


def test_with_files_it_is_of_the_third_part_of_the_standard_and_without_of_the_second(
    report, results, attached, paper
):
    bare = replace(results, report=replace(results.report, attached=()))
    without = pdf.render(report, bare, None, attached)
    for made_of, part in ((paper, 3), (without, 2)):
        reader = pypdf.PdfReader(io.BytesIO(made_of))
        metadata = reader.trailer["/Root"]["/Metadata"].get_data().decode()
        assert f"<pdfaid:part>{part}<" in metadata and "<pdfaid:conformance>A<" in metadata
        assert "<pdfuaid:part>1<" in metadata
    assert not pypdf.PdfReader(io.BytesIO(without)).attachments


def test_the_same_files_make_the_same_bytes(report, full, attached, paper):
    assert pdf.render(report, full, None, attached) == paper


def test_a_pdf_carries_the_config_and_the_evidence_unless_told_otherwise(report, results, attached):
    reader = pypdf.PdfReader(io.BytesIO(pdf.render(report, results, None, attached)))
    assert set(reader.attachments) == {"config.yaml", "evidence.json"}


def test_the_config_says_which_kinds_are_attached(report, results, attached):
    some = replace(results, report=replace(results.report, attached=("config", "results")))
    made_of = pdf.render(report, some, None, attached)
    reader = pypdf.PdfReader(io.BytesIO(made_of))
    assert set(reader.attachments) == {"config.yaml", "results.json"}
    text = " ".join(page.extract_text() for page in reader.pages)
    assert "Attached: config.yaml, results.json." in " ".join(text.split())


def test_results_stay_out_where_all_is_too_large():
    large = Attachment("results", "results.json", b"1" * (MOST_BYTES + 1), "Every number")
    small = Attachment("config", "tables/config.yaml", b"a: 1\n", "The config")
    assert select_attachments((large, small), ("results", "config")) == (small,)
    assert select_attachments((small,), ("results", "config")) == (small,)


def test_the_page_holds_the_tables_as_a_zip_and_links_to_the_results(report, results, attached):
    page = html.render(report, results, None, attached).decode()
    links = {a["download"]: a["href"] for name, a in Page(page).elements if "download" in a}
    assert links["results.json"] == "results.json"
    head, _, held = links["tables.zip"].partition(",")
    assert head == "data:application/zip;base64"
    packed = zipfile.ZipFile(io.BytesIO(base64.b64decode(held)))
    assert {name: packed.read(name) for name in packed.namelist()} == {
        file.path: file.content for file in attached if file.kind != "results"
    }


def test_a_figure_names_its_file_in_the_zip(report, results, attached):
    page = html.render(report, results, None, attached).decode()
    for figure in blocks(report, Figure):
        [file] = [each for each in attached if each.block == figure.id]
        assert f"Data: {file.name}." in page


def test_above_a_megabyte_the_page_leads_to_the_tables_beside_it_or_to_none(results):
    noise = random.Random(4)
    large = [Attachment("tables", "tables/t.csv", noise.randbytes(800_000), "")]
    assert [each.href for each in html.list_links(large, {"tables/t.csv"})] == ["tables/"]
    assert html.list_links(large, {"report.html"}) == ()


def test_a_config_is_written_with_every_default_and_is_read_again():
    import yaml

    config = {
        "task": "regression",
        "costs": {"asymmetries": [0.2, float("inf")]},
        "meta": {"ä": None},
    }
    assert yaml.safe_load(dump_yaml(config)) == config

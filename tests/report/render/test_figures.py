"""The figures of a report by themselves: files for slides and mail."""

import io
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest

import reportgen
from reportgen.report.render.figures import render
from tests.end_to_end.wallet import heard


@pytest.fixture(scope="module")
def report():
    draw = np.random.default_rng(3)
    y = draw.gamma(2.0, 10.0, 120)
    models = {name: y + draw.normal(0, size, 120) for name, size in (("old", 5), ("new", 4))}
    config = {"bootstrap": {"replicates": 99}, "outputs": ["figures", "markdown"]}
    return reportgen.compare(y, models, margin=0.5, config=config, use_cache=False)


def test_each_figure_is_an_svg_and_a_png_with_its_caption(report):
    with zipfile.ZipFile(io.BytesIO(report.files["figures.zip"])) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    captions = files.pop("captions.md").decode()
    assert files.pop("page-1.png").startswith(b"\x89PNG")
    stems = [name.removesuffix(".svg") for name in files if name.endswith(".svg")]
    assert stems[0] == "candidates" and len(stems) > 5
    assert set(files) == {f"{stem}.{kind}" for stem in stems for kind in ("svg", "png")}
    for stem in stems:
        assert f"## {stem}\n\n**" in captions
        assert ElementTree.fromstring(files[f"{stem}.svg"]).tag.endswith("svg")
        assert files[f"{stem}.png"].startswith(b"\x89PNG")
    first = files["candidates.svg"].decode()
    (pair,) = (c for c in report.results.comparisons if c.key == "mae")
    assert f"−{abs(pair.difference):.1f} (" in first and "better than old" in first


def test_the_same_report_gives_the_same_bytes(report):
    run = report._run
    made = [render(run.document, run.results, run.theme) for _ in range(2)]
    assert made[0] == made[1] == report.files["figures.zip"]


def test_the_command_writes_the_figures_of_a_finished_report(report, tmp_path):
    report.save(tmp_path / "done")
    code, said, error = heard("figures", "done", cwd=tmp_path)
    assert code == 0, error
    assert said.endswith("figures: done-figures\n")
    with zipfile.ZipFile(tmp_path / "done" / "figures.zip") as packed:
        for name in packed.namelist():
            assert (tmp_path / "done-figures" / name).read_bytes() == packed.read(name)
    code, _, error = heard("figures", "nowhere", cwd=tmp_path)
    assert code == 3 and error.count("\n") == 1

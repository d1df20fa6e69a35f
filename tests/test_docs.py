"""The documentation covers the program, and its links lead somewhere."""

import json
import re
from contextlib import ExitStack
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.checks.check import CHECKS
from reportgen.cli.commands import cli
from reportgen.cli.explain import KINDS
from reportgen.config.schema import config, datasets, report
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.traits import ESTIMANDS
from reportgen.planning.loading import dump_config_schema, load_config
from reportgen.report.prose.warnings import is_known
from reportgen.terms import INPUT_CHECKS, LIMITS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
pytestmark = pytest.mark.guard


def load_script(name):
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BUILD = load_script("build")
CONF = load_script("conf")


@cache
def made_pages():
    """The pages that are made with the site and are not in the repository."""
    return BUILD.pages()


def blocks(page, language):
    """The fenced blocks of a page in one language."""
    text = page.read_text(encoding="utf-8")
    return [body for spoken, body in FENCE.findall(text) if spoken == language]


def prose(page):
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page):
    return {BUILD.slug(line.lstrip("# ")) for line in prose(page).splitlines() if line[:1] == "#"}


def count_words(text):
    """Count what has a letter or digit and is shown."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    return sum(any(sign.isalnum() for sign in word) for word in text.split())


def test_pages_by_hand_are_short():
    words = {page.name: count_words(page.read_text("utf-8")) for page in DOCS.glob("*.md")}
    assert {name: count for name, count in words.items() if count > 1_500} == {}
    assert sum(words.values()) <= 25_000


def test_the_schema_beside_the_configs_is_current():
    assert BUILD.SCHEMA.read_text("utf-8") == dump_config_schema(), "run: python docs/build.py"


def test_made_pages_cover_everything_there_is_and_are_the_same_twice():
    made = made_pages()
    assert BUILD.pages() == made
    covered = {"metrics": METRICS, "curves": CURVES, "checks": INPUT_CHECKS}
    for page, names in covered.items():
        assert set(names) <= set(re.findall(r"^## (\S+)$", made[f"{page}.md"], re.MULTILINE))
    for code in CHECKS:
        assert not is_known(code) or f"## {code}\n" in made["warnings.md"]
    for name, kind in ESTIMANDS.items():
        assert any(m.estimand == kind for m in METRICS.values()) == (
            f"| {name} | none yet |" not in made["methods.md"]
        )
    for title, model, _ in BUILD.TABLES:
        part = made["config-reference.md"].partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        for name, field in model.model_fields.items():
            assert f"| `{field.alias or name}` |" in part, (title, name)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The pages as the site has them, with their links led to one another."""
    folder = tmp_path_factory.mktemp("site")
    for page in DOCS.glob("*.md"):
        text = page.read_text("utf-8")
        (folder / page.name).write_text(CONF.MADE.sub(r"](\1reference/\2.md)", text), "utf-8")
    (folder / "reference").mkdir()
    for name, text in made_pages().items():
        (folder / "reference" / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", [name for name in BUILD.PAGES if name.endswith(".md")])
def test_every_link_of_a_made_page_leads_somewhere(name, site):
    assert list_lost_links(site / "reference" / name) == []


def test_every_link_to_a_made_page_has_its_part_in_the_reference():
    named = set(re.findall(r"^## (\S+)$", (DOCS / "reference.md").read_text("utf-8"), re.MULTILINE))
    made = {name.removesuffix(".md") for name in BUILD.PAGES if name.endswith(".md")}
    assert named == made | {"figures", "gallery", "sentences"}
    contents = (DOCS / "index.md").read_text("utf-8")
    assert named == set(re.findall(r"^reference/(\S+)$", contents, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    assert list_lost_links(page) == []


def list_lost_links(page):
    lost = []
    for link in LINK.findall(prose(page)):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    return lost


FRAGMENTS = {  # of the page on classes: the worked config that each is put on top of, and where
    "prevalence: {target: 0.05}": ("churn", "{}"),
    "costs: {matrix: {7: {1: 50, other: 5}}}": ("digits", "{}"),
    "thresholds: {tags: {fixed: 0.5, by_class: {Romance: 0.3}}}": ("movies", "{}"),
    "{name: recall, at: call list}": ("churn", "metrics: [roc_auc, log_loss, {}]"),
    "{name: capture, share: 0.1}": ("churn", "metrics: [roc_auc, log_loss, {}]"),
    "{name: lift, share: 0.1}": ("churn", "metrics: [roc_auc, log_loss, {}]"),
    "{name: recall, of: Romance}": ("movies", "metrics: [f, hamming_loss, {}]"),
}


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_fragment_on_classes_stands_in_a_config(fragment, tmp_path):
    assert f"`{fragment}`" in " ".join(prose(DOCS / "classification.md").split())
    base, around = FRAGMENTS[fragment]
    config = tmp_path / "config.yaml"
    config.write_text(
        f"extends: {ROOT / 'configs' / base}.yaml\nreport: {{headline: []}}\ngates: []\n"
        f"{around.format(fragment)}\n",
        encoding="utf-8",
    )
    with ExitStack() as stack:
        assert load_config(config, (), True, stack).config.version == 1


def test_the_block_on_names_of_classes_reads_its_rows(tmp_path):
    [body] = blocks(DOCS / "classification.md", "text")
    rows = "".join(f"{('no', 'yes')[k % 2]},{k / 20}\n" for k in range(20))
    (tmp_path / "customers.csv").write_text("churn,p\n" + rows, encoding="utf-8")
    config = tmp_path / "config.yaml"
    head = "version: 1\nreport: {title: Churn}\ntask: binary\nmodels: {a: {column: p}}\n"
    config.write_text(head + body, encoding="utf-8")
    assert CliRunner().invoke(cli, ["validate", str(config), "--data"]).exit_code == 0


ON_CONFIGS = (
    "config",
    "data-files",
    "files",
    "folds",
    "metrics-and-thresholds",
    "models-and-scores",
    "own-metrics",
    "ranking",
    "report-and-outputs",
    "requirements",
)


@pytest.mark.parametrize("model", [config.Config, config.Dataset, datasets.Model, report.Versus])
def test_the_language_is_told_whole(model):
    told = "".join((DOCS / f"{page}.md").read_text(encoding="utf-8") for page in ON_CONFIGS)
    keys = [field.alias or name for name, field in model.model_fields.items()]
    assert not [key for key in keys if not re.search(rf"\b{key}\b", told)]


def test_a_range_is_told_once_and_every_link_has_a_target():
    told = made_pages()["config-reference.md"]
    assert "](#)" not in told and "anything" not in told and "| . |" not in told
    assert not re.findall(r"from \S+ above|to \S+ below", told)
    assert "| `under` | number above 0 to 1e+50 or " in told
    assert "| `over` | number from 0 to 1e+50 |" in told


def test_every_kind_of_name_that_is_listed_is_told():
    told = (DOCS / "config.md").read_text(encoding="utf-8")
    assert not [kind for kind in KINDS if f"`{kind}`" not in told]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_exists(page):
    fenced = [line for lang in ("sh", "yml") for b in blocks(page, lang) for line in b.splitlines()]
    for code in (*fenced, *re.findall(r"`([^`]+)`", prose(page))):
        for name, rest in re.findall(r"(?:^|[/ ])reportgen ([a-z-]+)(.*)", code):
            options = {option for each in cli.commands[name].params for option in each.opts}
            assert set(re.findall(r"--[a-z0-9-]+", rest)) <= options


def test_the_page_on_costs_quotes_the_study_of_crossings():
    lines = (ROOT / "benchmarks" / "results" / "crossing.jsonl").read_text().splitlines()
    page = (DOCS / "costs.md").read_text(encoding="utf-8")
    cells = [json.loads(line) for line in lines]
    assert {(c["rows"], c["runs"]) for c in cells} == {(200, 2000), (500, 2000)}
    for cell in cells:
        way = "as they are" if cell["shift"] == "none" else "best constants"
        held = f"{100 * cell['covered']:.1f} ± {100 * cell['error']:.1f}"
        assert f"| {cell['rows']} | {way} | {held} |" in page
        assert 0.93 <= cell["covered"] <= 0.97


def test_the_page_on_costs_quotes_the_study_of_polynomial_gaps():
    study = (ROOT / "benchmarks/results/polynomial-gap.md").read_text(encoding="utf-8")
    said = (DOCS / "costs.md").read_text(encoding="utf-8").replace("\n", " ")
    rows = [line.strip("| ").split(" | ") for line in study.splitlines() if "%" in line][1:]
    even = sorted(row[4] for row in rows if row[0] == "even" and float(row[3]))
    runs = study.split(" runs a cell")[0].split()[-1]
    assert f"of {runs} runs each, {even[0][:-2]} to {even[-1]} where 95 % was asked" in said
    [(held, below, above)] = [row[4:] for row in rows if row[0] == "skewed"]
    assert f"saves it found {held}: in {below} of the runs the truth lay below" in said
    assert f"and in {above} above it" in said


def test_the_page_of_promises_shows_the_timings_that_were_measured():
    def timings(page, columns):
        sizes = ("500", "10,000", "100,000", "1,000,000")
        rows = (line.strip("| ").split(" | ") for line in page.splitlines())
        first = [row for row in rows if row[0] in sizes][: len(sizes)]
        return [[row[k] for k in columns] for row in first]

    page = (DOCS / "promises.md").read_text(encoding="utf-8")
    measured = (ROOT / "benchmarks/results/speed.md").read_text(encoding="utf-8")
    assert timings(page, (0, 1, 2, 3)) == timings(measured, (0, 1, 5, 6))


def test_the_page_on_reading_says_where_a_lack_of_errors_speaks_of_a_leak():
    page = (DOCS / "reading-a-report.md").read_text(encoding="utf-8")
    limits = LIMITS["W314"]
    assert f"in classes, on {limits['rows']} rows or more" in page
    assert limits["rows"] == limits["rarer"]


def test_the_changelog_has_at_most_600_words_a_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, *versions = re.split(r"^## ", text, flags=re.MULTILINE)
    assert len(versions) >= 3
    counts = {each.splitlines()[0]: len(each.split()) for each in versions}
    assert {name: count for name, count in counts.items() if count > 600} == {}
    kinds = set(re.findall(r"^### (.+)$", text, flags=re.MULTILINE))
    assert kinds <= {"Numbers", "Added", "Changed", "Fixed", "Removed"}

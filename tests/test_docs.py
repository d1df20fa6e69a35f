"""The documentation is current, its links lead somewhere, and its configs are configs."""

import re
from contextlib import ExitStack
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from reportgen.reading import read

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def load_build():
    spec = spec_from_file_location("build", DOCS / "build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BUILD = load_build()


def blocks(page, language):
    """The fenced blocks of a page in one language."""
    text = page.read_text(encoding="utf-8")
    return [body for spoken, body in FENCE.findall(text) if spoken == language]


def prose(page):
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page):
    return {BUILD.slug(line.lstrip("# ")) for line in prose(page).splitlines() if line[:1] == "#"}


CONFIGS = [
    pytest.param(page, body, id=f"{page.stem}-{index}")
    for page in PAGES
    for index, body in enumerate(blocks(page, "yaml"))
]


@pytest.mark.parametrize("name", BUILD.pages())
def test_a_made_page_is_what_the_program_says(name):
    made = BUILD.pages()[name]
    assert (DOCS / name).read_text(encoding="utf-8") == made, "run: python docs/build.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    lost = []
    for link in LINK.findall(prose(page)):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    assert not lost


@pytest.mark.parametrize(("page", "body"), CONFIGS)
def test_every_config_is_one(page, body, tmp_path):
    """A block that begins `# part` is put on top of the wallet; a `# name.py` block lies beside."""
    for plugin in blocks(page, "python"):
        if named := re.match(r"# (\w+\.py)\n", plugin):
            (tmp_path / named[1]).write_text(plugin, encoding="utf-8")
    base = f"extends: {ROOT / 'configs' / 'wallet.yaml'}\n" if body.startswith("# part") else ""
    config = tmp_path / "config.yaml"
    config.write_text(base + body, encoding="utf-8")
    with ExitStack() as stack:
        assert read(config, (), True, stack).config.version == 1

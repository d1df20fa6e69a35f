"""A folder of templates in which one would be ignored: it is refused, with the right name."""

from pathlib import Path

import pytest

from tests.end_to_end.wallet import call, put

Said = pytest.CaptureFixture[str]
REFUSED = {
    "forest.html": "mine/forest.html: replaces no template; did you mean 'html/forest.html'?",
    "html/fores.html": "mine/html/fores.html: replaces no template; did you mean",
    "html/forest.typ": "mine/html/forest.typ: replaces no template; did you mean",
    "html/parts/forest.html": "mine/html/parts/forest.html: replaces no template; did you mean",
    "notes.txt": "mine: holds no template; one that replaces the forest is html/forest.html in it",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_template_that_replaces_nothing_is_an_error(
    tmp_path: Path, capfd: Said, name: str
) -> None:
    file = tmp_path / "mine" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    config = put(tmp_path)
    assert call("run", config, "--out", "out", "--quiet", "--template-dir", "mine") == 2
    assert REFUSED[name] in capfd.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_file_that_an_own_template_includes_and_a_readme_are_fine(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "markdown"
    folder.mkdir(parents=True)
    (folder / "report.md").write_text("{% include 'greeting.md' %}")
    (folder / "greeting.md").write_text("Good morning")
    (tmp_path / "mine" / "README.md").write_text("What these are")
    config = put(tmp_path, outputs=["markdown"])
    assert call("run", config, "--out", "out", "--quiet", "--template-dir", "mine") == 0
    assert (tmp_path / "out" / "report.md").read_text().strip() == "Good morning"

"""Whoever edits a file of a report is found out: by the manifest, or by its recorded number."""

import gzip
import json
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from reportgen import __version__
from reportgen.governance import outputs
from reportgen.governance.manifest import digest_bytes, dump_canonical_json, format_checksums
from tests.end_to_end.wallet import (
    call,
    customers,
    dataset,
    heard,
    put,
    put_config,
    write_rows,
)

TOLD = "the manifest vouches for the files; only the number in your ticket vouches for the manifest"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a config, its data and its report; and what the run said."""
    folder = tmp_path_factory.mktemp("made")
    put(folder, outputs=["html", "markdown", "junit", "tables"], curves=["ranking"])
    code, said, _ = heard("run", "wallet.yaml", "--out", "report", "--quiet", cwd=folder)
    assert code == 0
    return folder, said


@pytest.fixture
def report(made: tuple[Path, str], tmp_path: Path) -> Path:
    """A copy of the report."""
    shutil.copytree(made[0] / "report", tmp_path / "report")
    return tmp_path / "report"


def manifest(report: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((report / "manifest.json").read_bytes())
    return found


def number(report: Path) -> str:
    return sha256((report / "manifest.json").read_bytes()).hexdigest()


def verify(report: Path, *words: object) -> tuple[int, list[str], str]:
    code, out, err = heard("verify", report, *words, cwd=report.parent)
    return code, out.splitlines(), err


def sign_anew(report: Path) -> None:
    """Make the manifest and the sums fit the files, as somebody would who edited them."""
    told = manifest(report)
    for each in told["outputs"]:
        content = (report / each["path"]).read_bytes()
        each |= {"sha256": digest_bytes(content), "bytes": len(content)}
    text = json.dumps(told).encode()
    known = {each["path"]: each["sha256"] for each in told["outputs"]}
    (report / "manifest.json").write_bytes(text)
    (report / "SHA256SUMS").write_bytes(
        format_checksums({**known, "manifest.json": digest_bytes(text)})
    )


def test_a_run_ends_with_the_number_to_record(made: tuple[Path, str]) -> None:
    expected = f"manifest sha256 {number(made[0] / 'report')}: record it in the ticket"
    assert made[1].splitlines()[-2] == expected


def test_an_untouched_report_is_as_its_manifest_says(report: Path) -> None:
    count = sum(path.is_file() for path in report.rglob("*"))
    assert count > 8
    line = f"all {count} files are as the manifest says"
    assert verify(report) == (0, [line, TOLD], "")
    given = number(report)
    assert verify(report, "--manifest-sha256", given.upper()) == (
        0,
        [line, f"manifest sha256 {given}: as given"],
        "",
    )


def test_the_manifest_tells_what_the_report_rests_on(made: tuple[Path, str], report: Path) -> None:
    told = manifest(report)
    assert [told["schema"], told["versions"]["reportgen"]] == [
        "urn:reportgen:manifest:1",
        __version__,
    ]
    assert told["report"]["verdict"] in made[1]
    assert told["gates"] == {"met": 2}
    assert told["digests"]["results"] == digest_bytes((report / "results.json").read_bytes())
    [data] = told["inputs"]
    assert data["sha256"] == digest_bytes((made[0] / "wallet.csv").read_bytes())
    listed = {each["path"] for each in told["outputs"]}
    files = {p.relative_to(report).as_posix() for p in report.rglob("*") if p.is_file()}
    assert files - listed == {"manifest.json", "SHA256SUMS"}
    assert listed <= files


def test_no_number_of_the_manifest_is_a_fraction(report: Path) -> None:
    def refused(text: str) -> None:
        raise AssertionError(text)

    json.loads((report / "manifest.json").read_bytes(), parse_float=refused)


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum")
def test_sha256sum_checks_the_files_without_us(report: Path) -> None:
    command = ["sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS"]
    assert subprocess.run(command, cwd=report).returncode == 0
    (report / "junit.xml").write_bytes(b"")
    assert subprocess.run(command, cwd=report, capture_output=True).returncode == 1


def test_one_other_bit_in_any_file_is_found_and_named(report: Path) -> None:
    for path in sorted(path for path in report.rglob("*") if path.is_file()):
        name = path.relative_to(report).as_posix()
        if name == "manifest.json":
            continue
        before = path.read_bytes()
        path.write_bytes(bytes([before[0] ^ 1]) + before[1:])
        assert verify(report) == (1, [f"{name}: changed"], ""), name
        path.write_bytes(before)
    assert verify(report)[0] == 0


def gone(report: Path) -> None:
    (report / "report.md").unlink()


def linked(report: Path) -> None:
    (report / "report.md").rename(report.parent / "elsewhere.md")
    (report / "report.md").symlink_to(report.parent / "elsewhere.md")


def added(report: Path) -> None:
    (report / "report.pdf").write_bytes(b"%PDF-")


def table_added(report: Path) -> None:
    (report / "tables" / "more.csv").write_text("a,b\n")


def tables_linked(report: Path) -> None:
    (report / "tables").rename(report.parent / "tables")
    (report / "tables").symlink_to(report.parent / "tables")


def without_sums(report: Path) -> None:
    (report / "SHA256SUMS").unlink()


def marked(report: Path) -> None:
    (report / ".reportgen-incomplete").write_text("{}")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (gone, "report.md: missing"),
        (linked, "report.md: is a link, or no file"),
        (added, "report.pdf: is not listed in the manifest"),
        (table_added, "tables/more.csv: is not listed in the manifest"),
        (tables_linked, "tables/config.yaml: is a link, or no file"),
        (without_sums, "SHA256SUMS: missing"),
        (
            marked,
            ".reportgen-incomplete: a run was stopped here, and may have left files of two reports",
        ),
    ],
)
def test_what_is_missing_linked_or_added_is_named(
    report: Path, change: Callable[[Path], None], says: str
) -> None:
    change(report)
    code, lines, err = verify(report)
    assert (code, err) == (1, "")
    assert says in lines


def test_files_of_others_are_none_of_the_manifests_business(report: Path) -> None:
    (report / "manifest.json.minisig").write_text("a signature")
    (report / "notes").mkdir()
    assert verify(report)[0] == 0


def test_only_the_recorded_number_finds_a_manifest_that_was_edited_with_a_file(
    report: Path,
) -> None:
    before = number(report)
    page = report / "report.md"
    page.write_bytes(page.read_bytes() + b"Accepted.\n")
    sign_anew(report)
    code, lines, _ = verify(report)
    assert (code, lines[-1]) == (0, TOLD)
    assert verify(report, "--manifest-sha256", before) == (1, ["manifest.json: changed"], "")


def test_a_digit_changed_on_the_page_is_found_by_rendering_again(report: Path) -> None:
    assert verify(report, "--deep")[0] == 0
    page = report / "report.html"
    text = page.read_text(encoding="utf-8")
    head, heading, rest = text.partition("</h1>")
    other, changes = re.subn("[1-8]", lambda digit: str(int(digit[0]) + 1), rest, count=1)
    assert changes == 1
    page.write_text(head + heading + other, encoding="utf-8")
    sign_anew(report)
    assert verify(report)[0] == 0
    assert verify(report, "--deep") == (
        1,
        [
            f"{name}: does not say what results.json holds"
            for name in ("SHA256SUMS", "manifest.json", "report.html")
        ],
        "",
    )


def edit_anything(told: Any, draw: random.Random) -> None:
    """Change, remove or add one value, anywhere in a JSON value."""
    while True:
        keys = list(told) if isinstance(told, dict) else list(range(len(told)))
        key = draw.choice(keys)
        inner = told[key]
        if isinstance(inner, dict | list) and inner and draw.random() < 0.9:
            told = inner
            continue
        how = draw.randrange(3)
        if how == 0 and not isinstance(inner, dict | list):
            told[key] = f"{inner}x" if isinstance(inner, str) else "x"
        elif how == 1:
            del told[key]
        elif isinstance(told, dict):
            told["one more"] = 1
        else:
            told.append(inner)
        return


def test_no_edit_of_manifest_and_sums_together_passes(
    report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "rerender_results", cache(outputs.rerender_results))
    original, draw, codes = manifest(report), random.Random(1), Counter[int]()
    for _ in range(200):
        told = json.loads(json.dumps(original))
        edit_anything(told, draw)
        text = dump_canonical_json(told)
        listed = told.get("outputs", [])
        known = {each.get("path", ""): each.get("sha256", "") for each in listed}
        sums = format_checksums({**known, "manifest.json": digest_bytes(text)})
        (report / "manifest.json").write_bytes(text)
        (report / "SHA256SUMS").write_bytes(sums)
        codes[call("verify", report, "--deep")] += 1
    assert set(codes) <= {1, 2} and codes[1] > 100, codes


def test_a_page_that_results_lists_may_not_be_missing(report: Path) -> None:
    (report / "report.md").unlink()
    told = manifest(report)
    told["outputs"] = [each for each in told["outputs"] if each["path"] != "report.md"]
    (report / "manifest.json").write_bytes(dump_canonical_json(told))
    sign_anew(report)
    assert verify(report)[0] == 0
    code, lines, _ = verify(report, "--deep")
    assert code == 1 and "report.md: missing" in lines


def test_under_another_version_nobody_can_tell_by_rendering(
    report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "list_versions", lambda: {"reportgen": "99"})
    code, lines, err = verify(report, "--deep")
    assert (code, lines) == (2, [])
    assert "cannot tell whether the pages were edited: reportgen was " in err
    assert err.endswith(", here it is 99; use the same versions\n")


def test_the_data_are_checked_where_their_folder_is_named(
    made: tuple[Path, str], report: Path, tmp_path: Path
) -> None:
    shutil.copy(made[0] / "wallet.csv", tmp_path / "wallet.csv")
    assert verify(report, "--inputs", tmp_path)[0] == 0
    with (tmp_path / "wallet.csv").open("a") as file:
        file.write("\n")
    assert verify(report, "--inputs", tmp_path) == (1, ["wallet.csv: changed"], "")
    (tmp_path / "wallet.csv").unlink()
    assert verify(report, "--inputs", tmp_path) == (1, ["wallet.csv: missing"], "")


def test_an_input_out_of_the_folder_is_not_opened(report: Path, tmp_path: Path) -> None:
    told = manifest(report)
    told["inputs"] = [{"path": path, "sha256": "0" * 64} for path in ("/etc/passwd", "../x.csv")]
    (report / "manifest.json").write_text(json.dumps(told))
    sign_anew(report)
    assert verify(report, "--inputs", tmp_path)[1] == [
        "../x.csv: leads out of the folder of the inputs",
        "/etc/passwd: leads out of the folder of the inputs",
    ]


def test_what_was_found_is_printed_as_json(report: Path) -> None:
    gone(report)
    code, lines, _ = verify(report, "--json")
    assert code == 1
    assert json.loads("\n".join(lines)) == {
        "schema": "urn:reportgen:verify:1",
        "manifest_sha256": number(report),
        "checked": len(manifest(report)["outputs"]) + 2,
        "is_vouched": False,
        "problems": [{"path": "report.md", "what": "missing"}],
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "{",
        "3",
        '{"schema": "urn:reportgen:manifest:2"}',
        '{"schema": "urn:reportgen:manifest:1", "outputs": 3, "inputs": [], "versions": {}}',
        '{"schema": "urn:reportgen:manifest:1", "outputs": [{"path": "results.json", "sha256": '
        '"0"}], '
        '"inputs": [], "versions": {}}',
        "[" * 100_000,
    ],
)
def test_without_a_sound_manifest_nothing_can_be_told(report: Path, text: str) -> None:
    (report / "manifest.json").write_text(text)
    code, lines, err = verify(report)
    assert (code, lines) == (2, [])
    assert (
        err
        == f"{report}/manifest.json: is not a manifest of reportgen, so nothing can be checked\n"
    )


@pytest.mark.parametrize("path", ["../results.json", "/etc/passwd", "tables/../x.csv", "notes.txt"])
def test_a_manifest_that_names_what_no_report_has_is_none(report: Path, path: str) -> None:
    told = manifest(report)
    told["outputs"].append({"path": path, "sha256": "0" * 64, "bytes": 1})
    (report / "manifest.json").write_text(json.dumps(told))
    assert verify(report)[0] == 2


@pytest.mark.parametrize("given", ["a" * 63, "a" * 65, "", "g" * 64, "é" * 64])
def test_a_number_that_is_none_is_refused(report: Path, given: str) -> None:
    code, lines, err = verify(report, "--manifest-sha256", given)
    assert (code, lines) == (2, [])
    assert err.startswith("--manifest-sha256 needs 64 hexadecimal digits, and has ")


def test_a_folder_without_a_manifest_is_refused(report: Path, tmp_path: Path) -> None:
    (report / "manifest.json").unlink()
    assert verify(report)[2] == f"{report}: has no manifest.json; run the config again to get one\n"
    assert verify(tmp_path / "none")[0] == 2


@pytest.mark.parametrize("missing", ["", "manifest.json"])
def test_results_that_were_edited_are_rendered_nowhere(
    report: Path, tmp_path: Path, missing: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Their pages would verify: they would have a manifest that names the edited file."""
    if missing:
        (report / missing).unlink()
    path, other = report / "results.json", tmp_path / "other"
    assert call("render", path, "--out", other) == 0
    path.write_bytes(path.read_bytes().replace(b'"n": 120', b'"n": 121', 1))
    for folder in (report, tmp_path / "third"):
        assert call("render", path, "--out", folder) == 3
        said = capfd.readouterr().err
        assert "was changed after the run; run the config again, or put back the file" in said
    assert not (tmp_path / "third").exists()


def test_rendering_again_gives_the_same_manifest(report: Path) -> None:
    before = number(report)
    assert call("render", report / "results.json") == 0
    assert number(report) == before


def test_each_file_of_a_glob_and_of_an_archive_is_checked(tmp_path: Path) -> None:
    """The rows in two parts, one of them packed."""
    rows = customers()
    (tmp_path / "parts").mkdir()
    write_rows(tmp_path / "parts" / "a.csv", rows[:60])
    write_rows(tmp_path / "b.csv", rows[60:])
    packed = tmp_path / "parts" / "b.csv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "b.csv").read_bytes()))
    put_config(tmp_path, datasets=dataset(path="parts/*"), curves=[])
    code, _, err = heard("run", "wallet.yaml", "--out", "report", "--quiet", cwd=tmp_path)
    assert code == 0, err
    report = tmp_path / "report"
    assert {each["path"] for each in manifest(report)["inputs"]} == {
        "parts/a.csv",
        "parts/b.csv.gz",
    }
    assert verify(report, "--inputs", tmp_path)[0] == 0
    packed.write_bytes(gzip.compress((tmp_path / "b.csv").read_bytes(), 1))
    assert verify(report, "--inputs", tmp_path)[1] == ["parts/b.csv.gz: changed"]


def test_data_from_outside_are_looked_for_by_their_name_in_the_folder_that_is_given(
    tmp_path: Path,
) -> None:
    """A report names no folder of the machine; so the folder of such data has to be given."""
    here = tmp_path / "config"
    here.mkdir()
    put(here, datasets=dataset(path="../wallet.csv"), curves=[])
    (here / "wallet.csv").rename(tmp_path / "wallet.csv")
    code, _, err = heard("run", "wallet.yaml", "--out", "report", "--quiet", cwd=here)
    assert code == 0, err
    assert verify(here / "report", "--inputs", here)[:2] == (1, ["wallet.csv: missing"])
    assert verify(here / "report", "--inputs", tmp_path)[0] == 0

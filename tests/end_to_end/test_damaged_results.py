"""Damaged files: a command that reads them ends with a line, never with a traceback."""

import json
from pathlib import Path

import pytest

from benchmarks.mutate_results import DAMAGES, SHARES, choose_file, run_case
from tests.end_to_end.wallet import heard
from tests.worked import text_of

CASES = 400
AT_ONCE = 5


@pytest.mark.parametrize("first", range(0, CASES, AT_ONCE))
def test_no_damage_ends_a_command_with_a_traceback(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + AT_ONCE):
        folder = tmp_path / str(seed)
        folder.mkdir()
        *case, code, printed = run_case(seed, folder)
        assert code in range(5), (seed, case, printed[-2000:])
        assert "Traceback" not in printed
        assert not code or printed.strip(), (seed, case)


def test_every_kind_of_file_has_many_kinds_of_damage() -> None:
    for what, (_, kinds) in DAMAGES.items():
        assert len(kinds) == len(set(kinds)) >= 25, what
    cases = {choose_file(seed) for seed in range(20 * max(len(k) for _, k in DAMAGES.values()))}
    assert cases == {(what, kind) for what in SHARES for kind in DAMAGES[what][1]}


def test_a_file_whose_parts_do_not_fit_is_blamed_by_its_name(tmp_path: Path) -> None:
    text = text_of("churn").replace(b'"schema_version": 3', b'"schema_version": 1')
    (tmp_path / "results.json").write_bytes(text.replace(b'"sensitivity"', b'"tables"'))
    code, _, error = heard("render", "results.json", "--out", "out", cwd=tmp_path)
    assert code in (0, 3) and "Traceback" not in error
    nested = b'{"schema_version": 3, "config": ' + b"[" * 900 + b"]" * 900 + b"}"
    (tmp_path / "results.json").write_bytes(nested)
    code, _, error = heard("render", "results.json", "--out", "out", cwd=tmp_path)
    assert (code, error) == (
        3,
        "results.json: is nested too deeply; give a results.json made by run\n",
    )


@pytest.mark.parametrize("words", [("verify",), ("render",), ("trend",), ("diff", "loop")])
def test_a_link_to_itself_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "loop").symlink_to("loop")
    code, _, error = heard(*words, "loop", cwd=tmp_path)
    assert code in (2, 3) and error.startswith("loop")


def test_an_input_with_a_null_sign_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_bytes(text_of("churn"))
    assert heard("render", "results.json", "--out", "out", cwd=tmp_path)[0] == 0
    manifest = tmp_path / "out" / "manifest.json"
    plain = json.loads(manifest.read_bytes())
    plain["inputs"][0]["path"] = "a\0b"
    manifest.write_text(json.dumps(plain))
    code, said, error = heard("verify", "out", "--inputs", ".", cwd=tmp_path)
    assert code == 1 and "a\\x00b: is not a file name" in said and not error


def test_pages_are_not_made_beside_results_that_were_changed(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_bytes(text_of("churn"))
    assert heard("render", "results.json", "--out", "out", cwd=tmp_path)[0] == 0
    results = tmp_path / "out" / "results.json"
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.*")}
    results.write_bytes(before["results.json"].replace(b'"seed": ', b'"seed": 1', 1))
    code, _, error = heard("render", "out/results.json", cwd=tmp_path)
    assert code == 3 and "was changed after the run" in error
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before["manifest.json"]
    assert heard("render", "out/results.json", "--out", "other", cwd=tmp_path)[0] == 3

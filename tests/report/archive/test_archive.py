"""Files of earlier releases are read for good, and what they lack is left out and told.

Each file is what `reportgen run` of that release wrote for 500 customers and 199 resamples (the
paper's ten rows in `rroc-paper`), `schema-*` what it published; none is ever made again.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reportgen.errors import DataError
from reportgen.planning.result_assembly import add_missing_curve_infos
from reportgen.report import archive
from reportgen.report.layout import build_document
from reportgen.results import Results
from reportgen.results.core import SCHEMA_MINOR, SCHEMA_VERSION
from tests.end_to_end.wallet import heard
from tests.laws.laws import LAWS, Report
from tests.laws.printed import read_html

HERE = Path(__file__).parent
FILES = sorted(path.name.removesuffix(".json.gz") for path in HERE.glob("[0-9]*.json.gz"))
NOW = archive.build_results_schema()


def text_of(name: str) -> bytes:
    return gzip.decompress((HERE / f"{name}.json.gz").read_bytes())


def plain_of(name: str) -> Any:
    return json.loads(text_of(name))


def reading(told: Any, folder: Path) -> archive.ReadResults:
    path = folder / "results.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    return archive.load_any_results(path)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_an_earlier_release_is_read_and_written_as_of_this_one(
    name: str, tmp_path: Path
) -> None:
    found = reading(plain_of(name), tmp_path).results
    written = json.loads(archive.dump_results(found))
    assert [written["schema_version"], written["schema_minor"]] == [SCHEMA_VERSION, SCHEMA_MINOR]
    assert [e.message for e in Draft202012Validator(NOW).iter_errors(written)] == []
    gone = {name.partition(".")[2] for name in CHANGED_IN_3} - {"rule"}
    gone |= {"low", "high", "family", "status", "reason"}
    then = json.loads(text_of(name).replace(b'"family": "secondary"', b'"family": "metrics"'))
    for part in ("estimates", "comparisons", "gates", "warnings", "models", "provenance"):
        for old, new in zip(listed(then[part]), listed(written[part]), strict=True):
            assert {key: new[key] for key in old if key not in gone} == {
                key: value for key, value in old.items() if key not in gone
            }


def listed(part: Any) -> list[Any]:
    return part if isinstance(part, list) else [part]


@pytest.mark.parametrize("name", FILES)
def test_every_page_is_made_from_a_file_of_an_earlier_release(name: str, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_bytes(text_of(name))
    text = json.loads(text_of(name))
    text["config"]["outputs"] = ["html", "markdown", "junit"]
    (tmp_path / "results.json").write_text(json.dumps(text), encoding="utf-8")
    code, _, err = heard("render", "results.json", "--out", "out", cwd=tmp_path)
    assert code == 0, err
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert text["report"]["title"].split()[0] in page
    assert ("tables of version 1 that are not shown: decision" in err) == name.startswith("0.1")


SMALL = {1: "0.1.0-rroc-paper", 2: "0.2.0-costs"}


@pytest.mark.parametrize("schema", SMALL)
def test_an_old_file_is_rendered_compared_and_verified(schema: int, tmp_path: Path) -> None:
    """Its page contradicts nothing inside, and nothing differs from what it was made of."""
    old = plain_of(SMALL[schema]) | {"curves": [], "costs": []}
    old["report"]["sections"] = ["decision", "basis", "method"]
    assert old["schema_version"] == schema
    old["config"]["outputs"] = ["html"]
    for name in ("estimates", "comparisons"):
        old[name] = [row for row in old[name] if row["segment"] is None]
    (tmp_path / "results.json").write_text(json.dumps(old), encoding="utf-8")
    code, _, err = heard("render", "results.json", "--out", "out", cwd=tmp_path)
    assert code == 0, err
    page = read_html((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    report = Report(archive.load_results(tmp_path / "out" / "results.json"), page)
    assert [said for check in LAWS.values() for said in check(report)] == []
    assert "95% CIs, adjusted for" in page.caption and "unadjusted" not in page.caption
    assert heard("verify", "out", cwd=tmp_path)[0] == 0
    code, told, err = heard("diff", "results.json", "out", "--format", "json", cwd=tmp_path)
    assert code == 0, err
    changes = json.loads(told)
    assert changes["before"]["verdict"] == changes["now"]["verdict"] == report.page.answer
    assert [move for move in changes["moves"] if move["before"] != move["now"]] == []
    assert [changes[name] for name in ("rule", "gates", "warnings", "presence")] == [[]] * 4


def test_a_family_of_version_2_is_as_large_as_its_limits_are_wide(tmp_path: Path) -> None:
    """Of normal limits, the level tells how many comparisons share what is left of it."""
    old = plain_of("0.2.0-costs")
    then = {(c["segment"], c["key"], c["candidate"]): c for c in old["comparisons"]}
    results, wide = reading(old, tmp_path).results, 0
    for c in results.comparisons:
        row = then[c.segment, c.key, c.candidate]
        ends = [row[name] for name in ("low", "high", "adjusted_low", "adjusted_high")]
        if row["method"] == "influence" and None not in ends and row["p_adjusted"] > 0.05:
            width = (ends[3] - ends[2]) / (ends[1] - ends[0]) * NormalDist().inv_cdf(0.975)
            assert c.family_size == round(0.025 / NormalDist().cdf(-width)), c
            wide += 1
    assert wide > 10
    best = [r for r in old["sensitivity"]["from_best"] if r["key"] == old["inference"]["primary"]]
    assert {row["level"] for row in best} == {0.975}
    assert {(pair.level, pair.family_size) for pair in results.pairs} == {(0.95, 2)}


def test_a_pair_that_the_report_compared_has_the_interval_of_that_comparison(
    tmp_path: Path,
) -> None:
    results = reading(plain_of("0.2.0-costs"), tmp_path).results
    pair = next(pair for pair in results.pairs if "clv" in (pair.first, pair.second))
    c = next(
        c
        for c in results.comparisons
        if (c.segment, c.key, c.candidate) == (None, pair.key, pair.first)
    )
    assert (pair.low, pair.high, pair.family) == (c.low, c.high, c.family)


def test_re_analyses_of_version_2_allow_for_the_pairs_under_one_choice(tmp_path: Path) -> None:
    old = plain_of("0.2.0-costs")
    row = {**CHOICE, "dataset": "holdout", "key": "cost"}
    old["sensitivity"]["choices"] = [
        row | {"candidate": model, "choice": choice, "adjust": adjust}
        for choice, adjust in (("a", "holm"), ("b", "none"))
        for model in ("boosted", "last91")
    ]
    found = reading(old, tmp_path).results.sensitivity.choices
    assert [(c.choice, c.family_size) for c in found] == [("a", 2), ("a", 2), ("b", 1), ("b", 1)]


CHOICE = {
    "baseline": "clv",
    "value": "",
    "difference": -1.0,
    "low": -2.0,
    "high": -0.5,
    "level": 0.95,
    "n": 500,
    "verdict": "better",
    "is_other": False,
    "margin": None,
    "kind": "convention",
}


def test_a_gate_of_version_2_is_decided_by_the_interval_of_its_comparison(tmp_path: Path) -> None:
    """Alone it ends at +5.4, with the family at +6.3: a loss of 6 is no longer excluded."""
    old = plain_of("0.2.0-costs")
    old["gates"][0] |= {"bound": 6.0, "status": "pass"}
    found = reading(old, tmp_path)
    [gate] = found.results.gates
    c = next(
        c
        for c in found.results.comparisons
        if (c.segment, c.key, c.candidate) == (None, gate.key, gate.model)
    )
    assert (gate.status, gate.low, gate.high) == ("cannot tell", c.low, c.high)
    said = "gate 'not dearer': met as it was run, cannot tell by the interval printed"
    assert said in found.notes


def test_re_analyses_of_version_2_differ_only_by_the_verdicts_of_today(tmp_path: Path) -> None:
    """Holm's limit of exactly 0 was open, and is no longer: what was “better” is “cannot tell”."""
    old = plain_of("0.2.0-costs")
    row = {**CHOICE, "dataset": "holdout", "key": "cost", "candidate": "boosted", "adjust": "holm"}
    old["sensitivity"]["choices"] = [
        row | {"choice": "as declared", "kind": "declared", "high": 0.0},
        row
        | {"choice": "k", "value": "5", "high": 0.5, "verdict": "inconclusive"}
        | {"is_other": True},
        row | {"choice": "k", "value": "20", "is_other": False},
    ]
    numbers = {"choices": 1, "choice": "k: 5", "verdict": "inconclusive", "declared": "better"}
    about = {"dataset": "holdout", "segment": None, "key": "cost", "is_fatal": False}
    warning = {"code": "W139", "text": "", "numbers": numbers, **about}
    old["warnings"] = [warning | {"model": "boosted"}]
    results = reading(old, tmp_path).results
    found = [(c.word, c.is_other) for c in results.sensitivity.choices]
    assert found == [("cannot tell", False), ("cannot tell", False), ("better", True)]
    told = {"choices": 1, "choice": "k: 20", "verdict": "better", "declared": "cannot tell"}
    assert [w.numbers for w in results.warnings] == [told]
    old["sensitivity"]["choices"].pop()
    assert reading(old, tmp_path).results.warnings == ()


@pytest.mark.parametrize(
    ("low", "word"), [(0.0, "cannot tell"), (0.5, "worse"), (None, "no result")]
)
def test_a_comparison_of_version_2_without_an_upper_limit_is_decided_by_the_lower(
    low: float | None, word: str, tmp_path: Path
) -> None:
    """Too few resamples for the family left a side open, and put the other at 0 by Holm."""
    old = plain_of("0.2.0-costs")
    row = next(r for r in old["comparisons"] if r["segment"] is None and r["key"] == "mae")
    row |= {"adjusted_low": low, "adjusted_high": None, "verdict": "worse", "margin": None}
    row["reason"] = "" if low is not None else "too few resamples"
    found = reading(old, tmp_path).results.comparisons
    place = row["key"], row["candidate"], None
    [c] = [c for c in found if (c.key, c.candidate, c.segment) == place]
    assert (c.low, c.high, c.word) == (low, None, word)


def test_sets_of_rows_change_the_verdict_that_the_comparison_has(tmp_path: Path) -> None:
    """Whatever the file says of them: its verdicts were those of another rule."""
    old = plain_of("0.2.0-costs")
    for row in old["sensitivity"]["deletions"][0]["sets"]:
        row |= {"verdict_before": "not worse", "is_changed": True, "is_stronger": True}
    results = reading(old, tmp_path).results
    words = {(c.key, c.candidate): c.word for c in results.comparisons if c.segment is None}
    [table] = results.sensitivity.deletions
    known = [each for each in table.sets if each.word is not None]
    assert known
    for each in known:
        assert each.word_before == words[table.key, each.candidate]
        assert each.is_changed == (each.word != each.word_before and not each.is_stronger)


def test_the_tables_of_version_1_are_those_of_version_2(tmp_path: Path) -> None:
    """By hand from the rows of the file: the first of each table that has a new place."""
    old = {table["name"]: table for table in plain_of("0.1.0-costs")["tables"]}
    results = reading(plain_of("0.1.0-costs"), tmp_path).results
    primary, pair = results.inference.primary, results.pairs[1]
    row = [each for each in old["separation"]["rows"] if each[0] == primary][1]
    assert [primary, pair.first, pair.second] == row[:3]
    assert [pair.difference, pair.low, pair.high] == [-row[3], -row[5], -row[4]]
    found = results.sensitivity
    metric, model, *shares = old["rank_probabilities"]["rows"][0]
    assert (found.ranks[0].key, found.ranks[0].model) == (metric, model)
    assert list(found.ranks[0].shares) == shares
    few = found.influence[0]
    assert [few.key, few.model, few.value, few.without, few.change, few.search] == (
        old["influence"]["rows"][0]
    )
    one, table = found.deletions[0].sets[0], old["removal"]
    assert [one.candidate, one.baseline, one.rows, one.in_favour_of] == table["rows"][0][:4]
    assert (one.is_turned, one.is_lost) == tuple(table["rows"][0][-2:])
    assert (found.deletions[0].unit, found.deletions[0].key) == ("USD per case", "cost")


def columns_of_tables(told: Any) -> Iterator[tuple[str, ...]]:
    """Every column of every table that a report can be made without."""
    tables = {("sensitivity", name): rows for name, rows in told["sensitivity"].items()}
    tables |= {(name,): told[name] for name in ("costs", "gates", "warnings", "curve_infos")}
    for place, rows in tables.items():
        if rows:
            yield from ((*place, column) for column in rows[0])


COLUMNS = sorted(columns_of_tables(plain_of("0.2.0-costs")))


def without_column(column: tuple[str, ...]) -> Any:
    told = plain_of("0.2.0-costs") | {"curves": []}
    for name in ("estimates", "comparisons"):
        told[name] = [row for row in told[name] if row["segment"] is None]
    *place, name = column
    rows = told
    for part in place:
        rows = rows[part]
    for row in rows:
        del row[name]
    return told


def rendered(results: Results) -> None:
    assert build_document(add_missing_curve_infos(results)).sections


@pytest.mark.full
def test_without_any_one_column_of_a_table_the_report_is_made(tmp_path: Path) -> None:
    assert len(COLUMNS) > 60
    told_of = 0
    for column in COLUMNS:
        found = reading(without_column(column), tmp_path)
        rendered(found.results)
        told_of += bool(found.notes)
    assert told_of > 30


@pytest.mark.full
def test_without_any_one_part_that_is_optional_the_report_is_made(tmp_path: Path) -> None:
    needed = set(NOW["required"])
    for part in sorted(set(plain_of("0.2.0-costs")) - needed - {"schema_version"}):
        told = plain_of("0.2.0-costs")
        del told[part]
        rendered(reading(told, tmp_path).results)


@pytest.mark.parametrize("name", FILES)
def test_a_word_of_another_version_is_printed_as_it_stands(name: str, tmp_path: Path) -> None:
    told, _ = archive.upgrade_results(plain_of(name))
    for comparison in told["comparisons"]:
        comparison["word"] = "bewildering"
    for gate in told["gates"]:
        gate["status"] = "waived"
    told["conclusion"] = None
    found = reading(told, tmp_path)
    assert "comparisons.word: 'bewildering' is unknown here" in found.notes
    printed = str(build_document(add_missing_curve_infos(found.results)))
    is_silent = "rroc" in name  # of ten rows: no word on a comparison
    assert ("bewildering" in printed) is not is_silent


def test_what_a_later_minor_version_added_is_passed_over_and_told_once(tmp_path: Path) -> None:
    told = archive.upgrade_results(plain_of("0.2.0-costs"))[0] | {"news": [{"a": 1}]}
    told |= {"schema_version": SCHEMA_VERSION, "schema_minor": SCHEMA_MINOR + 3, "conclusion": None}
    for row in told["estimates"]:
        row["mood"] = "good"
    found = reading(told, tmp_path)
    assert found.notes == (
        f"what schema {SCHEMA_VERSION}.{SCHEMA_MINOR + 3} added is not shown; this reportgen "
        f"knows {SCHEMA_VERSION}.{SCHEMA_MINOR}",
    )
    assert found.results.schema_minor == SCHEMA_MINOR


def test_a_later_major_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    told = plain_of("0.2.0-costs") | {"schema_version": SCHEMA_VERSION + 1}
    with pytest.raises(
        DataError, match=rf"has schema_version {SCHEMA_VERSION + 1}, .* use a newer reportgen"
    ):
        reading(told, tmp_path)


def test_what_no_report_can_do_without_is_asked_for(tmp_path: Path) -> None:
    told = plain_of("0.2.0-costs")
    for row in told["estimates"]:
        del row["model"]
    with pytest.raises(DataError, match=r"estimates\.0\.model: Field required"):
        reading(told, tmp_path)


def shapes(schema: Any) -> dict[str, Any]:
    """Each field by the class that it belongs to: what it may hold, without its words."""
    parts = {"": schema, **schema["$defs"]}
    return {
        f"{name}.{field}": kind(each)
        for name, part in parts.items()
        for field, each in part.get("properties", {}).items()
    }


def kind(told: Any) -> Any:
    if isinstance(told, list):
        return [kind(each) for each in told]
    if not isinstance(told, dict):
        return told
    if "enum" in told or "const" in told:
        return "word"
    return {k: kind(v) for k, v in told.items() if k not in ("title", "description", "default")}


GONE_IN_3 = {"BestAction", "Care", "DifferenceFromBest", "Total"}
CHANGED_IN_3 = {
    "AlternativeChoice.adjust",
    "AlternativeChoice.verdict",
    "Comparison.adjusted_high",
    "Comparison.adjusted_low",
    "Comparison.beyond_margin",
    "Comparison.counted_with",
    "Comparison.equivalence_high",
    "Comparison.equivalence_low",
    "Comparison.n_to_settle",
    "Comparison.verdict",
    "Conclusion.about",
    "Conclusion.action",
    "Conclusion.beside",
    "Conclusion.best_of",
    "Conclusion.cares",
    "Conclusion.chosen",
    "Conclusion.decision",
    "Conclusion.sentence",
    "Conclusion.tone",
    "Conclusion.total",
    "Deletion.verdict",
    "Deletion.verdict_before",
    "ConfusionDifference.called",
    "GateResult.rule",
    "HeadlineComparison.care",
    "HeadlineComparison.contradicted_by",
    "Inference.family",
    "Sensitivity.from_best",
    "HeadlineComparison.verdict",
    "Requirement.limit",
    "Requirement.slack",
}


RENAMED_IN_3 = {
    "Judged": "HeadlineComparison",
    "Alone": "HeadlineValue",
    "Pool": "JudgementCoverage",
    "Tail": "TailShares",
    "Extreme": "ExtremeRow",
    "Choice": "AlternativeChoice",
    "Finding": "GateResult",
    "CallOutcome": "PointOutcome",
}


def rename_classes(told: str) -> Any:
    """The schema of an earlier version with the names that its classes have now."""
    for old, new in RENAMED_IN_3.items():
        told = told.replace(f'"#/$defs/{old}"', f'"#/$defs/{new}"').replace(
            f'"{old}": {{', f'"{new}": {{'
        )
    return json.loads(told)


def test_no_field_of_a_release_has_gone_or_become_something_else() -> None:
    """Beyond what version 3 took away, and the words of a rule, which it lists."""
    then, now = shapes(rename_classes(text_of("schema-2.0").decode())), shapes(NOW)
    changed = {name for name in then if now.get(name) != then[name]}
    assert {name for name in changed if name.split(".")[0] not in GONE_IN_3} == CHANGED_IN_3


def test_what_was_added_since_the_release_has_its_minor_version() -> None:
    """The archive holds the schema of each release; the next one with more is a step further."""
    released = HERE.glob(f"schema-{SCHEMA_VERSION}.*.json.gz")
    last = max((int(path.name.split(".")[1]) for path in released), default=None)
    if last is None:
        assert SCHEMA_MINOR == 0
        return
    is_same = shapes(plain_of(f"schema-{SCHEMA_VERSION}.{last}")) == shapes(NOW)
    assert last == SCHEMA_MINOR if is_same else last + 1 == SCHEMA_MINOR

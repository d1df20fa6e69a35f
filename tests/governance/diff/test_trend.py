"""The primary metric over runs: each run once, what cannot be compared, what failed."""

from dataclasses import replace
from pathlib import Path

from reportgen.governance.history import (
    RunHistory,
    collect_runs,
    draw_sparkline,
    iter_trend_lines,
    render_trend_page,
    summarize_run,
)
from reportgen.governance.run_diff import Run
from reportgen.report.archive import dump_results
from reportgen.results import Results
from tests.end_to_end.wallet import heard
from tests.worked import results_of


def story(folder: Path, count: int = 5) -> list[Results]:
    """Runs a week apart, the third on other rows, the last with a failed gate."""
    first = results_of("wallet")
    told, runs = first.digests, []
    assert told is not None
    for week in range(count):
        rows = "other" if week >= 2 else told.datasets[0].rows
        gates = (
            tuple(replace(g, status="not met") for g in first.gates) if week == 4 else first.gates
        )
        run = replace(
            first,
            gates=gates,
            provenance={**first.provenance, "time": f"2026-01-{week + 1:02}T00:00:00Z"},
            digests=replace(told, datasets=(replace(told.datasets[0], rows=rows),)),
            history=tuple(summarize_run(Run(each, f"{k:064}")) for k, each in enumerate(runs)),
        )
        runs.append(run)
    (folder / "last").mkdir()
    (folder / "last" / "results.json").write_bytes(dump_results(runs[-1]))
    return runs


def test_a_report_and_its_history_are_told_run_by_run(tmp_path: Path) -> None:
    story(tmp_path)
    found = collect_runs(tmp_path)
    assert [run.time[:10] for run in found.runs] == [f"2026-01-0{day}" for day in range(1, 6)]
    told = "\n".join(iter_trend_lines(found))
    assert told.startswith("Kendall's τ-b, 5 runs\n")
    assert "2026-01-03 000000000000: other rows" in told
    assert "2026-01-05" in told and "gate failed: " in told.rpartition("2026-01-05")[2]
    assert told.count("other rows") == 1


def test_where_only_the_answer_differs_the_rule_is_named_and_not_the_model(tmp_path: Path) -> None:
    """Of runs with other answers, one has the same values, one other values, one other rows."""
    first = summarize_run(Run(results_of("wallet"), f"{0:064}"))
    values = {model: (0.1, 0.0, 0.2) for model in first.values}
    runs = (
        first,
        replace(first, verdict="No", decision="other", digest=f"{1:064}"),
        replace(first, values=values, digest=f"{2:064}"),
        replace(first, values=values, verdict="No", rows="other", digest=f"{3:064}"),
    )
    pile = RunHistory(runs, "Wallet")
    said = "The rule changed, not the model"
    assert [said in line for line in list(iter_trend_lines(pile))[-3:]] == [True, False, False]
    assert render_trend_page(pile).count(said) == 1


def test_each_run_stands_once_however_often_it_is_found(tmp_path: Path) -> None:
    story(tmp_path)
    again = tmp_path / "again"
    again.mkdir()
    (again / "results.json").write_bytes((tmp_path / "last" / "results.json").read_bytes())
    assert len(collect_runs(tmp_path).runs) == 5


def test_the_page_has_a_panel_a_model_and_a_row_a_run(tmp_path: Path) -> None:
    story(tmp_path)
    made = render_trend_page(collect_runs(tmp_path))
    assert made.count("<svg") >= 1 and "2026-01-03, other rows" in made
    code, said, _ = heard("trend", tmp_path, "--out", tmp_path / "trend.html", cwd=tmp_path)
    assert code == 0 and "5 runs" in said
    assert (tmp_path / "trend.html").read_text(encoding="utf-8") == made


def test_runs_of_another_metric_are_left_out_and_that_is_said(tmp_path: Path) -> None:
    story(tmp_path)
    other = results_of("digits")
    (tmp_path / "old").mkdir()
    early = replace(other, provenance={**other.provenance, "time": "2025-01-01T00:00:00Z"})
    (tmp_path / "old" / "results.json").write_bytes(dump_results(early))
    found = collect_runs(tmp_path)
    assert len(found.runs) == 5
    assert found.notes == ("left out: 1 of another primary metric",)


def test_a_folder_without_reports_is_told(tmp_path: Path) -> None:
    code, _, error = heard("trend", tmp_path, cwd=tmp_path)
    assert code == 3 and "there is no results.json in it" in error


def test_equal_values_are_bars_of_the_middle() -> None:
    assert draw_sparkline([2.0, 2.0]) == "▅▅"

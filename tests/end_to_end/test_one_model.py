"""One model alone: its costs are told, and nothing is called the cheapest."""

from tests.end_to_end.wallet import call, put

ONE = {"clv": {"label": "CLV", "column": "score_clv_bgnbd_gg"}}
ASKED = {"models": ONE, "metrics": ["mae"], "primary": None, "gates": [], "outputs": ["markdown"]}


def costs_of(folder, **costs):
    put(folder, **ASKED, costs=costs)
    assert call("run", folder / "wallet.yaml", "--out", folder / "out", "--quiet") == 0
    page = (folder / "out" / "report.md").read_text(encoding="utf-8")
    return page.partition("## Costs")[2].partition("\n## ")[0]


def test_the_section_on_costs_names_no_winner(tmp_path):
    said = costs_of(tmp_path, asymmetries=[0.5, 0.8])
    assert "Per row, CLV overpredicts by " in said
    assert "This section says what errors cost" in said
    assert "CLV is the cheapest" not in said and "Cheapest" not in said


def test_a_one_sided_cost_of_one_model_has_as_many_cells_as_columns(tmp_path):
    said = costs_of(tmp_path, asymmetries=[1.0])
    rows = [line for line in said.splitlines() if line.startswith("|")]
    first = [line.count("|") for line in rows[:4]]
    assert first and len(set(first)) == 1

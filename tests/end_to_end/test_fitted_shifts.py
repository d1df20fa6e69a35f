"""Shifts that are learnt on one part of the wallet and judged on another."""

import copy

import pytest

from reportgen.report import archive
from reportgen.report.document import Figure, iter_unfolded
from reportgen.report.sections.costs import costs as costs_section
from tests.end_to_end.wallet import TINY, call, customers, dataset, heard, put, results

SHARED = {"path": "wallet.csv", "id": "customer_id", "target": "y_spend_hold"}
MODELS = {
    "clv": {"label": "CLV", "column": "score_clv_bgnbd_gg", "role": "baseline"},
    "boosted": {"label": "Boosted", "column": "score_gbm_time"},
    "spread": {"columns": {"mean": "score_total_cal", "sd": "avg_order"}},
}
FITTED = {"name": "expected_cost", "as": "fitted", "alpha": 0.8, "shift": "fitted"}
ASKED = {
    "datasets": {
        "test": {**SHARED, "filter": "fold == 'test'"},
        "fit": {**SHARED, "filter": "fold == 'fit'", "role": "fit"},
    },
    "models": MODELS,
    "metrics": [
        "mae",
        FITTED,
        {"name": "expected_cost", "as": "best", "alpha": 0.8, "shift": "optimal"},
        {"name": "expected_cost", "as": "bent", "alpha": 0.8, "shift": "fitted", "degree": 2},
        {"name": "expected_cost", "as": "soft", "alpha": 0.8, "shift": "soft"},
    ],
    "primary": {"metric": "fitted", "margin": "5%"},
    "costs": {"asymmetries": [0.8]},
    "gates": [
        {"name": "cheap", "rule": "below", "metric": "fitted", "model": "boosted", "value": 999}
    ],
}

# The same without the section on costs and curves, for what stands elsewhere.
FEW = {"costs": None, "curves": [], "sensitivity": "none"}


def split(count=120):
    rows = customers(count)
    return [{**row, "fold": ("fit", "test")[place % 2]} for place, row in enumerate(rows)]


def asked(**changes):
    return {**copy.deepcopy(ASKED), **changes}


def said(folder, rows=None, **changes):
    """What the program says of a config that it refuses, and with which exit code."""
    put(folder, split() if rows is None else rows, **asked(**changes))
    code, _, error = heard("run", "wallet.yaml", cwd=folder)
    return code, error.strip().splitlines()[-1]


def made(folder, rows=None, **changes):
    put(folder, split() if rows is None else rows, **asked(**changes))
    assert call("run", folder / "wallet.yaml", "--out", folder / "out", "--quiet") == 0
    return results(folder / "out")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The config as it is, run once for all tests that ask for nothing else."""
    return made(tmp_path_factory.mktemp("plain"))


def value(found, key, model):
    return next(e["value"] for e in found["estimates"] if (e["key"], e["model"]) == (key, model))


def test_a_gate_may_rest_on_a_fitted_shift(plain):
    assert plain["gates"][0]["status"] == "met"
    assert value(plain, "fitted", "clv") >= value(plain, "best", "clv")


def test_a_gate_may_name_the_shift_itself(tmp_path):
    gate = {
        "name": "cheap",
        "rule": "below",
        "metric": "expected_cost",
        "alpha": 0.8,
        "shift": "fitted",
        "degree": 0,
        "model": "boosted",
        "value": 999,
    }
    assert made(tmp_path, gates=[gate], **FEW)["gates"][0]["status"] == "met"


@pytest.mark.full
def test_every_output_tells_what_can_be_put_to_use(tmp_path):
    found = made(tmp_path, outputs=["html", "pdf", "markdown", "json", "junit"])
    assert found["costs"][0]["shifts"]
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "is the cheapest option that you can use" in text
    for said in ("is the cheapest option that you can use", "The fitted constant raises the"):
        assert said in page


@pytest.mark.full
@pytest.mark.parametrize(
    "design",
    [{"time": "age_days"}, {"cluster": "cohort"}, {"strata": "segment"}, {"weight": "weight"}],
)
def test_rows_to_fit_are_resampled_as_they_hang_together(tmp_path, design):
    datasets = {name: {**each, **design} for name, each in ASKED["datasets"].items()}
    found = made(tmp_path, datasets=datasets, allow={"too_few": "three cohorts"})
    gaps = [s["gap"] for s in found["costs"][0]["shifts"] if s["method"] == "fitted"]
    assert gaps and all(0 <= gap["low"] <= gap["high"] for gap in gaps)


def test_only_a_model_with_a_density_is_soft(plain):
    soft = {e["model"]: e for e in plain["estimates"] if e["key"] == "soft"}
    assert soft["spread"]["status"] == "ok"
    assert soft["clv"]["status"] == "not applicable"
    assert soft["clv"]["reason"] == ("CLV has no density: no columns mean and sd, and no quantiles")


@pytest.mark.parametrize(
    ("inconclusive", "code", "status"),
    [("warn", 1, "not met"), ("fail", 1, "not met"), ("pass", 0, "cannot tell")],
)
def test_a_gate_on_what_does_not_apply_is_no_pass(tmp_path, inconclusive, code, status):
    gate = {"name": "cheap", "rule": "below", "metric": "soft", "model": "clv", "value": 999}
    put(tmp_path, split(), **asked(gates=[gate | {"inconclusive": inconclusive}], **FEW))
    out = tmp_path / "out"
    assert call("run", tmp_path / "wallet.yaml", "--out", out, "--quiet") == code
    [found] = results(out)["gates"]
    assert (found["status"], found["reason"]) == (
        status,
        "cannot be judged: CLV has no density: no columns mean and sd, and no quantiles",
    )


@pytest.mark.full
def test_a_dataset_to_fit_moves_no_other_number(tmp_path):
    plain = [{"name": "expected_cost", "as": "best", "alpha": 0.8, "shift": "optimal"}, "mae"]
    without = {"test": ASKED["datasets"]["test"]}
    changes = {"metrics": plain, "primary": None, "gates": None}
    first = made(tmp_path, **changes)
    second = made(tmp_path, **changes, datasets=without)
    assert first["estimates"] == second["estimates"]
    assert first["comparisons"] == second["comparisons"]
    assert first["sensitivity"] == second["sensitivity"]
    # ranges and crossings are no tighter than the decision's limits, which allow for all
    (one,), (other,) = first["costs"], second["costs"]
    for name in ("decompositions", "envelope", "points", "mixtures"):
        assert [row for row in one[name] if row.get("shift") != "fitted"] == other[name]
    ours = [each for each in one["decisions"] if each["shift"] != "fitted"]
    for mine, same in zip(ours, other["decisions"], strict=True):
        assert [*map(alone, mine.pop("models"))] == [*map(alone, same.pop("models"))]
        assert alone(mine) == alone(same)
    costs = {(o["model"], o["method"]): o["cost"] for o in one["options"]}
    assert all(costs[o["model"], o["method"]] == o["cost"] for o in other["options"])


FAMILY = ("saving", "saving_same_shift", "saving_by_shift", "saving_share", "excess")


def alone(row):
    """Without what allows for all ways to act, which are more with rows to fit."""
    values = {k: v["value"] if k in FAMILY else v for k, v in row.items()}
    judged = ("not_distinguishable", "is_distinguishable", "is_stable", "is_advised")
    return {k: v for k, v in values.items() if k not in judged}


@pytest.mark.full
def test_threads_move_nothing(tmp_path):
    put(tmp_path, split(), **asked())
    outs = []
    for threads in (1, 3):
        out = tmp_path / f"out{threads}"
        words = ("run", tmp_path / "wallet.yaml", "--out", out, "--threads", threads, "--no-cache")
        assert call(*words, "--quiet") == 0
        found = results(out)
        outs.append((found["estimates"], found["costs"], found["curves"]))
    assert outs[0] == outs[1]


def test_a_fitted_shift_needs_rows_to_fit_on(tmp_path):
    code, line = said(tmp_path, datasets=dataset(segments=None), primary=None, gates=None)
    assert code == 2
    assert line.endswith("shift: 'fitted' needs rows to fit on; add a dataset with role: fit")


def test_rows_that_teach_a_shift_are_not_judged_with_it(tmp_path):
    both = {**ASKED["datasets"], "fit": {**SHARED, "role": "fit"}}
    code, line = said(tmp_path, datasets=both)
    assert code == 3
    assert line.endswith(
        "datasets 'test' and 'fit' share 60 ids (first '00197'); a shift must not be judged on "
        "rows that it was fitted on: set a `filter` on each, or `used_to_fit: true` on 'test' to "
        "go on with a warning"
    )


def test_rows_that_nothing_is_fitted_on_may_be_any(tmp_path):
    both = {**ASKED["datasets"], "fit": {**SHARED, "role": "fit"}}
    found = made(tmp_path, datasets=both, metrics=["mae"], costs=None, primary=None, gates=None)
    assert value(found, "mae", "clv") > 0


def codes(found):
    """The codes of doubts about shifts, with their numbers."""
    of_shifts = ("W115", "W116", "W117")
    return {w["code"]: w["numbers"] for w in found["warnings"] if w["code"] in of_shifts}


@pytest.mark.full
def test_rows_that_teach_may_be_judged_where_the_config_says_so_which_every_output_tells(tmp_path):
    both = {
        "test": {**SHARED, "used_to_fit": True},
        "fit": {**SHARED, "filter": "fold == 'fit'", "role": "fit"},
    }
    found = made(tmp_path, datasets=both, outputs=["html", "pdf", "markdown", "json", "junit"])
    assert codes(found) == {"W115": {"shared": 60, "rows": 120, "fit": "fit"}}
    said = "fitted on the dataset fit, which contains 60 of the 120 ids of the test rows"
    for name in ("report.md", "report.html"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert said in text
        assert "the savings are overstated" in text


@pytest.mark.full
@pytest.mark.parametrize(
    ("changed", "is_own"),
    [
        ({}, True),
        ({"target": "avg_order"}, False),
        ({"weight": "avg_order"}, False),
    ],
)
def test_the_fitted_constant_is_the_best_one_only_where_the_rows_are_the_same(
    tmp_path, changed, is_own
):
    both = {"test": {**SHARED, "used_to_fit": True}, "fit": {**SHARED, **changed, "role": "fit"}}
    found = made(tmp_path, datasets=both)
    methods = {each["method"] for each in found["costs"][0]["shifts"]}
    assert ("fitted" not in methods) is is_own


@pytest.mark.full
@pytest.mark.parametrize("is_own", [False, True])
def test_what_rows_taught_themselves_is_no_advice(tmp_path, is_own):
    rows = [
        {**row, "y_spend_hold": str((k % 20) ** 2 + k % 3), "score_clv_bgnbd_gg": str(k % 20)}
        for k, row in enumerate(split(160))
    ]
    both = {"test": {**SHARED, "used_to_fit": True}, "fit": {**SHARED, "role": "fit"}}
    made(
        tmp_path,
        rows,
        datasets=both if is_own else ASKED["datasets"],
        gates=None,
        metrics=["mae"],
        primary=None,
        outputs=["markdown"],
    )
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert ("Cheapest at 4 : 1: CLV with its fitted polynomial" in text) is not is_own


def test_a_warning_of_shared_rows_may_be_fatal(tmp_path):
    both = {"test": {**SHARED, "used_to_fit": True}, "fit": {**SHARED, "role": "fit"}}
    put(tmp_path, split(), **asked(datasets=both, warnings={"fatal": ["W115"]}, **FEW))
    assert call("run", tmp_path / "wallet.yaml", "--out", tmp_path / "out", "--quiet") == 1


def test_few_rows_teach_with_a_warning(tmp_path):
    found = made(tmp_path, rows=split(40), gates=None, **FEW)
    assert codes(found) == {"W116": {"rows": 20, "few": 30, "fit": "fit"}}


def test_sixty_rows_of_others_teach_without_one(plain):
    assert codes(plain) == {}


@pytest.mark.parametrize(
    ("degree", "count", "said_of"),
    [
        (0, 4, "a shift is fitted on 5 or more"),
        (5, 6, "a polynomial of degree 5 is fitted on 7 or"),
    ],
)
def test_fewer_rows_than_a_shift_wants_teach_nothing(tmp_path, degree, count, said_of):
    rows = [{**row, "fold": "fit" if k < count else "test"} for k, row in enumerate(split(60))]
    costs = {"asymmetries": [0.8], "degree": degree}
    code, line = said(tmp_path, rows=rows, costs=costs, metrics=["mae"], primary=None, gates=None)
    assert code == 3
    assert f"dataset 'fit' has {count} rows; {said_of}" in line
    assert line.endswith("add rows, or remove the dataset")


@pytest.mark.parametrize("weighing", [20, 3])
def test_rows_of_weight_zero_teach_nothing(tmp_path, weighing):
    rows = split(80)
    rows = [{**row, "heavy": str(int(k < 2 * weighing))} for k, row in enumerate(rows)]
    datasets = copy.deepcopy(ASKED["datasets"])
    datasets["fit"]["weight"] = "heavy"
    if weighing == 20:
        found = codes(made(tmp_path, rows, datasets=datasets, gates=None, **FEW))
        assert found == {"W116": {"rows": 20, "few": 30, "fit": "fit"}}
    else:
        _, line = said(tmp_path, rows=rows, datasets=datasets)
        assert "dataset 'fit' has 3 rows that weigh; a shift is fitted on 5 or more" in line


@pytest.mark.parametrize(
    ("other", "told"), [("cohort", {"W117"}), ("segment", set()), (None, set())]
)
def test_clusters_that_teach_and_judge_are_told(tmp_path, other, told):
    datasets = copy.deepcopy(ASKED["datasets"])
    datasets["test"]["cluster"] = "cohort"
    datasets["fit"] |= {"cluster": other} if other else {}
    found = made(tmp_path, datasets=datasets, **FEW, **TINY)
    assert set(codes(found)) == told


def test_clusters_that_only_teach_or_only_judge_are_no_doubt(tmp_path):
    datasets = {name: {**each, "cluster": "own"} for name, each in ASKED["datasets"].items()}
    rows = [{**row, "own": f"{row['fold']}-{k // 4}"} for k, row in enumerate(split())]
    assert codes(made(tmp_path, rows, datasets=datasets, **FEW)) == {}


@pytest.mark.full
def test_a_polynomial_with_alpha_is_a_metric_and_a_way_of_the_table(tmp_path):
    metric = {
        "name": "expected_cost",
        "as": "across",
        "alpha": 0.8,
        "shift": "fitted",
        "degree": 2,
        "with_alpha": True,
    }
    costs = {"asymmetries": [0.8], "degree": 2, "with_alpha": True}
    models = {**MODELS, "orders": {"column": "avg_order"}}
    found = made(tmp_path, metrics=[metric], costs=costs, primary=None, gates=None, models=models)
    shifts = found["costs"][0]["shifts"]
    cost = {each["model"]: each["cost"]["value"] for each in shifts if each["method"] == "surface"}
    assert value(found, "across", "clv") == pytest.approx(cost["clv"])
    section = costs_section.build_costs_section(
        archive.load_results(tmp_path / "out" / "results.json")
    )
    figure = next(
        b for b in iter_unfolded(section.blocks) if isinstance(b, Figure) and b.id == "cost-gap"
    )
    assert "where a few extreme scores account for the saving" in figure.caption
    assert gap_table_of(found) == [tuple(c.value for c in row[1:]) for row in figure.table.rows]


def gap_table_of(found):
    """The gaps of each model, then at each α, as the table beside their figure should have them."""
    gaps = {
        (c["model"], c["params"]["method"]): dict(zip(c["x"], c["y"], strict=True))
        for c in found["curves"]
        if c["curve"] == "cost_gap"
    }
    ways = ("fitted", "polynomial", "surface")
    shown = [round(0.02 + 0.04 * k, 2) for k in range(0, 25, 6)]
    models = (*MODELS, "orders")
    return [(x, *(gaps[model, way][x] for way in ways)) for model in models for x in shown]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"degree": 0}, "costs has with_alpha: true, which takes a degree from 1 to 5"),
        ({"loss": "quadquad"}, "costs has with_alpha: true, which takes loss: linlin alone"),
    ],
)
def test_a_polynomial_with_alpha_that_cannot_be_is_refused(tmp_path, changes, fault):
    code, line = said(tmp_path, costs={"asymmetries": [0.8], "with_alpha": True, **changes})
    assert code == 2
    assert line.endswith(fault)


def test_a_model_has_a_column_in_the_rows_to_fit_too(tmp_path):
    import csv

    rows = split()
    lacking = [{k: v for k, v in row.items() if k != "score_gbm_time"} for row in rows]
    other = {**ASKED["datasets"], "fit": {**SHARED, "path": "fit.csv", "role": "fit"}}
    with (tmp_path / "fit.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lacking[0]))
        writer.writeheader()
        writer.writerows(lacking[::2])
    code, line = said(tmp_path, datasets=other)
    assert code == 2
    assert "score_gbm_time" in line and "fit.csv" in line


def test_of_several_datasets_to_fit_one_is_named(tmp_path):
    more = {**ASKED["datasets"], "later": {**SHARED, "filter": "fold == 'x'", "role": "fit"}}
    code, line = said(tmp_path, datasets=more)
    assert code == 2
    assert line.endswith(
        "datasets.test: 2 datasets have role: fit; say which one its shifts or "
        "cut-offs are fitted on: fit: fit"
    )


def test_the_dataset_to_fit_on_that_is_named_has_that_role(tmp_path):
    named = {**ASKED["datasets"], "test": {**ASKED["datasets"]["test"], "fit": "test"}}
    code, line = said(tmp_path, datasets=named)
    assert code == 2
    assert line.endswith(
        "datasets.test.fit: there is no dataset 'test' with role: fit in this config; known: fit"
    )


def test_a_negative_spread_is_told_with_its_place(tmp_path):
    rows = split()
    rows[7]["avg_order"] = "-2.5"
    code, line = said(tmp_path, rows)
    assert code == 3
    assert line.endswith(
        "wallet.csv: column 'avg_order', the sd of model 'spread', has 1 negative value of 60 "
        "(first -2.5 at line 9); a standard deviation is 0 or more"
    )


def test_quantiles_that_cross_are_told_with_their_place(tmp_path):
    rows = [{**row, "low": "1", "high": "2"} for row in split()]
    rows[3]["low"] = "5"
    models = {"clv": MODELS["clv"], "spread": {"columns": {"q10": "low", "q90": "high"}}}
    code, line = said(tmp_path, rows, models=models, gates=None)
    assert code == 3
    assert line.endswith(
        "wallet.csv: quantiles of model 'spread' cross: q10 (column 'low') is above q90 (column "
        "'high') in 1 row of 60 (first 5 above 2 at line 5); sort them within each row"
    )


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        (
            {"sd": "avg_order"},
            "models.spread.columns has sd without mean; a Normal density needs both",
        ),
        (
            {"mean": "avg_order", "sd": "n_cds", "q10": "n_orders"},
            "models.spread.columns has both sd and quantiles; keep one of the two",
        ),
        (
            {"q50": "avg_order"},
            "models.spread.columns has one quantile, q50; a density needs two or more",
        ),
        (
            {"q50": "avg_order", "q100": "n_cds"},
            "models.spread.columns.q100: a quantile lies above 0% and below 100%, as q10 does",
        ),
    ],
)
def test_columns_that_are_no_density_are_refused(tmp_path, columns, fault):
    models = {"clv": MODELS["clv"], "spread": {"columns": columns}}
    code, line = said(tmp_path, models=models, gates=None)
    assert code == 2
    assert line.endswith(fault)

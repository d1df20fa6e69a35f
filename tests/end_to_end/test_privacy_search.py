"""No number that `privacy: strict` publishes is that of fewer rows than `min_cell`.

Values of random data have nine digits each, so that a number of a report which equals one of them
tells of that row, and not by chance. All that two rows at an end, or up to nine neighbours of an
order, add up to is searched for as well, in every file of a report.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pypdf
import pytest
import yaml

from reportgen.planning.loading import build_vocabulary
from tests.end_to_end.wallet import heard

FEWEST = 10  # rows that a number of a strict report is made of, at least
DIGITS = 9  # of which a number is recognized
NUMBER = re.compile(r"(?<![\w.#])[-−]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
OUTPUTS = ["html", "json", "markdown", "junit", "metrics", "curves", "openmetrics", "tables"]
NEEDED: dict[str, dict[str, Any]] = {
    "topk_capture": {"k": 2},
    "capture": {"share": 0.1},
    "lift": {"k": 3},
    "fap": {"k": 3},
    "ranking_first": {"buckets": 4, "statistic": "median"},
    "ranking_last": {"buckets": 4, "quantile": 0.7},
    "precision_at": {"recall": 0.8},
    "fpr_at": {"recall": 0.8},
    "cutoff_auc": {"above": 20},
    "deviance": {"power": 1.5},
    "interval_score": {"level": 0.8},
    "quantile_coverage": {"quantile": 0.8},
    "pinball": {"alpha": 0.5},
    "asymmetric_cost": {"alpha": 0.8},
    "expected_cost": {"alpha": 0.8},
}
OF_FEW = ("median_ae", "topk_capture", "capture", "lift", "fap", "ranking_first", "ranking_last")
NOT_HERE = ("finished_score", "misclassification_cost")
OF_CLASSES = {
    "multiclass": "accuracy f precision recall log_loss brier kappa mcc balanced_accuracy",
    "multilabel": "f precision recall log_loss brier",
}
Columns = dict[str, np.ndarray]


@dataclass
class Case:
    """Random data with a config, and the numbers that are of few rows."""

    config: dict[str, Any]
    columns: Columns
    secrets: dict[str, str] = field(default_factory=dict)
    amounts: Columns = field(default_factory=dict)

    def add_secret(self, value: float, about: str) -> None:
        """Take in a number that no report may hold, unless it has few digits."""
        if np.isfinite(value) and len(digits := find_digits(f"{abs(value):.9e}")) >= DIGITS - 1:
            self.secrets.setdefault(digits, about)

    def add_order(self, order: str, about: str, rows: np.ndarray, values: np.ndarray) -> None:
        """Take in what up to nine rows at either end of an order sum up to, and their means."""
        for end, run in (("first", rows), ("last", rows[::-1])):
            sums = np.cumsum(values[run[: FEWEST - 1]])
            for k, total in enumerate(sums, start=1):
                for name, each in (
                    ("sum", total),
                    ("mean", total / k),
                    ("share", total / len(rows)),
                    ("part", total / values.sum()),
                ):
                    self.add_secret(each, f"{name} of {about} of the {end} {k} by {order}")

    def add_names(self, column: str, names: np.ndarray) -> None:
        """Add names of rows, or of few rows, to the secrets."""
        for name in names:
            if len(digits := str(name).rstrip("0")) >= DIGITS - 1:
                self.secrets.setdefault(digits, f"a name of {column}")

    def add_groups(self, column: str, names: np.ndarray, values: Columns) -> None:
        """Add the sums and means of groups of few rows to the secrets."""
        for name in np.unique(names):
            inside = names == name
            if (rows := int(inside.sum())) < FEWEST:
                for kind, each in values.items():
                    total = float(each[inside].sum())
                    self.add_secret(total, f"sum of {kind} of {column} {name}")
                    self.add_secret(total / rows, f"mean of {kind} of {column} {name}")

    def add_columns(self, columns: Columns, orders: Columns) -> None:
        """Take in each value of columns, and what few rows of each order add up to."""
        self.amounts |= columns
        for name, values in columns.items():
            for row, value in enumerate(values):
                self.add_secret(float(value), f"{name} of row {row}")
        for order, by in orders.items():
            rows = np.argsort(by)
            for name, values in columns.items():
                self.add_order(order, name, rows, values)
                middles = (values[rows][1:] + values[rows][:-1]) / 2
                for k, value in enumerate(middles):
                    self.add_secret(float(value), f"{name} of rows {k} and {k + 1} by {order}")


def find_digits(number: str) -> str:
    """Return the digits of a number that say something, of ten at most.

    >>> find_digits("-0.0012300"), find_digits("1,234.5"), find_digits("12345678904e3")
    ('123', '12345', '123456789')
    """
    plain = re.split("[eE]", number.lstrip("-−").replace(",", ""))[0]
    digits = plain.replace(".", "").lstrip("0")
    if len(digits) > 10:
        digits = f"{float('0.' + digits):.10f}"[2:]
    return digits.rstrip("0")


def draw(rng: np.random.Generator, n: int) -> np.ndarray:
    """Amounts of nine digits, some far larger than the rest, no two the same."""
    return np.array([float(f"{x:.9g}") for x in np.exp(rng.normal(3, 1, n))])


def draw_probabilities(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    logits = 2 * y - 1 + rng.normal(0, 1.3, len(y))
    return np.array([float(f"{x:.9g}") for x in 1 / (1 + np.exp(-logits))])


def name_metrics(rng: np.random.Generator, task: str, most: int = 3) -> list[Any]:
    """Name metrics of a task; every other time the first is one of few rows, if there is any."""
    words = build_vocabulary().select_task(task).metrics
    names = [n for n in words if words[n].task == task and n not in NOT_HERE]
    names = list(dict.fromkeys(OF_CLASSES.get(task, "").split() + names))
    chosen = [str(n) for n in rng.permutation(names)[:most]]
    of_few = [n for n in OF_FEW if n in names]
    if of_few and rng.random() < 0.5:
        first = str(rng.choice(of_few))
        chosen = [first, *(n for n in chosen if n != first)][:most]
    has_needs = task != "ranking"
    if task == "binary":  # whose buckets have means alone
        chosen = [n for n in chosen if not n.startswith("ranking_")] or ["roc_auc"]
    return [{"name": n, **NEEDED[n]} if has_needs and n in NEEDED else n for n in chosen]


def name_curves(rng: np.random.Generator, task: str, most: int = 4) -> list[Any]:
    words = build_vocabulary().curves
    names = [
        name
        for name, word in words.items()
        if word.task == task and not any(p.is_required for p in word.parameters.values())
    ]
    chosen: list[Any] = [str(name) for name in rng.permutation(names)[:most]]
    if task == "regression" and rng.random() < 0.3:
        chosen = [c for c in chosen if c != "ranking"]
        chosen.append({"name": "ranking", "statistic": "median"})
    return chosen


def build_case(rng: np.random.Generator, task: str, n: int, **parts: Any) -> Case:
    config = {
        "version": 1,
        "report": {"title": "A search", "length": "full"},
        "task": task,
        "privacy": "strict",
        "datasets": {"test": {"path": "test.csv", "id": "id", "target": "y"}},
        "models": {"a": {"role": "baseline", "column": "a"}, "b": {"column": "b"}},
        "metrics": name_metrics(rng, task),
        "bootstrap": {"replicates": 39, "seed": 1},
        "curves": name_curves(rng, task),
        "outputs": OUTPUTS,
    }
    if task != "finished":
        config["primary"] = {"metric": get_key(config["metrics"][0])}
        config["gates"] = draw_gates(rng, config["metrics"])
    part = rng.choice(["few", "some", "many"], n, p=[0.1, 0.4, 0.5])
    case = Case(config, {"id": draw_names(rng, n), "part": part}, **parts)
    case.add_names("id", case.columns["id"])
    if rng.random() < 0.15:
        config["outputs"] = [*OUTPUTS, "pdf"]
    return case


def get_key(use: Any) -> str:
    return str(use if isinstance(use, str) else use["name"])


def draw_gates(rng: np.random.Generator, metrics: list[Any]) -> list[dict[str, Any]]:
    """Return a gate on each metric, against a value or the other model."""
    gates = []
    for k, use in enumerate(metrics):
        gate = {"name": f"g{k}", "metric": get_key(use), "model": "b", "inconclusive": "pass"}
        if rng.random() < 0.5:
            gates.append({**gate, "rule": "below", "value": 0.5})
        else:
            gates.append({**gate, "rule": "no_regression", "against": "a", "margin": 0.5})
    return gates


def draw_names(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw names of nine digits, no two the same."""
    return rng.choice(900_000_000, n, replace=False) + 100_000_000


def group_rows(rng: np.random.Generator, case: Case, n: int, values: Columns) -> None:
    """Add clusters of few rows, or folds of which one has few, or neither."""
    data, kind = case.config["datasets"]["test"], rng.random()
    if kind < 0.25:
        names = draw_names(rng, n // 3 + 1)
        data["cluster"] = "shop"
        case.columns["shop"] = shops = rng.choice(names, n)
        case.add_names("shop", shops)
        case.add_groups("shop", shops, values)
    elif kind < 0.5 and not {"segments", "weight"} & data.keys():
        data["fold"] = "fold"
        case.columns["fold"] = folds = rng.choice(5, n, p=[0.06, 0.24, 0.2, 0.25, 0.25])
        case.add_groups("fold", folds, values)


def slice_rows(rng: np.random.Generator, case: Case, n: int) -> np.ndarray:
    """Perhaps have weights and slices; return the weights."""
    data = case.config["datasets"]["test"]
    if rng.random() < 0.5:
        data["segments"] = ["part"]
    if rng.random() < 0.3:
        data["weight"] = "weight"
        case.columns["weight"] = draw(rng, n)
        case.add_columns({"weight": case.columns["weight"]}, {"weight": case.columns["weight"]})
        return case.columns["weight"]
    return np.ones(n)


def draw_regression(rng: np.random.Generator, n: int) -> Case:
    case = build_case(rng, "regression", n)
    y = draw(rng, n)
    case.columns |= {"y": y, "a": draw(rng, n), "b": np.round(y * draw(rng, n) / 20, 7)}
    if "mase" in case.config["metrics"]:
        case.config["datasets"]["test"]["time"] = "day"
        case.columns["day"] = np.arange(n)
    slice_rows(rng, case, n)
    kind = rng.random()
    if kind < 0.4:
        case.config["costs"] = {"under": 4, "over": 1}
    elif kind < 0.7:
        case.config["costs"] = {"under": {"column": "under"}, "over": {"column": "over"}}
        case.columns |= {"under": draw(rng, n), "over": draw(rng, n)}
    if rng.random() < 0.4:
        data = case.config["datasets"]
        data["fit"] = {**data["test"], "role": "fit", "filter": "half == 'fit'"}
        data["test"]["filter"] = "half == 'test'"
        case.columns["half"] = rng.choice(["fit", "test"], n)
    errors = {f"error of {m}": case.columns[m] - y for m in "ab"}
    sizes = {f"size of the {k}": np.abs(e) for k, e in errors.items()}
    squares = {f"square of the {k}": e * e for k, e in errors.items()}
    values = {m: case.columns[m] for m in ("y", "a", "b")} | sizes | squares
    for name in ("under", "over"):
        if name in case.columns:
            values[name] = case.columns[name]
            values |= {f"{name} times {k}": case.columns[name] * s for k, s in sizes.items()}
    case.add_columns(values, {m: case.columns[m] for m in ("y", "a", "b")} | sizes)
    if "half" not in case.columns:
        group_rows(rng, case, n, values)
    if any("median_ae" in str(each) for each in case.config["metrics"]):
        one, other = sizes.values()
        for each in (other[:, None] - one).ravel():
            case.add_secret(float(each), "difference of two errors")
    return case


def draw_binary(rng: np.random.Generator, n: int) -> Case:
    case = build_case(rng, "binary", n)
    y = (rng.random(n) < rng.choice([0.15, 0.4])).astype(int)
    case.columns |= {"y": y} | {m: draw_probabilities(rng, y) for m in "ab"}
    slice_rows(rng, case, n)
    kind = rng.random()
    if kind < 0.3:
        case.config["costs"] = {"fp": {"column": "over"}, "fn": {"column": "under"}}
        case.columns |= {"under": draw(rng, n), "over": draw(rng, n)}
        costs = {name: case.columns[name] for name in ("under", "over")}
        case.add_columns(costs, costs | {m: case.columns[m] for m in "ab"})
    if kind >= 0.7:  # and no costs
        case.config["curves"] = [c for c in case.config["curves"] if "cost" not in c]
    if rng.random() < 0.3:
        case.config["datasets"]["test"]["second_target"] = "second"
        second = np.where(rng.random(n) < 0.9, y, 1 - y).astype(str)
        case.columns["second"] = np.where(rng.random(n) < 0.9, second, "")
    if 0.3 <= kind < 0.7:
        case.config["costs"] = {"fp": 1, "fn": 4}
        case.config["thresholds"] = {
            "share": {"share": 0.3},
            "best": {"maximize": "f", "on": "test"},
            "caught": {"reach": {"recall": 0.8}, "on": "test"},
            "most": {"k": 12},
            "cheapest": {"cost": True},
        }
    losses = {
        f"log loss of {m}": -np.log(np.where(y == 1, case.columns[m], 1 - case.columns[m]))
        for m in "ab"
    }
    squares = {f"square of {m}": (case.columns[m] - y) ** 2 for m in "ab"}
    values = {m: case.columns[m] for m in "ab"} | losses | squares
    case.add_columns(values, {m: case.columns[m] for m in "ab"} | losses)
    if min(rows := (int(y.sum()), int((1 - y).sum()))) < FEWEST:
        case.add_secret(rows[0] / n, "share of the first of two classes")
        case.add_secret(rows[1] / n, "share of the second of two classes")
    if "thresholds" not in case.config and "second" not in case.columns:
        group_rows(rng, case, n, values)
    return case


def draw_multiclass(rng: np.random.Generator, n: int) -> Case:
    case = build_case(rng, "multiclass", n)
    y = rng.choice(["x", "y", "z"], n, p=[0.1, 0.4, 0.5])
    case.config["models"] = {
        "a": {"role": "baseline", "columns": "a_{class}"},
        "b": {"columns": "b_{class}"},
    }
    case.config["classes"] = ["x", "y", "z"]
    case.columns["y"] = y
    for m in "ab":
        sizes = np.array([np.exp(rng.normal(0, 1, n) + (y == c)) for c in "xyz"])
        shares = np.round(sizes / sizes.sum(axis=0), 9)
        shares[2] = np.round(1 - shares[0] - shares[1], 9)
        case.columns |= {f"{m}_{c}": shares[k] for k, c in enumerate("xyz")}
        own = np.choose(np.searchsorted(["x", "y", "z"], y), shares)
        values = {f"{m} of {c}": shares[k] for k, c in enumerate("xyz")}
        values |= {f"log loss of {m}": -np.log(own)}
        case.add_columns(values, values)
    slice_rows(rng, case, n)
    return case


def draw_multilabel(rng: np.random.Generator, n: int) -> Case:
    case = build_case(rng, "multilabel", n)
    case.config["classes"] = ["u", "v", "w"]
    case.config["datasets"]["test"]["target"] = "y_{class}"
    case.config["thresholds"] = {"half": {"fixed": 0.5}}
    case.config["models"] = {
        "a": {"role": "baseline", "columns": "a_{class}"},
        "b": {"columns": "b_{class}"},
    }
    for c, share in zip("uvw", (0.1, 0.3, 0.5), strict=True):
        y = (rng.random(n) < share).astype(int)
        scores = {f"{m}_{c}": draw_probabilities(rng, y) for m in "ab"}
        case.columns |= {f"y_{c}": y} | scores
        case.add_columns(scores, scores)
    slice_rows(rng, case, n)
    return case


def draw_ranking(rng: np.random.Generator, n: int) -> Case:
    queries, length = max(n // 3, 20), 6
    case = build_case(rng, "ranking", queries * length)
    rows = queries * length
    case.config["datasets"]["test"] = {
        "path": "test.csv",
        "id": "id",
        "target": "y",
        "query": "query",
    }
    case.config["ranking"] = {"relevant": 20}
    grades = draw(rng, rows)
    case.columns |= {
        "query": np.repeat(np.arange(queries), length),
        "y": grades,
        "a": draw(rng, rows),
        "b": np.round(grades * draw(rng, rows) / 20, 7),
    }
    case.add_columns({m: case.columns[m] for m in ("y", "a", "b")}, {})
    return case


def draw_finished(rng: np.random.Generator, n: int) -> Case:
    case = build_case(rng, "finished", n)
    del case.config["metrics"], case.config["datasets"]["test"]["target"]
    base = draw(rng, n)
    case.columns |= {"a": base, "b": np.round(base * np.exp(rng.normal(0.1, 0.4, n)), 7)}
    gaps = {"difference": case.columns["b"] - case.columns["a"]}
    values = {m: case.columns[m] for m in "ab"} | gaps
    case.add_columns(values, values)
    return case


TASKS: dict[str, Callable[[np.random.Generator, int], Case]] = {
    "regression": draw_regression,
    "binary": draw_binary,
    "multiclass": draw_multiclass,
    "multilabel": draw_multilabel,
    "ranking": draw_ranking,
    "finished": draw_finished,
}


def write_case(case: Case, folder: Path) -> None:
    with (folder / "test.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(case.columns)
        for row in zip(*case.columns.values(), strict=True):
            writer.writerow([repr(x.item()) if x.dtype.kind in "if" else x for x in row])
    (folder / "case.yaml").write_text(yaml.safe_dump(case.config, sort_keys=False))


def iterate_numbers(found: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Yield each number of parsed JSON, with where it stands."""
    if isinstance(found, dict):
        for key, each in found.items():
            yield from iterate_numbers(each, f"{where}.{key}")
    elif isinstance(found, list):
        for each in found:
            yield from iterate_numbers(each, f"{where}[]")
    elif isinstance(found, float):
        yield where, repr(found)
    elif isinstance(found, str):
        yield from ((where, number) for number in NUMBER.findall(found))


def read_output(path: Path) -> str:
    """Return the text of an output, of a PDF that of its pages."""
    if path.suffix == ".pdf":
        return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)
    return path.read_text(encoding="utf-8", errors="replace")


def find_secrets(case: Case, out: Path) -> list[str]:
    """Return what the files of a report tell of few rows."""
    found: dict[str, None] = {}
    for path in sorted(out.rglob("*")):
        if not path.is_file():
            continue
        text = read_output(path)
        if path.name == "results.json":
            plain = json.loads(text)
            for curve in plain["curves"]:
                numbers = iterate_numbers(curve, f"curves.{curve['curve']}")
                plain["curves"] = []
                for where, number in numbers:
                    if (digits := find_digits(number)) in case.secrets:
                        found[f"{where}: {number} is {case.secrets[digits]}"] = None
            numbers = iterate_numbers(plain)
        else:
            numbers = ((path.name, number) for number in NUMBER.findall(text))
        for where, number in numbers:
            if (digits := find_digits(number)) in case.secrets:
                found[f"{where}: {number} is {case.secrets[digits]}"] = None
    return list(found)


def find_combinations(case: Case, plain: dict[str, Any]) -> Iterator[str]:
    """Yield rows whose value is a combination of published means of neighbours in an order.

    A published number is the mean of a run of rows if it is so in ten digits. Two runs of which one
    holds the other, and few rows more, give these away.
    """
    texts = {n.lstrip("-−").replace(",", "") for _, n in iterate_numbers(plain)}
    numbers = np.array(sorted({*map(float, texts)} - {0.0}))
    for name, values in case.amounts.items():
        ordered = np.sort(values)
        n = len(ordered)
        sums = np.concatenate([[0.0], np.cumsum(ordered)])
        first, last = np.triu_indices(n + 1, 1)
        sizes = last - first
        means = np.abs((sums[last] - sums[first]) / sizes)
        at = np.clip(np.searchsorted(numbers, means), 1, len(numbers) - 1)
        near = np.where(np.abs(numbers[at] - means) < np.abs(numbers[at - 1] - means), at, at - 1)
        is_published = np.abs(numbers[near] - means) <= 6e-10 * means
        runs = {
            (int(a), int(b)) for a, b in zip(first[is_published], last[is_published], strict=True)
        }
        runs.add((0, n))
        for a, b in sorted(runs):
            if b - a < FEWEST:
                yield f"mean of rows {a} to {b} by {name}"
            for c, d in runs:
                if a <= c and d <= b and 0 < (b - a) - (d - c) < FEWEST:
                    yield f"rows {a} to {b} less rows {c} to {d} by {name}"
        members = np.array([[a <= k < b for k in range(n)] for a, b in sorted(runs)], dtype=float)
        inverse = np.linalg.pinv(members)
        known = np.flatnonzero(np.abs(np.einsum("ij,ji->i", inverse, members) - 1) < 1e-6)
        for k in known:
            yield f"row {k} by {name} of {len(runs)} means"


def find_small_counts(case: Case, plain: dict[str, Any]) -> Iterator[str]:
    """Yield what results tell of the counts of few rows, or of all rows but few."""
    sensitivity, datasets = plain["sensitivity"], plain["datasets"]
    sizes = {d["name"]: d["n"] for d in datasets}
    told: list[tuple[str, float | None, float]] = []
    flags = [v for k, v in case.columns.items() if k.startswith("y_")]
    counts = np.sum(flags, axis=0).tolist() if flags else []
    for d in datasets:
        told += [("class", c["n"], d["n"]) for c in d["classes"] if len(d["classes"]) > 1]
        told += [("slice", s["n"], d["n"]) for s in d["segments"]]
        for c in d["columns"]:
            told.append((f"zeros of {c['column']}", c["zeros"], c["n"] if c["is_flag"] else np.inf))
            told.append((f"mode of {c['column']}", (c["mode_share"] or 0) * c["n"], np.inf))
    for w in sensitivity["wins"]:
        told += [(side, w[side], np.inf) for side in ("ahead", "level", "behind")]
        told.append(("worst", w["worst"] and w["worst_of"], np.inf))
    capped = [c for c in sensitivity["choices"] if c["value"] == "largest targets capped"]
    told += [("capped", max(c["n"] // 100, 1), np.inf) for c in capped]
    told += [("tail", t["rows"], np.inf) for t in sensitivity["tails"]]
    told += [("harm", (h["share"] or 0) * h["n"], np.inf) for h in sensitivity["harms"]]
    told += [("analysis", c["n"], sizes[c["dataset"]]) for c in sensitivity["choices"]]
    told += [("left out", s["rows"], np.inf) for d in sensitivity["deletions"] for s in d["sets"]]
    told += [("fold", v["n"], np.inf) for v in plain["fold_values"]]
    y = case.columns.get("y")
    if plain["task"] == "binary" and y is not None and min(y.sum(), (1 - y).sum()) < FEWEST:
        kinds = {c["curve"] for c in plain["curves"]} - {"distribution_score"}
        yield from (f"{kind} of a class of few rows" for kind in kinds)
        yield from (f"{c['happened']} happened" for c in plain["calibrations"] if c["happened"])
    for d in datasets:
        if d["labels_per_row"] is not None:
            told += [("labels", counts.count(x), np.inf) for x in d["labels_per_row"][1:]]
    for call in (*plain["points"], *plain["label_confusions"]):
        if not any(d["weight"] for d in datasets):
            cells = ("true_negatives", "false_positives", "false_negatives", "true_positives")
            told += [(name, call[name], np.inf) for name in cells]
    for what, n, whole in told:
        if n is not None and (0 < round(n, 6) < FEWEST or 0 < round(whole - n, 6) < FEWEST):
            yield f"{what}: {n:g} of {whole:g}"


def search_report(task: str, seed: int, folder: Path) -> list[str]:
    """Return what a report on random data tells of few rows."""
    rng = np.random.default_rng([seed, *map(ord, task)])
    case = TASKS[task](rng, int(rng.integers(60, 140)))
    write_case(case, folder)
    if task == "ranking":
        add_queries(case, folder)
    if rng.random() < 0.2:
        add_previous_run(rng, case, folder)
    code, _, error = heard("run", "case.yaml", "--out", "out", "--quiet", "--no-cache", cwd=folder)
    assert code in (0, 1), error
    plain = json.loads((folder / "out" / "results.json").read_text())
    return [
        *find_secrets(case, folder / "out"),
        *find_small_counts(case, plain),
        *find_combinations(case, plain),
    ]


def add_previous_run(rng: np.random.Generator, case: Case, folder: Path) -> None:
    """Run once with other scores, as the run that the report is compared with."""
    order = np.arange(len(case.columns["part"]))
    order[:20] = rng.permutation(order[:20])
    others = {k: v[order] for k, v in case.columns.items() if k == "b" or k.startswith("b_")}
    level = str(rng.choice(["open", "strict"]))
    config = {**case.config, "privacy": level}
    write_case(Case(config, {**case.columns, **others}), folder)
    code, _, error = heard("run", "case.yaml", "--out", "first", "--quiet", cwd=folder)
    assert code in (0, 1), error
    case.config["previous"] = {"path": "first/results.json"}
    write_case(case, folder)


def is_simple(value: float) -> bool:
    """Return whether a value is a fraction of small numbers, which others are by chance."""
    return abs(Fraction(value).limit_denominator(3000) - Fraction(value)) < 1e-10


def add_queries(case: Case, folder: Path) -> None:
    """Take in the values of single queries, which a report that is open lists."""
    words = ("--set", "privacy=open", "--set", "outputs=[queries]", "--quiet", "--no-cache")
    code, _, error = heard("run", "case.yaml", "--out", "open", *words, cwd=folder)
    assert code in (0, 1), error
    with (folder / "open" / "queries.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            for name, text in row.items():
                if NUMBER.fullmatch(text or "") and not is_simple(float(text)):
                    case.add_secret(float(text), f"{name} of a query")


@pytest.mark.parametrize("task", TASKS)
def test_no_number_is_of_few_rows(task: str, tmp_path: Path) -> None:
    assert search_report(task, 0, tmp_path) == []


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 35))
@pytest.mark.parametrize("task", TASKS)
def test_no_number_of_many_reports_is_of_few_rows(task: str, seed: int, tmp_path: Path) -> None:
    assert search_report(task, seed, tmp_path) == []

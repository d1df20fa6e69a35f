"""Configs over the whole language, drawn by a seed: most of them valid, the rest spoilt.

Every key of every model of the schema has a way of drawing it in `KEYS`; one that has none is an
error when this file is read, so that a new key cannot be left out. Parameters of metrics and
curves come from the catalogue and are drawn until the catalogue has nothing against them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import yaml
from language_data import (
    Columns,
    extreme,
    spoil,
    table_of,
    text,
    with_labels,
    with_three_classes,
    with_two_classes,
)
from pydantic import BaseModel

from reportgen.config.schema import config, report
from reportgen.config.schema import costs as costing
from reportgen.config.schema import costs as thresholding
from reportgen.config.schema import datasets as data_keys
from reportgen.config.vocabulary import Word
from reportgen.planning.loading import build_vocabulary

Draw = random.Random
Plain = dict[str, Any]
WORDS = build_vocabulary()
HOSTILE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -0.0,
    -1,
    1,
    2.5,
    1e308,
    -1e308,
    1e-320,
    5e-324,
    10**299,
    -(10**25),
    float("inf"),
    float("-inf"),
    float("nan"),
    "",
    " ",
    "x",
    "0",
    "null",
    "a" * 3000,
    "\x00",
    "\ud800",
    "\x1b[2J",
    "é\n\r\t",
    "\u202e",
    "${",
    "${NOPE}",
    "$${x}",
    "2%",
    "-5%",
    "1e400%",
    "2026-11-22",
    [],
    {},
    [[]],
    [{}],
    {"": ""},
    {"a": {"b": [1, {"c": None}]}},
    [1] * 1000,
    ["x", "x"],
    [None],
    {"name": "mae"},
    {"metric": "mae"},
    "segment=1",
    "=",
    "baseline",
    "/dev/zero",
    "..",
    "/",
    "no/such/file.csv",
    "*",
    "**/*.csv",
    "holdout",
    "rank",
    "fit",
)


def sometimes(draw: Draw, chance: float = 0.3) -> bool:
    """Whether something happens this time."""
    return draw.random() < chance


@dataclass
class World:
    """What the keys of one config can point at: its data, and the names chosen so far."""

    draw: Draw
    columns: Columns
    task: str = "regression"
    config: Plain = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)

    def pick(self, *choices: Any) -> Any:
        """One of several."""
        return self.draw.choice(choices)

    @property
    def keys(self) -> list[str]:
        """The metrics by what they are called here."""
        return [
            use if isinstance(use, str) else use.get("as", use["name"])
            for use in self.config["metrics"]
        ]

    @property
    def judged(self) -> list[str]:
        """The datasets that models are judged on."""
        datasets = self.config["datasets"]
        return [name for name, each in datasets.items() if each.get("role") != "fit"]


Way = Callable[[World], Any]


def texts(world: World) -> str:
    return text(world.draw)


def listed(way: Way, most: int = 3) -> Way:
    """A list of up to so many."""
    return lambda world: [way(world) for _ in range(world.draw.randint(0, most))]


def transform(world: World) -> Any:
    return world.pick("exp", "expm1", None) or {"times": world.pick(0.01, 1e-40)}


def of(*choices: Any) -> Way:
    """One of a closed list."""
    return lambda world: world.pick(*choices)


def made(kind: type[BaseModel]) -> Way:
    """A map of the keys of one model, the optional ones sometimes."""
    return lambda world: keys_of(world, kind, 0.5)


def keys_of(world: World, kind: type[BaseModel], chance: float) -> Plain:
    made_of: Plain = {}
    for name, about in kind.model_fields.items():
        if about.is_required() or sometimes(world.draw, chance):
            value = KEYS[kind][name](world)
            if value is not NOTHING:
                made_of[about.alias or name] = value
    return made_of


NOTHING = object()


def nothing(world: World) -> Any:
    """A key that is drawn elsewhere, where what it depends on is known."""
    return NOTHING


def datasets(world: World) -> Plain:
    """One dataset or several, of one table or of files of their own."""
    found = {}
    for number in range(world.pick(1, 1, 1, 2)):
        found[world.pick("holdout", "τ set", "a.b") + "1" * number] = dataset(world)
    if sometimes(world.draw, 0.25):
        found["fitting"] = {**dataset(world), "role": "fit"}
        if sometimes(world.draw, 0.3):
            next(iter(found.values()))["fit"] = "fitting"
    return found


def dataset(world: World) -> Plain:
    made_of = keys_of(world, config.Dataset, 0.12)
    if "time" in made_of:
        made_of.pop("strata", None)
    if "strata" in made_of:
        made_of.pop("query", None)
        made_of |= {"cluster": "cluster", "strata": "stratum of cluster"}
    if world.task == "multilabel":
        made_of |= world.pick({"target": "y {class}"}, {"target": "tags", "separator": ";"})
    return made_of | ({"used_to_fit": True} if sometimes(world.draw, 0.9) else {})


def segments(world: World) -> Any:
    bins = world.pick([0, 10, 50, 200], [float("-inf"), 30, float("inf")], [-1e308, 0.0, 1e308])
    cut = {"column": "age", "bins": bins}
    if sometimes(world.draw):
        cut["label"] = texts(world)
    long = world.draw.sample(["region", {"column": "flag"}, cut], world.draw.randint(0, 3))
    return world.pick(long, {"age": bins, "region": None}, ["region"])


def noun(world: World) -> Any:
    return world.pick(texts(world), made(data_keys.Case)(world))


def filters(world: World) -> str:
    return world.pick(
        "age > 20",
        "region != 'a'",
        "age >= 0 and not (region is missing)",
        "weight < 1e300",
        "`age` in [1, 2, 40]",
        "18 <= age < 90",
    )


def own_variants(world: World) -> list[Plain]:
    """Analyses of one's own, each with another margin or on other rows."""
    kinds = [{"margin": world.pick(0.01, "2%")}, {"filter": filters(world)}]
    return [{"name": f"own {k}", **kinds[k]} for k in range(2) if sometimes(world.draw, 0.5)]


def models(world: World) -> Plain:
    found: Plain = {}
    for number in range(world.pick(1, 2, 2, 2, 3, 4)):
        name = f"m{number}" if sometimes(world.draw, 0.8) else texts(world)
        one = keys_of(world, data_keys.Model, 0.3) | {"column": f"score {number}"}
        one.pop("role", None)
        if number == 0:
            one["role"] = "baseline"
            one.pop("scale", None)
        if WORDS.tasks[world.task].per_class:
            found[name] = of_classes(world, one, number)
            continue
        if number == 1 and sometimes(world.draw, 0.25):
            del one["column"]
            one.pop("scale", None)
            one["columns"] = world.pick(
                {"mean": "mean", "sd": "sd"}, {"q10": "q10", "q50": "q50", "q90": "q90"}
            )
        found[name] = one
    return found


def of_classes(world: World, one: Plain, number: int) -> Plain:
    """A model of several classes: scores by a pattern or a map, or the class itself."""
    del one["column"]
    kind = one.pop("scale", "probability")
    if kind == "label" and world.task == "multilabel":
        return one | {"columns": f"called {number} {{class}}", "scale": kind}
    if kind == "label":
        return one | {"column": f"called {number}"}
    names = {each: f"m{number} {each}" for each in CLASSES}
    columns = world.pick(f"m{number} {{class}}", names)
    return one | {"columns": columns} | ({"scale": kind} if kind == "score" else {})


def scale(world: World) -> str:
    """A kind of score of the task, its usual one mostly."""
    usual, *others = WORDS.tasks[world.task].scales
    return world.pick(usual, usual, *others)


def uses(kind: str, least: int, most: int) -> Way:
    """Metrics or curves, each with a label where its name stands twice."""

    def draw_uses(world: World) -> list[Any]:
        found: list[Any] = []
        words: dict[str, Word] = getattr(WORDS.select_task(world.task), kind)
        names = [name for name in words if words[name].task == world.task]
        drawn = world.draw.choices(names, k=world.draw.randint(least, most)) if names else []
        for name in drawn:
            given = parameters(world, words[name])
            label = f"{name} {len(found)}" if sometimes(world.draw, 0.9) else texts(world)
            found.append({"name": name, "as": label, **given})
            if sometimes(world.draw, 0.3) and not given:
                found[-1] = name
        return list({use if isinstance(use, str) else use["as"]: use for use in found}.values())

    return draw_uses


CLASSES = ("a", "b", "c")
POOLS: Plain = {
    "of": CLASSES,
    "buckets": (2, 3, 3, 5, 5, 10, 10, 20, 20, 200),
    "bins": (1, 2, 5, 25, 100, 200),
    "quantile": (0, 0.0, 0.1, 0.5, 0.9, 1, 1e-50),
    "k": (1, 3, 10, 1000, 10**18, 10**299),
    "share": (0.05, 0.5, 1, 1e-50, 1.0),
    "budget": (1, 20.5, 1e50, 1e-50),
    "cost": (1, 0.5, 1e50, 1e-50),
    "above": (0, -0.0, 20, 1e50, -1e50),
    "alpha": (0, 0.0, 0.2, 0.5, 0.8, 1, 1e-50, 0.9999999999999999),
    "under": (4, 1e50, 1e-50, 1),
    "over": (1, 1e50, 1e-50, 0.5),
    "c": (0.02, -0.02, 1e50, -1e50, 1e-50, 1),
    "degree": (0, 1, 2, 5),
}


def parameters(world: World, word: Word) -> Plain:
    """Parameters that the catalogue has nothing against, or those that must be given."""
    for _ in range(30):
        given = {
            name: world.pick(*(parameter.choices or POOLS.get(name, (True, False))))
            for name, parameter in word.parameters.items()
            if parameter.is_required or sometimes(world.draw, 0.5)
        }
        if given.get("shift") == "soft" or (given.get("shift") == "fitted" and not _fits(world)):
            continue
        every = {name: parameter.default for name, parameter in word.parameters.items()} | given
        if word.check is None or word.check(**every) is None:
            return given
    return {name: 0.5 for name, p in word.parameters.items() if p.is_required}


def _fits(world: World) -> bool:
    return any(each.get("role") == "fit" for each in world.config["datasets"].values())


def primary(world: World) -> Plain:
    return keys_of(world, config.Primary, 0.6)


def margin(world: World) -> Any:
    return world.pick(0, 0.0, -0.0, 0.01, 5, 1e50, 1e-50, "2%", "0%", "1e49 %", "1e-50%")


def gates(world: World) -> list[Plain]:
    found = []
    for number in range(world.draw.randint(0, 3)):
        names = list(world.config["models"])
        kinds = [report.Bound, report.Versus, report.NonInferior]
        kind = kinds[world.draw.randint(0, 2)] if len(names) > 1 else report.Bound
        gate = keys_of(world, kind, 0.3)
        if _reads_amounts(world, gate["metric"]):
            models = world.config["models"]
            names = [name for name in names if "scale" not in models[name]] or names
            gate["model"] = world.draw.choice(names)
        if len(names) < 2 and kind is not report.Bound:
            continue
        gate["name"] = f"{gate['name']} {number}"
        if kind is not report.Bound:
            gate["model"], gate["against"] = world.draw.choice(names[1:]), names[0]
        found.append(gate)
    return found


def _reads_amounts(world: World, key: str) -> bool:
    use = world.config["metrics"][world.keys.index(key)]
    return (
        WORDS.select_task(world.task).metrics[use if isinstance(use, str) else use["name"]].needs
        != "order"
    )


def costs(world: World) -> Plain:
    """Costs of a loss, whose keys belong together."""
    made_of = keys_of(world, costing.Costs, 0.3)
    for key in ("c", "asymmetries", "under", "over", "with_alpha"):
        made_of.pop(key, None)
    if made_of.get("loss") in costing.EXPONENTIAL:
        asymmetries = (
            {"c": listed(KEYS[costing.Costs]["c"], 2)(world)} if sometimes(world.draw, 0.7) else {}
        )
        return made_of | asymmetries
    shares = [KEYS[costing.Costs]["asymmetries"](world) for _ in range(world.draw.randint(1, 3))]
    pair = {key: KEYS[costing.Costs][key](world) for key in ("under", "over")}
    return made_of | world.pick({"asymmetries": shares}, pair, {"asymmetries": shares, **pair})


def unit_cost(*sizes: float) -> Callable[[World], Any]:
    """One number for all rows, or the column that holds them."""

    def drawn(world: World) -> Any:
        if sometimes(world.draw, 0.2):
            return {"column": KEYS[costing.CostColumn]["column"](world)}
        return world.pick(*sizes)

    return drawn


def of_lists(world: World) -> Any:
    """How documents are judged, which is refused where a row is no list of them."""
    return made(data_keys.RankingKeys)(world) if sometimes(world.draw, 0.05) else NOTHING


def hybrid(world: World) -> Plain:
    return world.pick({"bias": world.pick(0, 1, -1e50, 1e-50)}, {"over": world.pick(0, 1, 1e50)})


def bootstrap(world: World) -> Plain:
    timed = any(
        "time" in each and not {"cluster", "query"} & each.keys()
        for each in world.config["datasets"].values()
    )
    made_of = keys_of(world, report.Bootstrap, 0.4)
    if timed:
        made_of.pop("weights", None)
    else:
        made_of.pop("block", None)
    return {"replicates": world.pick(1, 2, 9, 19, 19, 39), **made_of}


def comparisons(world: World) -> Plain:
    made_of = keys_of(world, config.Comparisons, 0.5)
    test = made_of.pop("test", "auto")
    known = {
        world.keys[i]: use if isinstance(use, str) else use["name"]
        for i, use in enumerate(world.config["metrics"])
    }
    words = WORDS.select_task(world.task).metrics
    suits = {
        key: world.pick(*(words[name].tests or ("auto",)))
        for key, name in known.items()
        if sometimes(world.draw)
    }
    return made_of | ({} if test == "auto" else {"test": suits})


def meta(world: World, depth: int = 0) -> Any:
    kinds = [lambda: extreme(world.draw), lambda: texts(world), lambda: None, lambda: True]
    if depth < 6:
        kinds += [lambda: {texts(world): meta(world, depth + 1) for _ in range(3)}]
        kinds += [lambda: [meta(world, depth + 1) for _ in range(2)]]
    return kinds[world.draw.randrange(len(kinds))]() if depth else {"a": meta(world, 1)}


def outputs(world: World) -> list[str]:
    """Mostly results.json alone: drawing a page costs more than all that stands on it."""
    found = ["json"]
    for output, chance in (
        ("markdown", 0.1),
        ("junit", 0.1),
        ("html", 0.1),
        ("tables", 0.1),
        ("pdf", 0.02),
    ):
        if sometimes(world.draw, chance):
            found.append(output)
    return found


def sections(world: World) -> list[str]:
    """Some of the sections, in any order."""
    return world.draw.sample(WORDS.sections, world.draw.randint(1, len(WORDS.sections)))


def thresholds(world: World) -> Any:
    """Operating points of calls; what sets them is one of few, and other tasks have none."""
    if world.task == "multilabel":
        return {"p": {"fixed": world.pick(0.1, 0.5), **world.pick({}, {"by_class": {"a": 0.3}})}}
    if world.task != "binary":
        return NOTHING
    ways = [
        {"fixed": world.pick(0.1, 0.5, 0.9, -1e50)},
        {"share": world.pick(0.01, 0.2, 1)},
        {"k": world.pick(1, 3, 10)},
    ]
    return {f"p{i}": way for i, way in enumerate(world.draw.sample(ways, world.pick(1, 2, 3)))}


def positive(world: World) -> Any:
    """Which of two classes is the positive one; other tasks have none."""
    cuts = ({"above": 0}, {"above": 1e50}, {"quantile": 0.9})
    return world.pick(1, 1, "1", True, 0, *cuts) if world.task == "binary" else NOTHING


def second_target(world: World) -> Any:
    """The column of a second judge, rarely: it goes with few other keys."""
    return world.pick(*["second"] * 4, "flag", "y") if sometimes(world.draw, 0.25) else NOTHING


def classes(world: World) -> Any:
    """What classes are called."""
    if WORDS.tasks[world.task].per_class:
        return world.pick([*CLASSES], dict(zip(CLASSES, ("τ", "b|c", "<i>"), strict=True)))
    if world.task != "binary":
        return NOTHING
    return world.pick([0, 1], {0: "no", 1: "yes"}, {1: "τ", 0: "a|b"})


def per_class(world: World) -> Any:
    """Metrics that are told of each class."""
    names = ("precision", "recall", "f", "jaccard", "roc_auc")
    has_some = bool(WORDS.tasks[world.task].per_class)
    return world.draw.sample(names, world.pick(0, 1, 3)) if has_some else NOTHING


def sums(world: World) -> Any:
    """What to do with probabilities that do not sum to 1."""
    return world.pick("error", "normalise") if world.task == "multiclass" else NOTHING


def call_costs(world: World) -> Any:
    """What calls cost, in the place of the costs of errors of amounts."""
    prices = (0, 1, 5.5, 1e50, {"column": "weight"})
    return {key: world.pick(*prices) for key in ("fp", "fn", "tp", "tn")[: world.pick(2, 3, 4)]}


def prevalence(world: World) -> Any:
    """Another share of positives, where rows have one of two classes."""
    return made(data_keys.PrevalenceKeys)(world) if world.task == "binary" else NOTHING


COLUMN: Way = lambda world: world.pick("age", "region", "flag")  # noqa: E731
FILE_KEYS: dict[str, Any] = {  # most of them what the file is anyway
    "format": of("csv", "csv", "csv", "jsonl"),
    "encoding": of("utf-8", "utf-8", "cp1252", "utf-16"),
    "decimal": of(".", ".", ","),
    "thousands": of(",", " ", "'"),
    "skip_rows": of(0, 0, 1),
    "sheet": nothing,
}
KEYS: dict[type[BaseModel], dict[str, Way]] = {
    report.SignOffKeys: {"role": texts, "name": texts, "decision": texts, "date": texts},
    report.FindingKeys: {
        "id": texts,
        "text": texts,
        "severity": texts,
        "owner": texts,
        "due": texts,
        "status": texts,
    },
    data_keys.ArtifactKeys: {"uri": texts, "sha256": of(64 * "0", 64 * "f")},
    data_keys.TrainedOnKeys: {
        "path": nothing,
        "id": nothing,
    },  # of a file named anew
    report.ReportKeys: {
        "findings": listed(made(report.FindingKeys)),
        "title": texts,
        "id": texts,
        "question": texts,
        "audience": texts,
        "classification": texts,
        "status": of("DRAFT", "FINAL"),
        "length": of("memo", "standard", "full"),
        "limitations": listed(texts),
        "sign_off": listed(made(report.SignOffKeys)),
        "show_ids": of(True, False),
        "psi": of(True, False),
        "decision": of("replace", "choose", "rank", "shift", "enough", "meets"),
        "needs": of("better", "not_worse"),
        "headline": nothing,
        "about": nothing,
    },
    data_keys.Labels: {"path": nothing},
    data_keys.CutKeys: {"above": nothing, "quantile": nothing},  # either, as `positive` has them
    data_keys.SegmentKeys: {"column": COLUMN, "bins": nothing, "label": texts, "values": nothing},
    data_keys.Case: {"one": texts, "many": texts},
    data_keys.PrevalenceKeys: {"target": of(0.01, 0.5, 0.999), "trained_at": of(0.1, 0.9)},
    report.InferenceKeys: {
        "sequential": of(False, False, True),
        "largest_difference": of(0.5, 1, 1e50),
    },
    data_keys.AcrossKeys: {"rope": of(0, 0.01, 1e50), "cliques": of("holm", "nemenyi")},
    data_keys.ScoreKeys: {"title": nothing, "better": nothing, "unit": nothing, "bounds": nothing},
    data_keys.ItemScoreKeys: {
        "column": nothing,
        "better": nothing,
        "unit": nothing,
        "bounds": nothing,
        "from_": nothing,
    },
    data_keys.JudgeKeys: {"score": nothing, "human": nothing, "correct": nothing},
    data_keys.FoldKeys: {
        "question": of("procedure", "fitted"),
        "train_share": of("auto", 0.5, 0.999),
        "pool": of(True, False),
        "average": of("pooled", "pooled", "folds"),
    },
    data_keys.SampleOf: {"n": of(2, 5, 10, 15), "seed": of(0, 1, 2**63 - 1)},
    config.Dataset: {
        "path": nothing,
        "labels": nothing,
        "id": of("id"),
        "target": of("y"),
        "unit": texts,
        "target_label": texts,
        "case": noun,
        "positive_case": noun,
        "positive": positive,
        "model": nothing,
        "score": nothing,
        "samples": nothing,
        "sql": nothing,
        "sql_file": nothing,
        "connection": nothing,
        "driver": nothing,
        "separator": nothing,
        "weight": of("weight"),
        "cluster": of("cluster", "region"),
        "strata": of("flag"),
        "query": of("query"),
        "fold": of("flag"),
        "repeat": nothing,
        "time": of("time", "age"),
        "segments": segments,
        "filter": filters,
        "sample": made(data_keys.SampleOf),
        "missing": of("error", "drop", "intersect"),
        "match": of("exact", "loose"),
        "role": of("test"),
        "fit": nothing,
        "looks": nothing,
        "used_to_choose": of(True, False),
        "used_to_fit": of(True, False),
        "delimiter": of(*",,,,;"),
        "max_unpacked": of(1e-9, 4, 1e50),
        "columns": nothing,
        "duplicates": nothing,
        **FILE_KEYS,
        "qrels": nothing,
        "letor": nothing,
        "queries": nothing,
        "balance": nothing,
        "count": nothing,
        "second_target": second_target,
        "labelled": of(*["all"] * 5, "flagged", "called"),
    },
    data_keys.Scores: {
        "path": nothing,
        "id": of("id"),
        "column": nothing,
        "columns": nothing,
        "delimiter": of(",", ",", ";"),
        "max_unpacked": of(1e-9, 4, 1e50),
        "header": nothing,
        **FILE_KEYS,
    },
    data_keys.Model: {
        "label": texts,
        "role": of("candidate"),
        "scale": scale,
        "transform": transform,
        "allow": lambda world: {world.pick("constant", "scale", "too_few"): "on purpose"},
        "column": nothing,
        "columns": nothing,
        "scores": nothing,
        "run": nothing,
        "order": nothing,
        "lines": nothing,
        "sums": sums,
        "version": texts,
        "owner": texts,
        "artifact": made(data_keys.ArtifactKeys),
        "trained_on": nothing,
    },
    config.CurveUse: {"name": nothing, "as_": nothing, "params": nothing},
    config.MetricUse: {
        "name": nothing,
        "as_": nothing,
        "params": nothing,
        "phrase": nothing,
        "verb": nothing,
    },
    config.Primary: {
        "metric": lambda world: world.pick(*world.keys),
        "margin": margin,
        "dataset": lambda world: world.pick(*world.judged),
    },
    costing.Hybrid: {"bias": nothing, "over": nothing},
    costing.CostColumn: {"column": of("weight", "age")},
    thresholding.ErrorCostColumn: {"column": of("weight")},
    report.Compute: {  # a stream refuses nearly all that is drawn here
        "exact": of(True, False),
        "memory": of("4GB", "900MB"),
        "engine": lambda world: world.pick("auto", "memory", made(report.DaskEngine)(world)),
    },
    report.DaskEngine: {"dask": of("here", "tcp://", "tcp://127.0.0.1")},  # refused as no address
    costing.Costs: {
        "loss": of(*WORDS.losses),
        "c": of(0.02, -0.02, 1e50, -1e50, 1e-50, 3),
        "hybrid": hybrid,
        "asymmetries": of(0, 0.2, 0.5, 0.8, 1, 1e-50, 0.9999999999999999),
        "under": unit_cost(4, 1e50, 1e-50, 0.1),
        "over": unit_cost(1, 1e50, 1e-50, 3),
        "currency": texts,
        "degree": of(0, 1, 2, 5),
        "with_alpha": of(False),
        "fp": nothing,
        "fn": nothing,
        "tp": nothing,
        "tn": nothing,
        "matrix": nothing,
    },
    report.Bootstrap: {
        "replicates": of(1, 2, 9, 19, 59, 199),
        "seed": of(0, 1, 2**63 - 1),
        "interval": of(*WORDS.intervals),
        "level": of(0.95, 0.9, 0.99, 0.500001, 0.99999),
        "weights": of("multinomial", "poisson", "bayesian"),
        "block": of(1, 3, 12.5, 1e50),
    },
    config.Comparisons: {
        "against": of("baseline", "all"),
        "adjust": of(*WORDS.adjustments),
        "test": of("some"),
    },
    report.Bound: {
        "name": texts,
        "metric": lambda world: world.pick(*world.keys),
        "model": lambda world: world.pick(*world.config["models"]),
        "dataset": lambda world: world.pick(*world.judged),
        "segment": nothing,
        "inconclusive": of("pass", "warn", "fail"),
        "rule": of("below", "above"),
        "value": of(0, 40, -0.0, 1e50, -1e50, 1e-50),
        "on": of("interval", "value"),
    },
    report.ReferenceUse: {
        "name": of("auto", "zero", "mean", "median", "people"),
        "by": nothing,
        "lag": nothing,
        "value": of(0.5, -1e50),
        "metric": lambda world: world.pick(*world.keys),
    },
    report.ThemeKeys: {
        "accent": of("#0072B2", "#ffffff", "#000000"),
        "colours": listed(of("#0072B2", "#d55E00")),
        "logo": of("logo.svg"),
        "fonts": nothing,
    },
    report.Previous: {"path": of("none.json"), "required": of(False), "models": nothing},
    report.OwnVariant: {"name": of("own"), "margin": of(0.01, "2%"), "filter": filters},
    report.SensitivityKeys: {
        "variants": of("usual", "none"),
        "also": own_variants,
    },
    report.PrivacyKeys: {
        "level": of("open", "standard", "strict"),
        "min_segment": of(1, 50),
        "min_cell": of(1, 20),
        "extremes": of(True, False),
        "leverage": of(True, False),
    },
    report.Pdf: {"attach": listed(of("results", "config", "tables", "evidence"), 4)},
    report.Warnings: {"fatal": listed(of(*WORDS.warnings))},
    config.Config: {
        "version": of(1),
        "report": made(report.ReportKeys),
        "datasets": datasets,
        "task": lambda world: world.task,
        "models": models,
        "classes": classes,
        "per_class": per_class,
        "prevalence": prevalence,
        "metrics": uses("metrics", 1, 4),
        "primary": primary,
        "buckets": of(2, 5, 5, 10, 10, 200),
        "costs": costs,
        "ranking": of_lists,
        "folds": nothing,
        "across": nothing,
        "scores": nothing,
        "judge": nothing,
        "score": nothing,
        "thresholds": thresholds,
        "compute": made(report.Compute),
        "inference": nothing,
        "bootstrap": bootstrap,
        "comparisons": comparisons,
        "references": listed(made(report.ReferenceUse)),
        "allow": lambda world: {world.pick("too_few", "too_few", "scale"): "by design"},
        "checks": made(config.ChecksKeys),
        "gates": gates,
        "curves": uses("curves", 0, 3),
        "outputs": outputs,
        "sections": sections,
        "theme": made(report.ThemeKeys),
        "sensitivity": made(report.SensitivityKeys),
        "frozen": nothing,
        "privacy": made(report.PrivacyKeys),
        "previous": made(report.Previous),
        "pdf": made(report.Pdf),
        "warnings": made(report.Warnings),
        "show_variables": listed(of("V1", "V2", "HOME")),
        "plugins": nothing,
        "meta": meta,
    },
}
KEYS |= {
    config.ChecksKeys: {"on_stop": of("error", "inconclusive")},
    data_keys.TimesKeys: {"times": of(0.01, 1e-40)},
    data_keys.QrelsKeys: {
        "path": nothing,
        "query": of("query"),
        "id": of("id"),
        "columns": nothing,
    },
    data_keys.LetorKeys: {"path": nothing, "groups": nothing},
    data_keys.LinesKeys: {"path": nothing},
    data_keys.QueriesFileKeys: {"path": nothing, "id": of("query")},
    data_keys.RunKeys: {
        "path": nothing,
        "query": of("query"),
        "id": of("id"),
        "column": of("score"),
        "columns": nothing,
    },
    data_keys.RankingKeys: {
        "like": of("trec_eval", "sklearn", "lightgbm"),
        "relevant": of(1, 2, 0.5),
        "grades": of({}, {"a": 1}),
        "ties": of("expected", "trec"),
        "gain": of("linear", "exp2"),
        "denominator": of("relevant", "k", "min"),
        "no_relevant": of("skip", "zero", "one"),
        "unjudged": of("not_relevant", "drop"),
        "missing_document": of("last", "unretrieved"),
        "missing_query": of("zero", "drop"),
        "negative": of("pooled", "not_relevant"),
        "depth": of(1, 5, 1000),
        "top_grade": of(2, 4),
        "grade_weights": of({}, {"1": 1, "2": 0.5}),
    },
}
KEYS[report.Versus] = KEYS[report.NonInferior] = {
    **KEYS[report.Bound],
    "margin": margin,
    "against": nothing,
}
KEYS[report.Versus] = {**KEYS[report.Versus], "rule": of("better", "no_regression")}
KEYS[report.NonInferior] = {**KEYS[report.NonInferior], "rule": of("non_inferior")}


NO_OWN_KEYS = (
    config.StrictModel,
    config.TextFileKeys,
    config.MarginKeys,
    report.Gate,
    costing.ThresholdKeys,
)


def unknown_to_the_fuzz() -> list[str]:
    """Keys of the language that nothing above draws."""
    kinds = [
        each
        for module in (config, costing)
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, config.StrictModel)
        and each not in NO_OWN_KEYS
    ]
    return [
        f"{kind.__name__}.{key}"
        for kind in dict.fromkeys(kinds)
        for key in kind.model_fields
        if key not in KEYS.get(kind, {})
    ]


if missed := unknown_to_the_fuzz():
    raise SystemExit(f"benchmarks/language_cases.py has no way of drawing {', '.join(missed)}")


@dataclass(frozen=True)
class Case:
    """The files of one run, its words on the command line, and whether it was spoilt."""

    files: dict[str, bytes]
    words: tuple[str, ...]
    environ: dict[str, str]
    is_spoilt: bool


def case(seed: int) -> Case:
    """The case of a seed: the same files for ever."""
    draw = random.Random(seed)
    world = World(draw, table_of(draw))
    if seed % 5 == 0:
        world.task = "binary"
        with_two_classes(draw, world.columns)
    elif seed % 11 == 4:
        world.task = "multiclass"
        with_three_classes(draw, world.columns, CLASSES)
    elif seed % 11 == 7:
        world.task = "multilabel"
        with_labels(draw, world.columns, CLASSES)
    world.config = _config(world)
    if world.task == "multilabel":
        world.config.setdefault("classes", [*CLASSES])  # a pattern needs their names
    is_spoilt = sometimes(draw, 0.3)
    is_data_spoilt = is_spoilt and sometimes(draw, 0.4)
    if is_data_spoilt:
        spoil(draw, world.columns)
    _sources(world)
    for _ in range(draw.randint(1, 3) if is_spoilt and not is_data_spoilt else 0):
        _spoil(world)
    is_text_spoilt = is_spoilt and not is_data_spoilt
    settings = _settings(world, is_text_spoilt)
    words = tuple(word for setting in settings for word in ("--set", setting))
    world.files["case.yaml"] = _written(world, is_text_spoilt)
    return Case(world.files, words, world.environ, is_spoilt)


def _config(world: World) -> Plain:
    """Every key in an order in which each knows what it depends on."""
    first = ("version", "report", "datasets", "task", "models", "metrics")
    optional = [key for key in config.Config.model_fields if key not in first]
    if not WORDS.tasks[world.task].has_side_costs:
        optional.remove("costs")
    for key in first:
        world.config[key] = KEYS[config.Config][key](world)
    for key in optional:
        often = {
            "outputs": 0.995,
            "sections": 0.2,
            "bootstrap": 0.97,
            "curves": 0.95,
        }  # what is left out costs more
        if sometimes(world.draw, often.get(key, 0.35)):
            value = KEYS[config.Config][key](world)
            if value is not NOTHING:
                world.config[key] = value
    if world.task == "binary" and sometimes(world.draw, 0.35):
        world.config["costs"] = call_costs(world)
    _point(world)
    _fold(world)
    return world.config


def _fold(world: World) -> None:
    """Folds beside no rows to fit, asked for what the tests and intervals of the config answer."""
    datasets = world.config["datasets"].values()
    folded = [each for each in datasets if "fold" in each]
    if any(each.get("role") == "fit" for each in datasets):
        for each in folded:
            del each["fold"]
        return
    asks = [
        world.config.get("bootstrap", {}).get("interval", "auto"),
        world.config.get("comparisons", {}).get("test", "auto"),
    ]
    if folded:
        world.config["folds"] = keys_of(world, data_keys.FoldKeys, 0.5)
        if asks != ["auto", "auto"]:
            world.config["folds"]["question"] = "fitted"


def _point(world: World) -> None:
    """What page one is about: a candidate, some metrics, and what these are called there."""
    candidates = [m for m, each in world.config["models"].items() if each.get("role") is None]
    if candidates and sometimes(world.draw, 0.2):
        world.config["report"]["about"] = world.pick(*candidates)
    if sometimes(world.draw, 0.2):
        keys = world.draw.sample(world.keys, world.draw.randint(0, len(world.keys)))
        world.config["report"]["headline"] = keys
    for use in world.config["metrics"]:
        if isinstance(use, dict) and sometimes(world.draw, 0.2):
            use["phrase"] = texts(world)


def _sources(world: World) -> None:
    """Where each dataset is: in one table, or labels and scores in files of their own."""
    data, draw = world.columns, world.draw
    is_split = sometimes(draw, 0.15)
    world.files["logo.svg"] = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    for each in world.config["datasets"].values():
        if is_split:
            each |= {"labels": {"path": "labels.csv"}, "id": "id"}
        else:
            each["path"] = data.file
    if is_split:
        world.files["labels.csv"] = data.csv()
        for one in world.config["models"].values():
            part = {key: one.pop(key) for key in ("column", "columns") if key in one}
            one["scores"] = {"path": "scores.csv", **keys_of(world, data_keys.Scores, 0.1), **part}
        world.files["scores.csv"] = data.csv()
    else:
        world.files[data.file] = data.written()


def _spoil(world: World) -> None:
    """One place of the config changed into what nobody would write."""
    at, below = world.draw.choice(list(_places(world.config)))
    how, hostile = world.draw.random(), deepcopy(world.pick(*HOSTILE))
    if how < 0.65:
        below[at] = hostile
    elif how < 0.8:
        del below[at]
    elif isinstance(below, dict):
        below[texts(world)] = hostile
    else:
        below.append(hostile)


def _places(node: Any) -> Any:
    """Every key and every index, with what it stands in."""
    for at, below in (
        list(node.items())
        if isinstance(node, dict)
        else list(enumerate(node))
        if isinstance(node, list)
        else []
    ):
        yield at, node
        yield from _places(below)


def _settings(world: World, is_spoilt: bool) -> list[str]:
    """Overrides on the command line."""
    if not sometimes(world.draw, 0.15):
        return []
    valid = world.pick("bootstrap.seed=7", "report.title='1'", "meta.a=[.inf, -0.0]", "buckets=3")
    if not is_spoilt:
        return [valid]
    keys = [str(at) for at, _ in _places(world.config)]
    dots = ".".join(world.draw.choices(keys, k=world.pick(1, 2, 3, 3000)))
    return [valid, f"{dots}={world.pick(*HOSTILE)!s:.3000}".replace("\x00", "0")]


def _written(world: World, is_spoilt: bool) -> bytes:
    """The config's text, a part of it in a base or in the environment."""
    draw, config = world.draw, dict(world.config)
    if sometimes(draw, 0.15):
        base = {key: config.pop(key) for key in list(config)[1:] if sometimes(draw, 0.6)}
        if base:
            world.files["base.yaml"] = _yaml(base)
            config["extends"] = world.pick("base.yaml", ["base.yaml"])
    if sometimes(draw, 0.1):
        world.environ["V1"] = world.pick("secret-value", "7 x", "τ", "a|b", "<b>")
        config["report"] = {"title": "${V1}", "id": "${V2:-none}"}
    if is_spoilt and sometimes(draw, 0.1):
        config["extends"] = world.pick(
            "case.yaml",
            "/dev/zero",
            [],
            "x" * 300,
            ["base.yaml"] * 3,
            world.columns.file,
            "../../../../etc/hostname",
        )
    written = json.dumps(config).encode() if sometimes(draw, 0.03) else _yaml(config)
    if is_spoilt and sometimes(draw, 0.1):
        at = draw.randrange(len(written))
        written = written[:at] + world.pick(b"", b"\xff", b"&a ", b"]", b"\t") + written[at + 1 :]
    return written


def _yaml(config: Plain) -> bytes:
    """The text of a config; a `$` that begins no variable is doubled by nobody but the drawer."""
    dumper = yaml.SafeDumper
    dumper.ignore_aliases = lambda *_: True  # type: ignore[method-assign]
    return yaml.dump(config, Dumper=dumper, sort_keys=False).encode("utf-8", "backslashreplace")

"""Cases of the keys of classification, for the test that every key changes what is seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np

Pair = tuple[dict[str, object], dict[str, object]]
PRICE = {"fp": 1, "fn": 5}
BASE: dict[str, object] = {
    "task": "binary",
    "datasets": {"calls": {"path": "calls.csv", "id": "id", "target": "y"}},
    "models": {"a": {"column": "p_a", "role": "baseline"}, "b": {"column": "p_b"}},
    "metrics": ["recall"],
    "primary": None,
    "gates": None,
}
IN_FOLDS: dict[str, object] = {
    **BASE,
    "datasets": {"calls": {"path": "calls.csv", "id": "id", "target": "y", "fold": "price"}},
    "metrics": ["f"],
    "thresholds": {"half": {"fixed": 0.5}},
}
FIT = {"earlier": {"path": "earlier.csv", "id": "id", "target": "y", "role": "fit"}}


def put_calls(folder: Path) -> None:
    """Write rows of two classes with two probabilities, and other rows to fit on."""
    draw = np.random.default_rng(3)
    code = draw.integers(0, 3, 120)
    raw = draw.random((120, 3)) + np.eye(3)[code]
    p = np.round(raw / raw.sum(axis=1, keepdims=True), 2)
    rows = (
        f"{k},{'abc'[code[k]]},{','.join(map(str, p[k]))},{'abc'[p[k].argmax()]}\n"
        for k in range(120)
    )
    (folder / "animals.csv").write_text("id,kind,p_a,p_b,p_c,called\n" + "".join(rows))
    had = draw.random((120, 3)) < 0.4
    q = np.round(np.clip(0.3 * had + 0.7 * draw.random((120, 3)), 0, 1), 2)
    head = "id,tags,named,y_a,y_b,y_c,p_a,p_b,p_c,says_a,says_b,says_c\n"
    (folder / "labels.csv").write_text(
        head
        + "".join(
            f"{k},{of(had[k])},{of(q[k] > 0.5)},{','.join(map(str, had[k].astype(int)))},"
            f"{','.join(map(str, q[k]))},{','.join(map(str, (q[k] > 0.6).astype(int)))}\n"
            for k in range(120)
        )
    )
    values = "".join(
        f"d{k},{0.6 + k / 90:.3f},{0.62 + k / 95:.3f},{0.7 - k / 80:.3f}\n" for k in range(9)
    )
    (folder / "reached.csv").write_text("table,a,b,c\n" + values)
    for name, seed, first in (("calls", 1, 0), ("earlier", 2, 500)):
        draw = np.random.default_rng(seed)
        y = draw.random(120) < 0.3
        a, b = (np.round(np.clip(0.25 * y + 0.7 * draw.random(120), 0, 1), 2) for _ in range(2))
        lines = (
            f"{first + k},{int(y[k])},{a[k]},{b[k]},{1 + k % 4},{int(y[k - k % 3])}\n"
            for k in range(120)
        )
        (folder / f"{name}.csv").write_text("id,y,p_a,p_b,price,again\n" + "".join(lines))


def of(flags: np.ndarray) -> str:
    """The labels of a row as a list."""
    return ";".join(name for name, has in zip("abc", flags, strict=True) if has)


def point(before: object, after: object, **more: object) -> Pair:
    """One operating point and another."""
    return tuple({**BASE, **more, "thresholds": {"p": each}} for each in (before, after))  # type: ignore[return-value]


def learnt(before: object, after: object) -> Pair:
    """The same, learnt on other rows."""
    datasets = {**BASE["datasets"], **FIT}  # type: ignore[dict-item]
    return point(before, after, datasets=datasets, costs=PRICE)


def costs(after: object, before: object = PRICE) -> Pair:
    """What calls cost, and something else."""
    one, other = (
        {**BASE, "thresholds": {"p": {"fixed": 0.5}}, "costs": each} for each in (before, after)
    )
    return one, other


def cut(before: dict[str, float], after: dict[str, float]) -> Pair:
    """A number as target that is cut in two at one place and at another."""
    data = {**DATA, "target": "price"}
    one, other = (
        {**BASE, "thresholds": POINT, "datasets": {"calls": {**data, "positive": each}}}
        for each in (before, after)
    )
    return one, other


def prevalence(before: dict[str, object], after: dict[str, object]) -> Pair:
    """Values at some shares of the classes, or those of the rows, and at others."""
    base = {**BASE, "metrics": ["precision", "log_loss"], "thresholds": {"p": {"fixed": 0.5}}}
    one, other = ({**base, **({"prevalence": each} if each else {})} for each in (before, after))
    return one, other


SEVERAL: dict[str, object] = {
    **BASE,
    "task": "multiclass",
    "datasets": {"calls": {"path": "animals.csv", "id": "id", "target": "kind"}},
    "models": {
        "a": {"column": "called", "role": "baseline"},
        "b": {"columns": "p_{class}", "sums": "normalise"},
    },
}
UNSUMMED = {**SEVERAL["models"], "b": {"columns": "p_{class}"}}  # type: ignore[dict-item]
POINT = {"p": {"fixed": 0.5}}
DATA = {"path": "calls.csv", "id": "id", "target": "y"}


def named(before: object, after: object) -> Pair:
    """Classes by one name and by another."""
    return tuple({**BASE, "thresholds": POINT, "classes": each} for each in (before, after))  # type: ignore[return-value]


LABELLED: dict[str, object] = {
    **BASE,
    "task": "multilabel",
    "classes": ["a", "b", "c"],
    "datasets": {"calls": {"path": "labels.csv", "id": "id", "target": "y_{class}"}},
    "models": {
        "a": {"columns": "says_{class}", "scale": "label", "role": "baseline"},
        "b": {"columns": "p_{class}"},
    },
    "metrics": ["f"],
}
JOINED = ("a;b", "b;c", "a;c", "a;b;c")
LISTED = {"path": "labels.csv", "id": "id", "target": "tags", "separator": ";"}


TABLE: dict[str, object] = {
    **BASE,
    "task": "finished",
    "datasets": {"table": {"path": "reached.csv", "id": "table"}},
    "models": {
        name: {"column": name, "role": "baseline" if name == "a" else "candidate"} for name in "abc"
    },
    "metrics": None,
}


def score(**keys: object) -> Pair:
    """A table of scores as they are, and told otherwise."""
    return TABLE, {**TABLE, "score": keys}


ANSWERED = {"path": "answers.csv", "id": "question", "model": "who"}
FEW = ("", "0", "1")  # labels of a human
JUDGE = {"score": "right", "human": "few"}
ANSWERS: dict[str, object] = {
    **BASE,
    "task": "scored",
    "datasets": {"qa": ANSWERED},
    "models": {"a": {"role": "baseline"}, "b": {}},
    "scores": {"right": {}},
    "metrics": ["right", "pass@1"],
}


def answers(of: str = "right", **keys: object) -> Pair:
    """Scores of answers as they are, and told otherwise."""
    return ANSWERS, {**ANSWERS, "scores": {of: keys}, "metrics": [of, "pass@1"]}


def put_answers(folder: Path) -> None:
    """Write the answers of two models to forty questions, two each."""
    rows = [
        f"{k},{who},{sample},1,{(k * sample + (who == 'a')) % 3 / 2},{k % 2},{FEW[k % 3]}"
        for k in range(40)
        for who in "ab"
        for sample in (1, 2)
    ]
    head = "question,who,sample,epoch,right,other,few"
    (folder / "answers.csv").write_text("\n".join([head, *rows]) + "\n")


CASES: dict[str, Pair] = {
    "Config.scores": answers("other"),
    "ItemScoreKeys.column": answers(column="other"),
    "ItemScoreKeys.better": answers(better="lower"),
    "ItemScoreKeys.unit": answers(unit="s"),
    "ItemScoreKeys.bounds": answers(bounds=[0, 1]),
    "ItemScoreKeys.from_": answers(**{"from": 0.5}),
    "Config.judge": tuple({**ANSWERS, **each} for each in ({}, {"judge": JUDGE})),
    "JudgeKeys.score": tuple(
        {**ANSWERS, "scores": {"right": {}, "other": {}}, "judge": {**JUDGE, "score": each}}
        for each in ("right", "other")
    ),
    "JudgeKeys.human": tuple(
        {**ANSWERS, "scores": {"other": {}}, "metrics": None, "judge": each}
        for each in ({"score": "other", "human": "few"}, {"score": "other", "human": "other"})
    ),
    "JudgeKeys.correct": tuple(
        {**ANSWERS, "judge": {**JUDGE, "correct": each}} for each in (False, True)
    ),
    "Dataset.samples": (ANSWERS, {**ANSWERS, "datasets": {"qa": {**ANSWERED, "samples": "epoch"}}}),
    "FoldKeys.average": (IN_FOLDS, {**IN_FOLDS, "folds": {"average": "folds"}}),
    "Config.score": score(title="ROC AUC"),
    "ScoreKeys.title": score(title="ROC AUC"),
    "ScoreKeys.better": score(better="lower"),
    "ScoreKeys.unit": score(unit="s"),
    "ScoreKeys.bounds": score(bounds=[0, 0.5]),
    "AcrossKeys.cliques": (TABLE, {**TABLE, "across": {"cliques": "nemenyi"}}),
    "Dataset.count": tuple(
        {**BASE, "thresholds": POINT, "datasets": {"calls": each}}
        for each in (DATA, {**DATA, "count": "price"})
    ),
    "Dataset.second_target": tuple(
        {**BASE, "thresholds": POINT, "datasets": {"calls": {**DATA, **each}}}
        for each in ({}, {"second_target": "again"})
    ),
    "Dataset.labelled": tuple(
        {
            **BASE,
            "thresholds": POINT,
            "metrics": ["precision"],
            "datasets": {"calls": {**DATA, **each}},
        }
        for each in ({}, {"labelled": "flagged"})
    ),
    "Dataset.positive_case": tuple(
        {
            **BASE,
            "thresholds": POINT,
            "metrics": ["precision"],
            "costs": PRICE,
            "outputs": ["json", "markdown"],
            "datasets": {"calls": {**DATA, **each}},
        }
        for each in ({}, {"positive_case": "leaver"})
    ),
    "Dataset.separator": tuple(
        {
            **LABELLED,
            "classes": ["a", "b", "c", *JOINED],
            "models": {"b": {"column": "named"}},
            "datasets": {"calls": each},
        }
        for each in (LISTED, {**LISTED, "separator": "!"})
    ),
    "ThresholdKeys.by_class": tuple(
        {**LABELLED, "thresholds": {"p": each}}
        for each in ({"fixed": 0.5}, {"fixed": 0.5, "by_class": {"b": 0.2}})
    ),
    "Config.per_class": (SEVERAL, {**SEVERAL, "per_class": ["recall"]}),
    "Model.sums": (SEVERAL, {**SEVERAL, "models": UNSUMMED}),
    "Config.classes": named({0: "stayed", 1: "left"}, {0: "stayed", 1: "lost"}),
    "Dataset.positive": tuple(
        {**BASE, "thresholds": POINT, "datasets": {"calls": each}}
        for each in ({**DATA, "positive": 1}, {**DATA, "positive": 0})
    ),
    "CutKeys.above": cut({"above": 2}, {"above": 1}),
    "CutKeys.quantile": cut({"quantile": 0.5}, {"quantile": 0.3}),
    "Config.thresholds": point({"fixed": 0.5}, {"fixed": 0.4}),
    "ThresholdKeys.fixed": point({"fixed": 0.5}, {"fixed": 0.4}),
    "ThresholdKeys.by_model": point({"fixed": 0.5}, {"fixed": 0.5, "by_model": {"b": 0.3}}),
    "ThresholdKeys.share": point({"share": 0.1}, {"share": 0.2}),
    "ThresholdKeys.k": point({"k": 10}, {"k": 20}),
    "ThresholdKeys.budget": point({"budget": 10, "cost": 1}, {"budget": 20, "cost": 1}),
    "ThresholdKeys.cost": point({"budget": 20, "cost": 1}, {"budget": 20, "cost": 2}),
    "ThresholdKeys.maximize": learnt({"maximize": "f"}, {"maximize": "mcc"}),
    "ThresholdKeys.minimize": learnt({"minimize": "misclassification_cost"}, {"minimize": "fpr"}),
    "ThresholdKeys.reach": learnt({"reach": {"recall": 0.8}}, {"reach": {"recall": 0.5}}),
    "ThresholdKeys.on": learnt({"maximize": "f"}, {"maximize": "f", "on": "test"}),
    "Config.prevalence": prevalence({}, {"target": 0.1}),
    "PrevalenceKeys.target": prevalence({"target": 0.2}, {"target": 0.1}),
    "PrevalenceKeys.trained_at": prevalence({"target": 0.2}, {"target": 0.2, "trained_at": 0.3}),
    "Costs.matrix": tuple(
        {
            **SEVERAL,
            "metrics": ["misclassification_cost"],
            "costs": {"matrix": {"other": {"other": 1, "c": each}}},
        }
        for each in (5, 6)
    ),
    "Costs.fp": costs({"fp": 2, "fn": 5}),
    "Costs.fn": costs({"fp": 1, "fn": 6}),
    "Costs.tp": costs({**PRICE, "tp": -1}),
    "Costs.tn": costs({**PRICE, "tn": 0.5}),
    "ErrorCostColumn.column": costs(
        {**PRICE, "fn": {"column": "price"}}, {**PRICE, "fn": {"column": "p_a"}}
    ),
}

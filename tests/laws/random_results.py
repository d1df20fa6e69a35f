"""Whole results at random, from one to eight candidates: what the laws of the page are tried on.

    python -m tests.laws.random_results [COUNT]

prints how often each verdict, status and answer occurs among them. Verdicts come from limits by
the rule of the product, statuses from limits by its gates, so a page that contradicts itself is
the page's own doing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from reportgen.governance.decision import ResolvedGate, judge_gates
from reportgen.report.conclusion import add_conclusion
from reportgen.results import Results
from reportgen.results.classification import ClassValues
from reportgen.results.core import ClassInfo, ModelInfo, ModelPair, SegmentInfo
from reportgen.results.costs import (
    CostAnalysis,
    CostDecision,
    CostModelInfo,
    CostOption,
    IntervalEstimate,
    ModelCost,
)
from reportgen.results.input_checks import InputFinding
from reportgen.results.recommendation import settle_question
from reportgen.results.references import ReferenceDifference, ReferenceValue
from reportgen.results.sensitivity import Sensitivity
from reportgen.results.types import NEAREST, round_number
from reportgen.results.verdicts import decide_verdict
from reportgen.terms import Margin
from tests.report.sections import results_factory as made

COUNT = 2000
LABELS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple")
DECISIONS = ("replace", "replace", "choose", "choose", "rank", "enough", "shift", "meets")
SEGMENTS = (
    SegmentInfo("buyer=once", "buyer", "once", 13_954),
    SegmentInfo("buyer=often", "buyer", "often", 9_616),
)
# key: label, better, unit, needs, the baseline's value, the size of a difference
METRICS = {
    "kendall": ("Kendall's τ-b", "higher", "1", "order", 0.35, 0.02),
    "regression_auc": ("Regression AUC", "higher", "1", "order", 0.73, 0.02),
    "mae": ("Mean absolute error", "lower", "$", "amount", 33.0, 2.0),
    "rmse": ("Root mean squared error", "lower", "$", "amount", 92.0, 5.0),
    "bias": ("Mean error", "zero", "$", "amount", -4.0, 1.0),
    "log_loss": ("Log loss", "lower", "1", "probability", 0.34, 0.03),
    "accuracy": ("Accuracy", "higher", "share", "call", 0.8, 0.02),
    "wape": ("Error as a share of the total", "lower", "1", "amount", 0.6, 0.05),
    "expected_cost": ("Cost of errors", "lower", "$ per case", "amount", 61.0, 4.0),
}
REASON = "every y is equal"

TOO_GOOD = {"wrong": 0, "auc": 0.9999}
"""The numbers of a check that holds a model."""


class Drawing:
    """One result in the making."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.decision = DECISIONS[seed % len(DECISIONS)]
        count = 0 if self.decision == "meets" else self.random.choice((1, 1, 2, 2, 3, 4, 5, 8))
        count = max(count, 2 if self.decision in ("rank", "choose") else 0)
        roles = ["baseline", *["candidate"] * count]
        labels = ["Oak", *self.random.sample(LABELS, count)]
        self.models = [
            ModelInfo(label.lower(), label, role, "amount")
            for label, role in zip(labels, roles, strict=True)
        ]
        self.candidates = [model.name for model in self.models[1:]]
        self.keys = self.random.sample(list(METRICS), self.random.randint(1, 6))
        if self.decision == "shift" and self.keys[0] == "expected_cost":
            others = [key for key in self.keys if key not in ("wape", "expected_cost")]
            self.keys = ["wape", *others]  # the figure of page one compares the costs of actions
        self.metrics = [self._make_metric(key) for key in self.keys]
        several = self.decision in ("replace", "choose", "rank") and self._happens(0.2)
        self.datasets = ["holdout", "later"] if several else ["holdout"]
        # By chance alone, several data sets hardly ever say the same of all metrics.
        self.leaning = self.random.choice((0.0, 4.0, 4.0, -4.0)) if several else 0.0
        self.segments = SEGMENTS if self._happens(0.5) else ()
        self.is_constant = bool(self.candidates) and self._happens(0.06)
        self.estimates = []
        self.comparisons = []

    def _happens(self, chance: float) -> bool:
        return self.random.random() < chance

    def _make_metric(self, key: str):
        label, better, unit, needs, _, size = METRICS[key]
        is_primary = key == self.keys[0]
        has_margin = self._happens(0.6 if is_primary else 0.2)
        margin = self.random.choice((0.25, 0.5, 2.0)) * size if has_margin else None
        return made.metric(key, label, better, unit, needs, is_primary=is_primary, margin=margin)

    def draw(self) -> Results:
        """Draw everything in its order, and conclude."""
        self._draw_numbers()
        question = settle_question(
            self.decision if self.decision != "meets" else None,
            self.random.choice([*self.candidates, None]) if self.decision == "replace" else None,
            "oak" if self.candidates else None,
            self.candidates,
        )
        needs = "not_worse" if self.decision == "replace" and self._happens(0.4) else "better"
        shows_all = self._happens(0.2)
        base = made.wallet()
        results = replace(
            base,
            report=replace(
                base.report,
                question="May it replace Oak?" if needs == "not_worse" else "What should be done?",
                decision=question.decision,
                about=question.about,
                needs=needs,
                headline=tuple(self.keys) if shows_all else (),
                sections=("results",),
            ),
            inference=replace(
                made.inference(self.keys[0], len(self.candidates)),
                adjust="bonferroni",
                is_primary_declared=self._happens(0.8),
            ),
            models=tuple(self.models),
            metrics=tuple(self.metrics),
            datasets=tuple(self._make_dataset(name) for name in self.datasets),
            estimates=tuple(self.estimates),
            comparisons=tuple(self.comparisons),
            curves=(),
            costs=tuple(self._iter_costs()),
            classes=tuple(self._iter_classes()),
            sensitivity=Sensitivity(),
            pairs=tuple(self._iter_pairs()),
            gates=(),
            references=tuple(self._iter_references()),
        )
        results = replace(results, checks=tuple(self._iter_checks(results)))
        moves = None if len(self.candidates) == 4 else ()  # a first run, or one without such values
        return finish(replace(results, gates=judge_gates(self._iter_gates(), results, moves)))

    def _draw_numbers(self) -> None:
        undefined = self.random.choice((["oak"], self.candidates[:1], ["oak", *self.candidates]))
        stopped = undefined if self._happens(0.08) else ()
        same = self.candidates[-1:] if self._happens(0.08) else ()
        for dataset in self.datasets:
            for metric in self.metrics:
                is_first = metric.key == self.keys[0]
                lost = stopped if is_first or self._happens(0.05) else ()
                self._draw_metric(metric, dataset, None, lost, same)
            for segment in self.segments if dataset == "holdout" else ():
                self._draw_metric(self.metrics[0], dataset, segment, (), same)

    def _draw_metric(self, metric, dataset, segment, lost, same) -> None:
        _, _, _, _, base, size = METRICS[metric.key]
        where = {"dataset": dataset, "segment": segment and segment.segment}
        where["n"] = segment.n if segment else made.N
        self._add_value("oak", metric, base, size, "oak" in lost, where)
        last = None
        for model in self.candidates:
            moved = 0.0 if model in same else size * self.random.gauss(0.4, 1.5)
            if self.leaning and moved:
                away = self.leaning + self.random.gauss(0.0, 0.5)
                moved = size * away * (-1 if metric.better == "lower" else 1)
            if last is not None and model not in same and self._happens(0.1):
                moved = last
            last = moved
            value = base + moved
            if metric.better in NEAREST:
                moved = abs(value) - abs(base)
            is_lost = bool({model, "oak"} & set(lost))
            self._add_value(model, metric, value, size, model in lost, where)
            self._compare(metric, model, moved, size, is_lost, model in same, where)

    def _add_value(self, model, metric, value, size, is_lost, where) -> None:
        ends = (None, None, None) if is_lost else (value, value - size, value + size)
        bounds = {"status": "undefined", "reason": REASON} if is_lost else {}
        ends = [None if x is None else round_number(x) for x in ends]
        self.estimates.append(made.estimate(model, metric, *ends, **bounds, **where))

    def _compare(self, metric, model, moved, size, is_lost, is_same, where) -> None:
        half = size * self.random.choice((0.1, 0.4, 1.0, 2.0))
        low, high = round_number(moved - half), round_number(moved + half)
        more = {}
        if self._happens(0.03):
            low = 0.0
        if metric.margin and self._happens(0.05):
            high = metric.margin
        if low > moved or high < moved:
            low, high = round_number(moved - half), round_number(moved + half)
        word = decide_verdict(low, high, metric.margin, metric.better)
        difference = round_number(moved)
        if is_lost:
            difference, low, high, word = None, None, None, "no result"
            more = {"status": "undefined", "reason": REASON}
        elif is_same:
            low, high, word, more = 0.0, 0.0, "equivalent", {"is_same": True}
        elif self._happens(0.03):
            low, high, word = None, None, "no result"
        elif self._happens(0.02):
            low, high, word = None, None, "no result"
            more = {"is_few": True, "lacks": "queries"}
        if where["segment"] or metric.key == self.keys[0]:
            more["family"] = "segments" if where["segment"] else "choice"
        limits = (difference, low, high, word)
        more |= {"candidate": model, "baseline": "oak"}
        self.comparisons.append(made.comparison(metric, *limits, **more, **where))

    def _make_dataset(self, name: str):
        data = made.holdout(self.models, self.segments if name == "holdout" else ())
        classes = tuple(ClassInfo(str(k), f"class {k}", 4000) for k in range(3))
        has_classes = "accuracy" in self.keys
        return replace(data, name=name, classes=classes if has_classes else ())

    def _iter_classes(self) -> Iterator[ClassValues]:
        if "accuracy" not in self.keys or not self.candidates:
            return
        info = made.metric("recall", "Recall", "higher", "share", "call")
        for k in range(3):
            values = [
                made.estimate(model.name, info, 0.7 + 0.01 * i, 0.6, 0.8)
                for i, model in enumerate(self.models)
            ]
            compared = [
                made.comparison(
                    info,
                    round_number(0.01 * (i + 1)),
                    low := round_number(0.01 * (i + 1) - self.random.choice((0.005, 0.05))),
                    high := round_number(0.02 * (i + 1) - low),
                    decide_verdict(low, high, None, "higher"),
                    candidate=model,
                    baseline="oak",
                    family="classes",
                )
                for i, model in enumerate(self.candidates)
            ]
            yield ClassValues(
                "holdout", str(k), "", "recall", "Recall", 4000, tuple(values), tuple(compared)
            )

    def _iter_pairs(self) -> Iterator[ModelPair]:
        """Compare the models better than the baseline with the best of them."""
        metric = self.metrics[0]
        for dataset in self.datasets:
            values = {
                e.model: e.value
                for e in self.estimates
                if (e.dataset, e.segment, e.key) == (dataset, None, metric.key)
                and e.value is not None
            }
            ranked = sorted(values, key=lambda name: -_orient(values[name], metric.better))
            for model in ranked[1:]:
                gap = _orient(values[ranked[0]], metric.better) - _orient(
                    values[model], metric.better
                )
                half = METRICS[metric.key][5] * self.random.choice((0.3, 1.0, 2.0))
                low, high = gap - half, gap + half
                if metric.better != "higher":
                    gap, low, high = -gap, -high, -low
                word = decide_verdict(low, high, None, metric.better)
                pair = (ranked[0], model, metric.better, gap, low, high, 0.95)
                yield ModelPair(dataset, metric.key, *pair, "best", 1, None, word)

    def _iter_references(self) -> Iterator[ReferenceValue]:
        """What takes no model: mostly worse than the models, now and then not."""
        for dataset in self.datasets:
            for metric in self.metrics:
                if metric.better not in NEAREST and self._happens(0.5):
                    yield self._make_reference(metric, dataset)

    def _make_reference(self, metric, dataset) -> ReferenceValue:
        _, _, _, _, base, size = METRICS[metric.key]
        sign = 1 if metric.better == "higher" else -1
        value = base - sign * size * self.random.choice((12.0, 12.0, 12.0, 1.0))
        mine = [
            e
            for e in self.estimates
            if (e.dataset, e.segment, e.key) == (dataset, None, metric.key) and e.value is not None
        ]
        leads = [(e.model, e.value - value, size * self.random.choice((0.4, 1.5))) for e in mine]
        return ReferenceValue(
            dataset=dataset,
            key=metric.key,
            kind=self.random.choice(("median", "chance", "random order")),
            label="",
            constant=self.random.choice((None, 3.5)),
            source="rows",
            better=metric.better,
            value=round_number(value),
            low=None,
            high=None,
            level=0.95,
            segments={s.segment: round_number(value + size) for s in self.segments},
            differences=tuple(
                ReferenceDifference(
                    model, round_number(d), round_number(d - half), round_number(d + half), "t"
                )
                for model, d, half in leads
            ),
        )

    def _iter_checks(self, results: Results) -> Iterator[InputFinding]:
        for dataset in self.datasets if self.is_constant else ():
            yield InputFinding("W318", "constant", "failed", dataset, self.candidates[0])
        if self.candidates and self._happens(0.06):
            model = self.random.choice(self.candidates)
            yield InputFinding("W314", "too_good", "failed", "holdout", model, TOO_GOOD)
        for each in results.references:
            for model in self.candidates or ["oak"]:
                if each.key == self.keys[0] and each.is_beaten_by(model) is not None:
                    outcome = "passed" if each.is_beaten_by(model) else "failed"
                    yield InputFinding("W316", "reference", outcome, each.dataset, model)

    def _iter_gates(self) -> Iterator[ResolvedGate]:
        often = self._happens(0.5)
        for index in range(self.random.choice((0, 0, 1, 2, 3, 5, 12))):
            metric = self.random.choice(self.metrics)
            size = METRICS[metric.key][5]
            rules = ["below", "above", "not_worse_than_previous"]
            rules += ["better", "non_inferior", "no_regression"] * 2 * bool(self.candidates)
            rule = self.random.choice(rules)
            model = self.random.choice(self.candidates or ["oak"])
            is_value = rule in rules[:3]
            if is_value:
                value = next(
                    e.value for e in self.estimates if (e.model, e.key) == (model, metric.key)
                )
                aside = self.random.choice((0.5, 2.0, 3.0) if often else (2.0, 2.5, 3.0)) * size
                away = 1 if rule == "below" else -1
                bound = (value or 0.0) + away * aside * (1 if self._happens(0.9) else -1)
                bound = abs(bound) if metric.better == "zero" else bound
            else:
                bound = size * self.random.choice((0.0, 0.5, 1.0, 3.0))
            yield ResolvedGate(
                name=f"requirement {index + 1}",
                rule=rule,
                dataset="holdout",
                segment=None,
                key=metric.key,
                model=model,
                against=None if is_value else "oak",
                bound=Margin(float(f"{bound:.2g}")),
                on="interval",
                inconclusive=self.random.choice(("warn", "fail")),
            )

    def _iter_costs(self) -> Iterator[CostAnalysis]:
        if self.decision != "shift":
            return
        model = CostModelInfo("linlin", 5.0, "EUR", 1000, True, 0.8, False, None)
        cost, options = 90_000.0, []
        for name in ["oak", *self.candidates]:
            for method in ("none", "fitted")[: 1 + self._happens(0.5)]:
                is_today = (name, method) == ("oak", "none")
                saving = 0.0 if is_today else round(2500 * self.random.gauss(0.1, 1.2), 3)
                half = 0.0 if is_today else self.random.choice((800.0, 2500.0))
                options.append(
                    CostOption(
                        0.8,
                        name,
                        method,
                        0,
                        IntervalEstimate(),
                        made.around(cost - saving, 4000.0),
                        made.around(saving, half),
                        made.around(saving / cost, half / cost),
                        made.around(0.0, 900.0),
                        self._happens(0.5),
                        False,
                    )
                )
        best = min(range(len(options)), key=lambda k: options[k].cost.value or 0.0)
        options[best] = replace(options[best], is_advised=True, is_distinguishable=False)
        yield CostAnalysis("holdout", model, (_decide(options),), tuple(options), ())


def _decide(options: list[CostOption]) -> CostDecision:
    """Make the decision among models as they are."""
    plain = [each for each in options if each.method == "none"]
    best = min(plain, key=lambda each: each.cost.value or 0.0)
    nothing = made.around(0.0, 0.0)
    models = tuple(
        ModelCost(
            each.model, nothing, each.cost, each.saving, each.excess, nothing, 0.5, each is not best
        )
        for each in plain
    )
    saved = best.saving
    return CostDecision(
        0.8,
        4.0,
        1.0,
        "none",
        best.model,
        best.cost,
        saved,
        nothing,
        best.saving_share,
        True,
        (),
        models,
    )


def _orient(value: float, better: str) -> float:
    if better in NEAREST:
        return -abs(value - NEAREST[better])
    return value if better == "higher" else -value


def finish(results: Results) -> Results:
    """Conclude as a run does: no gate is judged on a model that gets no verdict."""
    return add_conclusion(results)


def make(seed: int) -> Results:
    """Make the result of this number; the same one each time."""
    return Drawing(seed).draw()


def count_words(drawn: Iterable[Results]) -> dict[str, Counter[str]]:
    """Count verdicts, statuses of requirements, and answers by what is decided."""
    counts: dict[str, Counter[str]] = {"verdict": Counter(), "status": Counter()}
    for results in drawn:
        found = results.conclusion
        assert found is not None
        counts["verdict"].update(row.word for row in (*found.rows, *found.consequences))
        counts["status"].update(each.status for each in found.requirements)
        made_ = found.recommendation
        kind = "data sets" if made_.datasets else made_.decision
        counts.setdefault(kind, Counter())[made_.answer] += 1
        for each in made_.candidates:
            counts.setdefault("reason", Counter())[each.reason] += 1
    return counts


if __name__ == "__main__":
    for kind, found in count_words(map(make, range(int((sys.argv[1:] or [COUNT])[0])))).items():
        print(f"{kind}:", ", ".join(f"{word} {n}" for word, n in found.most_common()))

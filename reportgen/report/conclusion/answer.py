"""Write the answer of page one, and the number under it, from the recommendation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from reportgen.report import prose
from reportgen.report.conclusion.evidence import is_of_decisions, rank_models
from reportgen.report.conclusion.input_checks import describe_hold
from reportgen.report.conclusion.references import (
    is_not_better,
    judge_against_reference,
    phrase_reference,
)
from reportgen.report.facts import Finding, FindingKind, OpenRequirement, Purpose, Quantity
from reportgen.report.prose.marks import Marked
from reportgen.report.prose.methods import name_unit
from reportgen.report.selection import Selection
from reportgen.report.wording.names import clean_name, metric_phrase, use_case_unit
from reportgen.report.wording.numbers import (
    choose_declared_format,
    format_count,
)
from reportgen.results.conclusion import Requirement
from reportgen.results.core import GateResult, MetricInfo
from reportgen.results.recommendation import CandidateAnswer, Recommendation
from reportgen.results.types import FEWEST, Word
from reportgen.results.verdicts import word_side

MOST_WORDS = 28
MOST_NAMES = 4
LONGEST_NAME = 40
_CLEARLY: Word = "clearly better"


class AnswerWriter:
    """The sentences of the answer to the question of a report."""

    def __init__(
        self,
        found: Selection,
        made: Recommendation,
        requirements: Sequence[Requirement],
    ) -> None:
        self.found = found
        self.made = made
        self.requirements = requirements
        self.metric = use_case_unit(found.leading, found.main)
        self.phrase = metric_phrase(self.metric)
        self.baseline = found.short_label(found.baseline.name) if found.baseline else ""
        self.judged = {each.model: each for each in made.candidates}

    def format_labels(self, models: Sequence[str]) -> tuple[str, ...]:
        """Return the names of models."""
        return tuple(self.found.short_label(model) for model in models)

    def write(self) -> Marked:
        """Write the answer."""
        if self.made.is_silent:
            return self._write_stop()
        if len(self.made.datasets) > 1:
            return self._write_datasets()
        return {
            "replace": self._write_replacement,
            "choose": self._write_choice,
            "rank": self._write_order,
            "enough": self._write_sufficiency,
            "shift": self._write_action,
            "meets": self._write_value,
        }[self.made.decision]()

    def _write_stop(self) -> Marked:
        first, *others = self.made.stops
        labels = {
            self.found.short_label(stop.model)
            for stop in others
            if stop.model not in (None, first.model) and stop.code == first.code == "undefined"
        }
        return prose.text(
            "answer.stopped",
            MOST_WORDS,
            reason=first.text,
            others=sorted(labels),
            count=len(labels),
        )

    def _write_replacement(self) -> Marked:
        asked = self.made.candidates[0]
        answer, finding = self.made.answer, self._build_finding(asked)
        if answer == "cannot tell":
            return self._write_doubt(finding)
        if answer == "no":
            return self._write_no(asked, finding)
        return self._write_yes(asked)

    def _write_doubt(self, finding: Finding) -> Marked:
        """Write that the data cannot tell, with what was found in the words that are left."""
        bare = prose.text("answer.cannot_tell", baseline=self.baseline, finding="")
        left = MOST_WORDS - len(bare.split())
        said = prose.mark(finding, max(left, 1))
        return prose.text("answer.cannot_tell", MOST_WORDS, baseline=self.baseline, finding=said)

    def _write_no(self, asked: CandidateAnswer, finding: Finding) -> Marked:
        if asked.reason != "requirement not met":
            return prose.text("answer.replace.ruled_out", finding=prose.mark(finding))
        mine = [each for each in self.requirements if each.model == asked.model]
        failed = sum(each.status == "not met" for each in mine)
        if len(mine) == 1:
            return prose.text(
                "answer.replace.one_requirement", MOST_WORDS, finding=prose.mark(finding)
            )
        return prose.text(
            "answer.replace.requirement",
            MOST_WORDS,
            failed=failed,
            total=len(mine),
            finding=prose.mark(finding),
        )

    def _write_yes(self, asked: CandidateAnswer) -> Marked:
        candidate, word = self.found.short_label(asked.model), asked.word
        verdict = prose.term("verdict", word)
        if word == "equivalent":
            return prose.text(
                "answer.replace.yes_equivalent",
                MOST_WORDS,
                candidate=candidate,
                metric=self.phrase,
            )
        if word == "not worse":
            return prose.text(
                "answer.replace.yes_not_worse",
                MOST_WORDS,
                candidate=candidate,
                baseline=self.baseline,
                metric=self.phrase,
                margin=self._format_margin(),
            )
        price = self._find_price(asked.model)
        if price is not None:
            return prose.text(
                "answer.replace.yes_priced",
                MOST_WORDS,
                purpose=self._name_purpose(self.metric),
                candidate=candidate,
                verdict=verdict,
                baseline=self.baseline,
                other_purpose=self._name_purpose(price[0]),
                other_verdict=prose.term("verdict", price[1]),
            )
        return prose.text(
            "answer.replace.yes",
            MOST_WORDS,
            candidate=candidate,
            verdict=verdict,
            baseline=self.baseline,
            metric=self.phrase,
        )

    def _find_price(self, model: str) -> tuple[MetricInfo, Word] | None:
        """Find the first metric of another kind on which a model is worse."""
        for each in self.made.not_for:
            metric = self.found.find_metric(each.metric)
            c = self.found.comparison(model, each.metric)
            if each.segment is None and metric.kind != self.metric.kind and c is not None:
                return metric, c.word
        return None

    def _name_purpose(self, metric: MetricInfo) -> Marked:
        return prose.mark(Purpose(metric.kind, clean_name(self.found.main.case[1])))

    def _format_margin(self) -> Quantity:
        margin = self.found.leading.margin
        return Quantity(margin, choose_declared_format(margin, self.metric.unit))

    def _build_finding(self, judged: CandidateAnswer, candidate: str = "") -> Finding:
        """Find what decides the answer for one candidate."""
        kind = self._choose_kind(judged)
        comparison = self.found.comparison(judged.model, self.found.leading.key)
        of_count = "" if comparison is None else comparison.lacks
        other = self._find_other(judged)
        opens = [
            each
            for each in self.requirements
            if each.model == judged.model and each.status in ("cannot tell", "not judged")
        ]
        gain: str = self.metric.verb and clean_name(self.metric.verb)
        if not gain and kind == "not worse":
            gain = prose.text("finding.gain_alone")
        elif not gain:
            gain = prose.text("finding.gain", metric=self.phrase)
        return Finding(
            kind=kind,
            candidate=candidate or self.found.short_label(judged.model),
            baseline=self.baseline,
            metric=self.phrase,
            gain=gain,
            problem=describe_hold(self.found, judged.model, judged.holds),
            case=clean_name(self.found.main.case[0]),
            units=of_count or name_unit("row")[1],
            fewest=FEWEST.get(of_count, 0),
            verdict=prose.term("verdict", judged.word),
            purpose=self._name_purpose(self.metric),
            other="" if other is None else metric_phrase(other[0]),
            other_verdict="" if other is None else prose.term("verdict", other[1]),
            other_purpose="" if other is None else self._name_purpose(other[0]),
            requirement=self._describe_open(opens[0]) if opens else "",
            count=len(opens),
            margin=self._format_margin(),
            reference=self._phrase_reference(),
            is_beaten=is_not_better(self.found, judged.model, self.found.leading.key),
        )

    def _phrase_reference(self) -> str:
        return phrase_reference(self.found, self.found.reference(self.found.leading.key))

    def _choose_kind(self, judged: CandidateAnswer) -> FindingKind:
        comparison = self.found.comparison(judged.model, self.found.leading.key)
        if judged.reason == "hold":
            return judged.holds[0].code
        if judged.reason == "constant":
            return "same decisions" if is_of_decisions(self.found, judged.model) else "constant"
        if judged.reason == "trade-off":
            return "trade-off"
        if judged.reason == "requirement open":
            count = sum(
                each.model == judged.model and each.status in ("cannot tell", "not judged")
                for each in self.requirements
            )
            return "requirement open" if count == 1 else "requirements open"
        if comparison is not None and comparison.is_same:
            return "identical"
        if comparison is not None and comparison.is_few:
            return "few"
        if judged.word == "cannot tell" and judged.reason == "requirement not met":
            return "cannot tell which"
        word: FindingKind = judged.word
        return word if word in get_args(FindingKind) else "no result"

    def _find_other(self, judged: CandidateAnswer) -> tuple[MetricInfo, Word] | None:
        """Find the metric that a finding names beside the one that decides."""
        keys = [*judged.losses, *(hold.metric for hold in judged.holds if hold.metric)]
        for key in keys[:1]:
            c = self.found.comparison(judged.model, key)
            return None if c is None else (self.found.find_metric(key), c.word)
        return None

    def _describe_open(self, each: Requirement) -> Marked:
        """Describe what an open requirement asks, as the end of a sentence."""
        gate = next(g for g in self.found.results.gates if g.name == each.gate)
        metric = use_case_unit(self.found.find_metric(gate.key), self.found.main)
        is_bound = gate.rule in ("below", "above")
        return prose.mark(
            OpenRequirement(
                gate.rule if is_bound else "other",  # type: ignore[arg-type]
                clean_name(gate.name),
                metric_phrase(metric),
                Quantity(gate.bound, choose_declared_format(gate.bound, metric.unit)),
                self._describe_place(gate),
                metric.better == "zero",
            )
        )

    def _describe_place(self, gate: GateResult) -> str:
        return clean_name(gate.segment or "") if gate.segment else ""

    def _write_choice(self) -> Marked:
        made = self.made
        if made.answer == "cannot tell":
            return self._write_doubt(self._find_leading())
        return self._write_keep() if made.answer == "no" else self._write_use()

    def _write_use(self) -> Marked:
        """Write which model to use, and between which the choice is open."""
        made = self.made
        better, use = made.better, made.use
        is_clear = all(self.judged[model].word == _CLEARLY for model in better)
        verdict = prose.term("verdict", _CLEARLY if is_clear else "better")
        count, total, is_pair = len(better), len(made.candidates), len(use) == 2
        names, best = self.format_labels(better), self.found.short_label(use[0])
        if len(use) == 1 and count == 1:
            return prose.text(
                "answer.choose.one",
                MOST_WORDS,
                best=best,
                verdict=verdict,
                baseline=self.baseline,
                metric=self.phrase,
            )
        if len(use) == 1 and set(made.level) == set(use):
            return prose.text(
                "answer.choose.best",
                MOST_WORDS if count <= MOST_NAMES else 1,
                best=best,
                better=names,
                verdict=verdict,
                baseline=self.baseline,
                count=count,
                total=total,
            )
        if len(use) == 1:
            return prose.text(
                "answer.choose.first",
                MOST_WORDS if count <= MOST_NAMES else 1,
                is_only=sum(each.answer == "yes" for each in made.candidates) == 1,
                best=best,
                better=names,
                verdict=verdict,
                baseline=self.baseline,
                count=count,
                total=total,
            )
        if len(use) > MOST_NAMES:
            return prose.text(
                "answer.choose.many",
                chosen=len(use),
                count=count,
                total=total,
                verdict=verdict,
                baseline=self.baseline,
            )
        if is_pair and count == 2:
            return prose.text(
                "answer.choose.two",
                MOST_WORDS,
                use=self.format_labels(use),
                verdict=verdict,
                baseline=self.baseline,
            )
        if len(use) == count:
            return prose.text(
                "answer.choose.all",
                MOST_WORDS,
                use=self.format_labels(use),
                count=count,
                verdict=verdict,
                baseline=self.baseline,
            )
        return prose.text(
            "answer.choose.some",
            MOST_WORDS,
            use=self.format_labels(use),
            better=names,
            verdict=verdict,
            baseline=self.baseline,
            is_pair=is_pair,
            count=count,
            total=total,
        )

    def _write_keep(self) -> Marked:
        every = self.made.candidates
        reasons = {each.reason for each in every}
        if reasons == {"requirement not met"}:
            return prose.text("answer.choose.keep_failed", baseline=self.baseline)
        if len(every) == 1:
            return prose.text(
                "answer.choose.keep",
                MOST_WORDS,
                baseline=self.baseline,
                finding=prose.mark(self._build_finding(every[0])),
            )
        if reasons == {"verdict"}:
            is_sized = any(each.word == "not better" for each in every)
            return prose.text(
                "answer.choose.keep_not_better",
                MOST_WORDS,
                baseline=self.baseline,
                total=len(every),
                metric=self.phrase,
                margin=self._format_margin() if is_sized else None,
            )
        return prose.text(
            "answer.choose.keep_none",
            MOST_WORDS,
            baseline=self.baseline,
            total=len(every),
            metric=self.phrase,
        )

    def _find_leading(self) -> Finding:
        """Find what keeps the answer open: of the open candidate with the best value."""
        ranked = rank_models(self.found, self.found.leading)
        opens = [e for e in self.made.candidates if e.answer in ("cannot tell", "no verdict")]
        opens.sort(key=lambda each: ranked.index(each.model) if each.model in ranked else 99)
        is_several = sum(each.word == "cannot tell" for each in opens) > 1
        if is_several and opens[0].word == "cannot tell":
            return self._build_finding(opens[0], prose.line("finding.another"))
        return self._build_finding(opens[0])

    def _write_order(self) -> Marked:
        groups = tuple(self.format_labels(group) for group in self.made.order)
        flat = [name for group in groups for name in group]
        if self.made.answer == "yes":
            return prose.text(
                "answer.rank.yes",
                MOST_WORDS,
                metric=self.phrase,
                models=groups,
                total=len(flat),
                best=flat[0],
                worst=flat[-1],
            )
        count = sum(len(group) for group in groups if len(group) > 1)
        if any(map(self._has_order, self.made.order)):
            return prose.text("answer.rank.chain", count=count, total=len(flat))
        if len(groups[-1]) > 1 and sum(len(group) > 1 for group in groups) == 1:
            return prose.text(
                "answer.rank.cannot_tell",
                MOST_WORDS,
                groups=groups,
                is_one=len(groups) == 1,
                count=count,
                total=len(flat),
            )
        return prose.text(
            "answer.rank.groups", MOST_WORDS, groups=groups, count=count, total=len(flat)
        )

    def _has_order(self, group: Sequence[str]) -> bool:
        """Tell whether some two models of a group, though no neighbours, are told apart."""
        sides = {each.model: word_side(each.word) for each in self.made.candidates}
        inside = {sides[model] for model in group if sides.get(model)}
        has_baseline = any(model not in sides for model in group)
        beaten = self.found.list_beaten(self.found.main.name)
        return len(inside) + has_baseline > 1 or any((x, y) in beaten for x in group for y in group)

    def _write_sufficiency(self) -> Marked:
        rows = format_count(self.found.main.n, *self.found.main.case)
        if self.made.answer == "no":
            return prose.text("answer.enough.no", rows=rows)
        underlying = self._write_use() if self.made.use else self._write_keep()
        return prose.text("answer.enough.yes", MOST_WORDS, rows=rows, finding=underlying)

    def _write_action(self) -> Marked:
        made, baseline = self.made, self.baseline
        if not made.use:
            if made.answer == "cannot tell":
                return prose.text("answer.shift.cannot_tell", baseline=baseline)
            if made.better:
                return prose.text("answer.shift.keep_failed", baseline=baseline)
            return prose.text("answer.shift.keep", baseline=baseline)
        model = made.use[0]
        is_baseline = self.found.baseline is not None and model == self.found.baseline.name
        if not made.correction:
            return prose.text(
                "answer.shift.use", model=self.found.short_label(model), baseline=baseline
            )
        correction = prose.term("correction", made.correction)
        if is_baseline:
            return prose.text("answer.shift.correct", baseline=baseline, correction=correction)
        return prose.text(
            "answer.shift.use_corrected",
            MOST_WORDS,
            model=self.found.short_label(model),
            correction=correction,
            baseline=baseline,
        )

    def _write_value(self) -> Marked:
        model = self.made.candidates[0].model if self.made.candidates else ""
        mine = [each for each in self.requirements if each.status != "skipped"]
        failed = sum(each.status == "not met" for each in mine)
        opens = sum(each.status in ("cannot tell", "not judged") for each in mine)
        label, reference = self.found.short_label(model), self._phrase_reference()
        word = judge_against_reference(self.found, model, self.found.leading.key)
        verdict = "" if word is None else prose.term("verdict", word)
        if failed:
            return prose.text("answer.meets.no", total=len(mine), failed=failed)
        holds = self.made.candidates[0].holds if self.made.candidates else ()
        if any(hold.code == "reference" for hold in holds):
            is_beaten = self.made.answer == "no"
            return prose.text(
                "answer.meets.not_above", model=label, reference=reference, is_beaten=is_beaten
            )
        if holds:
            return prose.text("answer.meets.held", problem=describe_hold(self.found, model, holds))
        if not mine and word is None:
            return prose.text("answer.meets.nothing", model=label)
        if not mine:
            return prose.text(
                "answer.meets.above", model=label, verdict=verdict, reference=reference
            )
        if opens:
            return prose.text("answer.meets.open", total=len(mine), count=opens)
        if word is not None:
            return prose.text(
                "answer.meets.yes_above", total=len(mine), verdict=verdict, reference=reference
            )
        return prose.text("answer.meets.yes", total=len(mine))

    def _write_datasets(self) -> Marked:
        made = self.made
        names = {each.dataset: clean_name(each.dataset, LONGEST_NAME) for each in made.datasets}
        if made.answer == "no":
            against = [names[e.dataset] for e in made.datasets if e.answer == "no"]
            others = [names[e.dataset] for e in made.datasets if e.answer != "no"]
            return prose.text(
                "answer.datasets.no", baseline=self.baseline, against=against, others=others
            )
        agreeing = [names[e.dataset] for e in made.datasets if e.answer == "yes"]
        is_open = made.answer == "cannot tell"
        if made.decision == "rank" and is_open and agreeing:
            is_differing = len(agreeing) == len(names)
            return prose.text("answer.rank.datasets", agreeing=None if is_differing else agreeing)
        if made.decision == "rank":
            return self._write_order()
        if is_open and len(agreeing) == len(names):
            return prose.text("answer.datasets.differ", baseline=self.baseline)
        if is_open and not agreeing:
            is_one = made.decision == "replace"
            return self._write_replacement() if is_one else self._write_choice()
        if is_open:
            return prose.text(
                "answer.datasets.cannot_tell", baseline=self.baseline, agreeing=agreeing
            )
        if made.decision == "replace":
            return prose.text(
                "answer.datasets.yes",
                MOST_WORDS,
                total=len(names),
                finding=prose.mark(self._build_finding(made.candidates[0])),
            )
        first = next(each for each in made.candidates if each.model == made.use[0])
        return prose.text(
            "answer.datasets.use",
            MOST_WORDS,
            use=self.format_labels(made.use),
            total=len(names),
            finding=prose.mark(self._build_finding(first)),
        )

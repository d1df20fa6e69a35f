"""The best action in words: what to do, what it saves, what is level with it."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.results.conclusion import BestAction
from reportgen.wording.names import listed
from reportgen.wording.numbers import form_of, level

CORRECTIONS: Mapping[str, str] = {
    "none": "unadjusted",
    "fitted": "with a fitted constant",
    "polynomial": "with a fitted polynomial correction",
    "surface": "with a fitted correction by score and cost ratio",
    "soft": "corrected by its own predictive distribution",
}
NOT_TRIED = "Correction not tried: no rows to fit on."


def answers(
    action: BestAction, labels: Mapping[str, str], baseline: str, *, helps: bool
) -> list[str]:
    """What to do, in ever fewer words; `helps` says whether a constant would, in hindsight."""
    model, base = labels[action.model], labels[baseline]
    end = "" if action.is_tried or helps else "; no constant is shown to help"
    if action.is_today:
        return [f"Keep {base} as it is: nothing that can be put to use is shown cheaper{end}.",
                f"Keep {base} as it is."]  # fmt: skip
    if action.model == baseline:
        how = CORRECTIONS[action.method]
        return [f"Keep {base} and correct its scores, {how}.", f"Keep {base} {how}.",
                f"Keep {base} and correct its scores."]  # fmt: skip
    if action.method == "none":
        return [f"Use {model}, which is cheaper than {base}{end}.", f"Use {model}{end}.",
                f"Use {model}."]  # fmt: skip
    how = CORRECTIONS[action.method]
    return [f"Use {model} {how}: cheaper than {base} as it is.", f"Use {model} {how}.",
            f"Use {model} and correct its scores."]  # fmt: skip


def sentence(action: BestAction, labels: Mapping[str, str], baseline: str, unit: str) -> str:
    """What it costs and saves, what is level with it, and whether corrections were tried."""
    form = form_of(action.saving, action.low, action.high, unit)
    who = f"{labels[action.model]} {CORRECTIONS[action.method]}"
    cost = form.amount(action.cost)
    tail = "" if action.is_tried else f" {NOT_TRIED}"
    if action.is_today:
        return f"{who} costs {cost}; no other action is shown to cost less.{tail}"
    saving = form.amount(action.saving)
    interval = f"{level(action.level)} CI {form.interval(action.low, action.high)}"
    of = f", adjusted for all {action.options} usable actions" if action.options > 2 else ""
    said = f"{who} costs {cost}, {saving} less than {labels[baseline]} unadjusted ({interval}{of})."
    return f"{said}{_level(action, labels)}{tail}"


def _level(action: BestAction, labels: Mapping[str, str]) -> str:
    others = [f"{labels[model]} {CORRECTIONS[method]}" for model, method in action.level_with]
    if not others:
        return ""
    return f" Not distinguishable from the cheapest: {listed(others, 3)}."

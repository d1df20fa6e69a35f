"""From measured results to decided ones: gates, what may be shown, status, conclusion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reportgen.data.sample import Sample
from reportgen.governance.freeze import add_report_status
from reportgen.governance.gates import build_gates, judge_gates
from reportgen.governance.history import map_previous_models
from reportgen.governance.privacy import apply_disclosure_rules, get_disclosure_rules
from reportgen.governance.run_diff import Run, compare_runs, compute_moves_since
from reportgen.governance.study import Options, Study
from reportgen.planning.adjustments import restore_score_direction
from reportgen.report.conclusion import conclude
from reportgen.results import Results


def decide(
    measured: Results, study: Study, samples: Mapping[str, Sample], options: Options
) -> Results:
    """Return the results with gates, status, conclusion and changes, without suppressed numbers.

    Gates are evaluated on all numbers, suppressed ones too; every later step reads what is shown.
    """
    loaded, previous, cache = study.loaded, study.previous, options.open_cache()
    models = map_previous_models(loaded)
    moves = None if previous is None else compute_moves_since(previous, measured, models, cache)
    judged = replace(measured, gates=judge_gates(build_gates(loaded), measured, moves))
    shown = apply_disclosure_rules(judged, get_disclosure_rules(loaded.config), samples)
    shown = restore_score_direction(shown)
    ranked = add_report_status(loaded, shown, options.without_git)
    decided = replace(ranked, conclusion=conclude(ranked))
    if previous is None:
        return decided
    return replace(decided, changes=compare_runs(previous, Run(decided), models, cache))

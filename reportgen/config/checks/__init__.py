"""Rules across the keys of a config: each check reads a `ConfigView` and yields what is wrong."""

from reportgen.config.checks import (
    classes,
    datasets,
    metrics,
    ranking,
    references,
    thresholds,
)

NAME_CHECKS = (
    metrics.check_uses,
    references.check_references,
    references.check_scales,
    datasets.check_sources,
    ranking.check_ranking,
    datasets.check_resampling,
    datasets.check_folds,
    datasets.check_across,
    datasets.check_finished,
    thresholds.check_shifts,
    references.check_tests,
    references.check_page_one,
    thresholds.check_points,
    classes.check_classes,
)
"""Checks of names and of what stands together, which need no valid config."""
RULE_CHECKS = (
    references.refuse_unreachable_gates,
    references.check_governing,
    thresholds.check_rules,
    classes.check_called,
    classes.check_prevalence,
    classes.check_second_target,
    ranking.check_ties,
)
"""Checks of what values mean together, in a config without other problems."""

"""What changed in the data, from what results hold of two sets of rows."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from reportgen.data.dataset import profile_column
from reportgen.governance.data_shifts import iter_shifts
from reportgen.results.core import ClassInfo, DatasetInfo, SegmentInfo

DRAW = np.random.default_rng(9)
BEFORE, NOW = DRAW.gamma(2, 10, 600), DRAW.gamma(2, 12, 800)


def info(y, segments=(), score=None, model="new", **more):
    columns = [profile_column(y, "y", "spend")]
    if score is not None:
        columns.append(profile_column(score, "score", "s", model))
    nothing = {"weight": None, "cluster": None, "clusters": None, "design": ""}
    known = {"inputs": (), "waterfall": (), "columns": tuple(columns), "role": "test"}
    listed = tuple(SegmentInfo(f"by={name}", "by", name, n) for name, n in segments)
    return DatasetInfo(
        **{"name": "d", "target": "spend", "unit": "$", "n": len(y), "segments": listed}
        | nothing
        | known
        | more
    )


def shifts(before, now, **more):
    return {(s.kind, s.name): s for s in iter_shifts(before, now, 0.95, **more)}


def test_the_target_is_compared_by_its_mean_and_its_distribution():
    found = shifts(info(BEFORE), info(NOW))["target", "spend"]
    known = stats.ttest_ind(NOW, BEFORE, equal_var=False).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((known.low, known.high), rel=1e-9)
    assert found.relative == pytest.approx(NOW.mean() / BEFORE.mean() - 1)
    exact = stats.ks_2samp(BEFORE, NOW).statistic
    assert found.measure == "ks" and abs(found.distance - exact) <= found.resolution == 0.01


def test_two_classes_are_compared_by_their_shares():
    was, new = np.repeat([0.0, 1.0], [70, 30]), np.repeat([0.0, 1.0], [50, 50])
    found = shifts(info(was), info(new))["target", "spend"]
    assert (found.measure, found.distance, found.unit) == ("tv", 0.2, "share")
    assert found.change == pytest.approx(0.2)


def test_clusters_count_as_one_row_each():
    plain = shifts(info(BEFORE), info(NOW))["target", "spend"]
    wide = shifts(info(BEFORE, cluster="c", clusters=40), info(NOW, cluster="c", clusters=50))
    assert wide["target", "spend"].high - wide["target", "spend"].low > 3 * (plain.high - plain.low)


def test_scores_are_those_of_the_model_under_its_earlier_name():
    old, new = info(BEFORE, score=BEFORE, model="first"), info(NOW, score=NOW, model="new")
    assert ("score", "s") not in shifts(old, new)
    assert shifts(old, new, names={"new": "first"})["score", "s"].distance > 0


def test_segments_that_either_run_hides_are_one_group():
    old = info(BEFORE, [("a", 300), ("b", 200), ("c", 100)])
    new = info(NOW, [("a", 500)])
    new = replace(new, hidden=("by=b", "by=c"))
    found = shifts(old, new)["segment", "by"]
    assert found.distance == pytest.approx(abs(300 / 600 - 500 / 800))


def test_hidden_classes_are_not_compared():
    classes = tuple(ClassInfo(str(k), str(k), n) for k, n in enumerate((300, 200, 100)))
    old, new = info(BEFORE, classes=classes), info(NOW, classes=classes)
    assert shifts(old, new)["target", "spend"].measure == "tv"
    hidden = (*classes[:2], replace(classes[2], n=0, is_hidden=True))
    assert ("target", "spend") not in shifts(old, info(NOW, classes=hidden))


def test_without_quantiles_there_is_a_change_and_no_distance():
    bare = info(BEFORE)
    bare = replace(bare, columns=tuple(replace(c, quantiles=()) for c in bare.columns))
    found = shifts(bare, info(NOW))["target", "spend"]
    assert found.distance is None and found.change is not None

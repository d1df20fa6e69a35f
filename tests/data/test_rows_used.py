"""Which rows are used, how the others are accounted for, and what is doubted."""

from dataclasses import replace

import numpy as np
import pytest

from reportgen.data.codes import format_bin_labels
from reportgen.data.dataset import profile_column, read_dataset
from reportgen.data.requests import ClassRequest, ColumnRequest, SampleRequest, SegmentRequest
from reportgen.errors import ConfigError, DataError
from reportgen.report.prose.warnings import format_warning
from reportgen.results.types import RaisedWarning

GAPS = "id,y,a,b\n1,1,1,9\n2,,2,2\n3,3,,3\n4,4,,\n5,5,5,5\n6,6,6,6\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def steps(loaded):
    return [(s.step, s.rows, s.removed, s.reason) for s in loaded.info.waterfall]


def table(count, **columns):
    columns = {
        "id": range(count),
        "y": range(count),
        "a": range(count),
        "b": range(count, 0, -1),
    } | (columns)
    lines = zip(*(map(str, values) for values in columns.values()), strict=True)
    return "\n".join([",".join(columns), *map(",".join, lines)]) + "\n"


@pytest.mark.parametrize("missing", ["drop", "intersect"])
def test_rows_with_a_missing_value_are_dropped_and_counted_for_each_column(
    missing, tmp_path, asked
):
    loaded = read_dataset(asked.wide(write(tmp_path / "t.csv", GAPS), missing=missing))
    assert loaded.sample.ids == ("1", "5", "6")
    assert steps(loaded) == [
        ("read", 6, 0, ""),
        ("dropped", 5, 1, "1 missing value in column 'y'"),
        ("dropped", 3, 2, "2 missing values in column 'a' of model 'first'"),
        ("dropped", 3, 0, "1 missing value in column 'b' of model 'second'"),
        ("used", 3, 0, ""),
    ]
    found = [
        (d.code, d.model, d.numbers["column"], d.numbers["missing"], d.numbers["removed"])
        for d in loaded.warnings
    ]
    assert found == [
        ("W204", None, "y", 1, 1),
        ("W204", "first", "a", 2, 2),
    ]


@pytest.mark.parametrize(
    ("missing", "removed", "said"),
    [
        (37, 37, "The report leaves out 37 of the rows, because y is missing."),
        (
            40,
            37,
            "The report leaves out 37 of the rows, because y is missing. "
            "It is missing for 40 of the rows.",
        ),
    ],
)
def test_how_often_a_value_is_missing_is_said_once(missing, removed, said):
    numbers = {"column": "y", "missing": missing, "removed": removed, "unused": 0}
    assert format_warning("W204", numbers) == said


def test_what_happened_on_dropped_rows_is_told(tmp_path, asked):
    rows = "".join(f"{i},{int(i > 12)},0.{i},{'' if i > 16 else 0.5}\n" for i in range(1, 21))
    request = asked.wide(write(tmp_path / "t.csv", f"id,y,a,b\n{rows}"), missing="drop")
    request = replace(request, classes=ClassRequest(is_two=True))
    (lost,) = (w for w in read_dataset(request).warnings if w.code == "W204")
    assert lost.numbers["share"] == 0.2
    assert (lost.numbers["gone_positive"], lost.numbers["kept_positive"]) == (1.0, 0.25)


def parts(folder):
    write(folder / "labels.csv", "id,y\n" + "".join(f"{i},{i}\n" for i in range(1, 8)))
    write(folder / "first.csv", "id,a\n7,7\n6,\n5,5\n4,4\n3,3\n9,9\n")
    write(folder / "second.csv", "id,b\n2,2\n3,3\n4,4\n5,5\n6,6\n")


def test_intersect_keeps_the_ids_that_are_complete_everywhere(tmp_path, asked):
    parts(tmp_path)
    loaded = read_dataset(asked.split(tmp_path, missing="intersect"))
    assert loaded.sample.ids == ("3", "4", "5")
    assert loaded.sample.models["first"].score.tolist() == [3, 4, 5]
    assert steps(loaded) == [
        ("read", 7, 0, ""),
        ("joined", 5, 2, "no score of 'first' for 2 ids, 1 id of first.csv without a row"),
        ("joined", 4, 1, "no score of 'second' for 2 ids"),
        ("dropped", 3, 1, "1 missing value in column 'a' of model 'first'"),
        ("used", 3, 0, ""),
    ]
    joined = [w.numbers for w in loaded.warnings if w.numbers.get("step") == "joined"]
    shares = [numbers["unmatched_share"] for numbers in joined]
    assert shares == pytest.approx([3 / 7, 3 / 7])  # rows 1, 2 and 7


def test_drop_still_refuses_ids_that_do_not_match(tmp_path, asked):
    parts(tmp_path)
    with pytest.raises(DataError, match=r"2 of 7 ids of labels\.csv are not in first\.csv"):
        read_dataset(asked.split(tmp_path, missing="drop"))


def test_rows_that_the_filter_removes_may_repeat_an_id_and_need_no_value(tmp_path, asked):
    text = "id,month,y,a,b\n1,05,1,1,1\n1,06,2,2,2\n2,06,3,3,3\n2,05,4,,4\n"
    loaded = read_dataset(asked.wide(write(tmp_path / "t.csv", text), filter="month == '06'"))
    assert loaded.sample.y.tolist() == [2, 3]
    assert steps(loaded)[1] == ("filtered", 2, 2, "month == '06'")


def test_scores_of_filtered_labels_still_match(tmp_path, asked):
    write(tmp_path / "labels.csv", "id,y\n1,1\n2,2\n3,3\n")
    write(tmp_path / "first.csv", "id,a\n1,1\n2,2\n3,3\n")
    write(tmp_path / "second.csv", "id,b\n2,2\n3,3\n")
    loaded = read_dataset(asked.split(tmp_path, filter="y > 1"))
    assert loaded.sample.ids == ("2", "3")


def test_a_sample_is_the_same_whatever_the_order_and_the_other_rows(tmp_path, asked):
    sample = SampleRequest(40, 7)
    rows = table(200).splitlines(keepends=True)
    write(tmp_path / "t.csv", "".join(rows))
    write(tmp_path / "u.csv", "".join([rows[0], *rows[:0:-1]]))
    one = read_dataset(asked.wide(tmp_path / "t.csv", sample=sample))
    other = read_dataset(asked.wide(tmp_path / "u.csv", sample=sample))
    assert one.sample.ids == other.sample.ids
    assert one.sample.n == 40
    assert steps(one)[1] == ("sampled", 40, 160, "n 40, seed 7")
    fewer = read_dataset(asked.wide(tmp_path / "t.csv", sample=SampleRequest(30, 7)))
    assert set(fewer.sample.ids) < set(one.sample.ids)
    again = read_dataset(asked.wide(tmp_path / "t.csv", sample=SampleRequest(40, 8)))
    assert again.sample.ids != one.sample.ids


def test_a_sample_is_these_rows_on_every_machine(tmp_path, asked):
    write(tmp_path / "t.csv", table(200))
    loaded = read_dataset(asked.wide(tmp_path / "t.csv", sample=SampleRequest(5, 20261121)))
    assert loaded.sample.ids == ("12", "175", "198", "61", "71")


def test_names_become_sorted_codes_and_times_ordinal(tmp_path, asked):
    text = (
        "id,y,a,b,c,t\n1,1,1,1,10,2026-02\n2,2,2,2,9,2025-12-31\n3,3,3,3,10,2026-02-01T00:00:00Z\n"
    )
    request = asked.wide(
        write(tmp_path / "t.csv", text), cluster=ColumnRequest("c"), time=ColumnRequest("t")
    )
    loaded = read_dataset(request)
    assert loaded.sample.sampling.units.codes.labels == ("10", "9")
    assert loaded.sample.sampling.units.codes.code.tolist() == [0, 1, 0]
    assert loaded.sample.sampling.time.code.tolist() == [1, 0, 1]
    assert (loaded.info.cluster, loaded.info.clusters) == ("c", 2)


def test_times_that_are_numbers_are_ordered_by_size(tmp_path, asked):
    text = "id,y,a,b,t\n1,1,1,1,10\n2,2,2,2,9\n3,3,3,3,10.0\n"
    request = asked.wide(write(tmp_path / "t.csv", text), time=ColumnRequest("t"))
    assert read_dataset(request).sample.sampling.time.code.tolist() == [1, 0, 1]


def test_a_missing_cluster_is_a_missing_value(tmp_path, asked):
    text = "id,y,a,b,c\n1,1,1,1,x\n2,2,2,2,\n3,3,3,3,NA\n"
    request = asked.wide(write(tmp_path / "t.csv", text), cluster=ColumnRequest("c"))
    with pytest.raises(DataError) as refused:
        read_dataset(request)
    assert str(refused.value) == (
        "t.csv: column 'c' has 1 missing value of 3 (first at line 3); "
        "`missing: drop` under datasets.test leaves such rows out"
    )


def test_bins_hold_their_lower_edge_and_the_last_bin_both(tmp_path, asked):
    text = "id,y,a,b,age\n" + "".join(
        f"{i},{i},{i},{i},{age}\n" for i, age in enumerate(["0", "9.99", "10", "50", "", "49"])
    )
    request = asked.wide(
        write(tmp_path / "t.csv", text),
        segments=(SegmentRequest("age", (-5.0, 0.0, 10.0, 20.0, 50.0)),),
    )
    loaded = read_dataset(request)
    assert [(s.segment, s.n) for s in loaded.info.segments] == [
        ("age=[-5, 0)", 0),
        ("age=[0, 10)", 2),
        ("age=[10, 20)", 1),
        ("age=[20, 50]", 2),
        ("age=(missing)", 1),
    ]
    assert loaded.sample.segments["age"].code.tolist() == [1, 1, 2, 3, 4, 3]
    assert (
        RaisedWarning("W203", {"rows": 0, "fewest": 30}, segment="age=[-5, 0)") in loaded.warnings
    )


def test_infinite_edges_are_open():
    assert format_bin_labels((float("-inf"), 0.5, float("inf"))) == ("(−∞, 0.5)", "[0.5, ∞)")


def test_rows_without_a_segment_are_a_segment_that_comes_last(tmp_path, asked):
    text = table(40, s=["z", "", "A", *["z"] * 37])
    request = asked.wide(write(tmp_path / "t.csv", text), segments=(SegmentRequest("s"),))
    loaded = read_dataset(request)
    assert loaded.sample.segments["s"].labels == ("A", "z", "(missing)")
    assert [(s.segment, s.n) for s in loaded.info.segments] == [
        ("s=A", 1),
        ("s=z", 38),
        ("s=(missing)", 1),
    ]
    assert [d.segment for d in loaded.warnings] == ["s=A", "s=(missing)"]


def test_few_whole_numbers_are_slices_in_their_order(tmp_path, asked):
    text = table(6, s=[10, 2, "2.0", -1, "NA", 10])
    request = asked.wide(write(tmp_path / "t.csv", text), segments=(SegmentRequest("s"),))
    found = read_dataset(request).sample.segments["s"]
    assert found.labels == ("-1", "2", "10", "(missing)")
    assert found.code.tolist() == [2, 1, 1, 0, 3, 2]


def test_thirty_codes_are_slices_and_thirty_one_need_bins(tmp_path, asked):
    segments = (SegmentRequest("s", at=("datasets", "test", "segments", 0)),)
    text = table(62, s=[k % 30 for k in range(62)])
    found = read_dataset(asked.wide(write(tmp_path / "t.csv", text), segments=segments))
    assert len(found.sample.segments["s"].labels) == 30
    text = table(62, s=[k % 31 for k in range(62)])
    with pytest.raises(ConfigError) as refused:
        read_dataset(asked.wide(write(tmp_path / "t.csv", text), segments=segments))
    assert refused.value.problems[0].message == (
        "segment column 's' of t.csv holds 31 different numbers: give `bins:`; "
        "only up to 30 whole numbers are segments by themselves"
    )


@pytest.mark.parametrize("odd", ["1.5", "1e17"])
def test_numbers_that_are_no_codes_need_bins(odd, tmp_path, asked):
    text = table(3, s=[1, 2, odd])
    request = asked.wide(write(tmp_path / "t.csv", text), segments=(SegmentRequest("s"),))
    with pytest.raises(ConfigError, match="3 different numbers, not all of them whole codes: give"):
        read_dataset(request)


def test_codes_with_leading_zeros_are_text_and_need_no_bins(tmp_path, asked):
    text = table(4, s=["01", "02", "01", "10"])
    request = asked.wide(write(tmp_path / "t.csv", text), segments=(SegmentRequest("s"),))
    assert read_dataset(request).sample.segments["s"].labels == ("01", "02", "10")


def test_a_constant_target_is_doubted(tmp_path, asked):
    loaded = read_dataset(asked.wide(write(tmp_path / "t.csv", table(3, y=[2, "2.0", 2]))))
    assert loaded.warnings == (RaisedWarning("W201", {"column": "y", "value": 2.0}),)


def test_equal_scores_of_two_models_are_doubted(tmp_path, asked):
    text = table(3, a=["0", "1", "2"], b=["-0.0", "1e0", "2"])
    loaded = read_dataset(asked.wide(write(tmp_path / "t.csv", text)))
    numbers = {"other": "first", "column": "b", "other_column": "a"}
    assert loaded.warnings == (RaisedWarning("W202", numbers, model="second"),)


def test_a_weight_of_zero_is_allowed(tmp_path, asked):
    text = table(3, w=[0, 1, 0.5])
    loaded = read_dataset(asked.wide(write(tmp_path / "t.csv", text), weight=ColumnRequest("w")))
    assert loaded.sample.sampling.weight.tolist() == [0, 1, 0.5]


def test_a_profile_counts_ties_exactly():
    found = profile_column(np.array([0.0, 0.0, 0.0, 2.0, 2.0, 5.0]), "score", "s", "m")
    assert (found.n, found.distinct, found.zeros, found.mode) == (6, 3, 3, 0.0)
    assert found.tied_pairs == round((3 + 1) / 15, 10)
    assert (found.mode_share, found.mean, found.median) == (0.5, 1.5, 1.0)
    assert (found.minimum, found.maximum, found.q25, found.q75) == (0.0, 5.0, 0.0, 2.0)
    assert found.sd == pytest.approx(
        (6 * 1.5**2 / 5 + (4 + 4 + 25 - 4 * 1.5 * 6 / 2 * 1.5) / 5) ** 0.5, rel=1
    )


def test_a_profile_of_values_that_overflow_has_no_spread():
    found = profile_column(np.array([1e308, -1e308, 1e308]), "y", "y")
    assert found.sd is None
    assert found.maximum == 1e308


def test_clusters_are_resampled_together_rather_than_queries(tmp_path, asked):
    text = "id,y,a,b,c,q\n1,1,1,1,x,k\n2,2,2,2,x,l\n3,3,3,3,z,l\n"
    request = asked.wide(
        write(tmp_path / "t.csv", text), cluster=ColumnRequest("c"), query=ColumnRequest("q")
    )
    together = read_dataset(request).sample.sampling.units
    assert (together.kind, together.column, together.codes.labels) == ("cluster", "c", ("x", "z"))
    alone = read_dataset(replace(request, cluster=None)).sample.sampling.units
    assert (alone.kind, alone.column, alone.codes.labels) == ("query", "q", ("k", "l"))

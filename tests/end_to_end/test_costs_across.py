"""One model over several datasets in one figure, wherever there are several to judge on."""

import copy

import pytest

from reportgen.report import archive
from reportgen.report.document import iter_unfolded
from reportgen.report.sections.costs import costs as costs_section
from tests.end_to_end.test_costs_by_row import FIT, made

PAST = {**{k: v for k, v in FIT.items() if k != "role"}}


def figures(folder, change):
    def asked(config):
        config["costs"] = {"under": 4, "over": 1}
        change(config["datasets"])

    assert made(folder, asked) == 0
    found = archive.load_results(folder / "out" / "results.json")
    blocks = list(iter_unfolded(costs_section.build_costs_section(found).blocks))
    return found, {b.id: b for b in blocks if getattr(b, "id", "").endswith("-across")}


@pytest.mark.parametrize(("kind", "asked"), [("rroc", {}), ("cost", {"shift": "none"})])
def test_each_model_has_a_line_for_each_dataset(tmp_path, kind, asked):
    found, known = figures(tmp_path, lambda sets: sets.update(past=copy.deepcopy(PAST)))
    figure = known[f"{kind}-across"]
    assert [panel.title for panel in figure.panels] == ["usual", "new"]
    for panel in figure.panels:
        assert [line.label for line in panel.series] == ["shop", "past"]
        assert len({line.role for line in panel.series}) == 2
        for line in panel.series:
            (curve,) = [
                c
                for c in found.curves
                if (c.curve, c.model, c.dataset) == (kind, panel.title, line.label)
                and c.baseline is None
                and asked.items() <= dict(c.params).items()
            ]
            assert (line.x, line.y) == (curve.x, curve.y)
    assert "shop 180 and past 60" in figure.caption


@pytest.mark.full
def test_one_dataset_to_judge_on_is_none_of_several(tmp_path):
    assert not figures(tmp_path, lambda sets: sets.update(past=FIT))[1]


def test_targets_of_different_units_share_no_axis(tmp_path):
    other = {**PAST, "unit": "boxes"}
    assert not figures(tmp_path, lambda sets: sets.update(past=other))[1]

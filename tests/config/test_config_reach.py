"""Gates that no value of their metric can pass are refused, with the range that it has."""

from pathlib import Path

import pytest

from reportgen.config.loading import read_config
from reportgen.errors import ConfigError
from reportgen.planning.loading import build_vocabulary

CONFIG = """
version: 1
report: {{title: Reach}}
task: regression
datasets: {{test: {{path: a.csv, target: y}}}}
models: {{old: {{column: a, role: baseline}}, new: {{column: b}}}}
primary: {primary}
metrics: [kendall, bias, mae, r2, {{name: over, raw: true}}, {{name: deviance, power: 1}}]
gates:
  - {{name: g, model: new, {gate}}}
"""
NEVER = {
    "rule: below, metric: bias, value: -1": "'bias' is never below 0 in size, and the bound is "
    "'-1'; write a larger one",
    "rule: below, metric: bias, value: 0": "'bias' is never below 0 in size, and the bound is '0'; "
    "write a larger one",
    "rule: above, metric: kendall, value: 2": "'kendall' is never above 1, and the bound is '2'; "
    "write a smaller one",
    "rule: above, metric: r2, value: 1": "'r2' is never above 1, and the bound is '1'; write a "
    "smaller one",
    "rule: below, metric: mae, value: 0": "'mae' is never below 0, and the bound is '0'; write a "
    "larger one",
    "rule: below, metric: kendall, value: -1": "'kendall' is never below -1, and the bound is "
    "'-1'; write a larger one",
    "rule: better, metric: kendall, margin: 2": "'kendall' differs by 2 at most, and the margin is "
    "'2'; write a smaller one",
    "rule: better, metric: mae, margin: 100%": "'mae' falls by 100% at most, and the margin is "
    "'100%'; write a smaller one",
    "rule: below, metric: deviance, value: 0": "'deviance' is never below 0, and the bound is '0'; "
    "write a larger one",
}
CAN = (
    "rule: above, metric: kendall, value: 0.99",
    "rule: below, metric: kendall, value: -0.9",
    "rule: below, metric: bias, value: 0.1",
    "rule: below, metric: r2, value: -5",
    "rule: above, metric: mae, value: 1e9",
    "rule: better, metric: kendall, margin: 1.9",
    "rule: better, metric: kendall, margin: 300%",
    "rule: better, metric: mae, margin: 1e9",
    "rule: better, metric: mae, margin: 99%",
    "rule: non_inferior, metric: kendall, margin: 5",
)


def read(folder: Path, gate: str, primary: str = "{metric: kendall}"):
    (folder / "reach.yaml").write_text(CONFIG.format(gate=gate, primary=primary))
    return read_config(folder / "reach.yaml", build_vocabulary(), environ={})


@pytest.mark.parametrize("gate", NEVER)
def test_a_gate_that_can_never_pass_is_refused(gate, tmp_path):
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, gate)
    place, _, said = str(refused.value).partition(": ")
    assert place.rpartition("/")[2].startswith("reach.yaml:10:")
    assert said == f"gates[0] can never pass: {NEVER[gate]}"


@pytest.mark.parametrize("gate", CAN)
def test_a_gate_that_can_pass_is_read(gate, tmp_path):
    assert read(tmp_path, gate).config.gates[0].name == "g"


@pytest.mark.parametrize(
    ("primary", "said"),
    [
        ("{metric: mae, margin: 200%}", "'mae' falls by 100% at most, and the margin is '200%'"),
        ("{metric: bias, margin: 100%}", "'bias' falls by 100% at most, and the margin is '100%'"),
        ("{metric: kendall, margin: 2}", "'kendall' differs by 2 at most, and the margin is '2'"),
    ],
)
def test_a_primary_margin_that_no_model_can_reach_is_refused(primary, said, tmp_path):
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, CAN[0], primary)
    assert str(refused.value).endswith(
        f"primary: no model can be clearly better: {said}; write a smaller one"
    )


@pytest.mark.parametrize("margin", ["{metric: kendall, margin: 300%}", "{metric: mae, margin: 9}"])
def test_a_primary_margin_within_reach_is_read(margin, tmp_path):
    assert read(tmp_path, CAN[0], margin).config.primary.margin is not None

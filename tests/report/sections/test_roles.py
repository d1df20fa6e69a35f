"""The colour of each model: its own for a few, of many that of three."""

from dataclasses import replace

from reportgen.report.conclusion import conclude
from reportgen.report.sections.index import Index
from tests.report.sections import results_factory as made


def roles(results):
    index = Index(results)
    return {model.name: index.role(model.name) for model in results.models}


def test_few_models_have_a_colour_each():
    found = roles(made.crowd(models=4))
    assert sorted(found.values()) == ["baseline", "candidate1", "candidate2", "candidate3"]


def test_of_many_models_baseline_leader_and_the_one_asked_about_have_colours():
    results = made.crowd(models=10)
    index = Index(results)
    found = roles(results)
    coloured = {name for name, role in found.items() if role != "other"}
    assert coloured == {index.baseline.name, index.best(index.leading.key), index.about}
    assert index.others == f"{10 - len(coloured)} other models"


def test_the_model_asked_about_keeps_the_first_colour():
    results = made.crowd(models=10)
    last = results.models[-1].name
    asked = replace(results, conclusion=replace(conclude(results), about=last))
    assert roles(asked)[last] == "candidate1"

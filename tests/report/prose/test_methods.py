"""Why methods suit what they are used for."""

from reportgen.report.prose.methods import explain_method

NB = "\u00a0"


def test_diebold_and_mariano_compare_whatever_loss_the_metric_has():
    assert explain_method("diebold-mariano") == (
        "compares the mean losses of the two models and allows for correlation between "
        "neighbouring times"
    )

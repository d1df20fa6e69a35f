"""Samples for tests, made from a target and scores."""

from reportgen.data.sample import AmountTarget, ModelColumns, Sample, SamplingColumns


def make_sample(y, scores, ids=(), dataset="test", **sampling):
    """A sample of amounts: `scores` by model, and columns of the sampling by name."""
    models = {model: ModelColumns(score) for model, score in scores.items()}
    return Sample(dataset, ids, AmountTarget(y), models, SamplingColumns(**sampling))

"""How an interval or a test was made, and why that way: one plain sentence a method.

Methods are found by the words in their name, so that `delong, clustered` is still DeLong's.
"""

from __future__ import annotations

from collections.abc import Iterable

# The first entry whose words all occur in the name is taken, so the special come first.
_REASONS: tuple[tuple[str, str], ...] = (
    ("wilson", "a share near 0 or 1 keeps its coverage, where a bootstrap falls short"),
    (
        "clopper-pearson",
        "fewer than ten of its rows count, or fewer than ten do not: these limits are exact",
    ),
    ("newcombe", "adds the squared distances to Wilson's limits of the shares it is made of"),
    ("tango", "only rows on which the two models differ carry evidence, and few of them may do"),
    (
        "mcnemar",
        "only the rows on which the two models differ carry evidence; mid-p, not corrected for "
        "continuity",
    ),
    ("hollander", "the classical variance of pairs, for data without ties or weights"),
    ("noether", "the variance as first published; for data without ties or weights"),
    ("delong", "the exact variance of a share of pairs; on the logit scale it stays inside 0 to 1"),
    (
        "corrected",
        "folds share the rows they learn from; their variance is raised by that share "
        "(Nadeau and Bengio 2003)",
    ),
    ("diebold", "compares the mean loss of the two models, allowing for dependence in time"),
    (
        "sign flip",
        "needs only that the differences are symmetric, and is exact where there are few",
    ),
    ("sign", "counts how often each is ahead, whatever by how much; not a test of a mean"),
    ("bonett", "Fisher's z with a standard error that holds for small samples"),
    ("fisher", "a correlation is nearly Normal on Fisher's z, and stays inside −1 to 1"),
    ("logit", "on the logit scale the interval of a share of pairs stays inside 0 to 1"),
    ("few-units", "fewer than ten units: Student's t and the standard error, if these say less"),
    (
        "exact-share",
        "few differ: exact limits of the shares ahead and behind, times the largest difference",
    ),
    ("exact-bound", "what as many independent rows or pairs that all agree allow"),
    ("bca", "corrects the bootstrap for bias and skew where no formula is known"),
    (
        "multiplier",
        "each row's share of the error under random signs; resamples of an edge spread too far",
    ),
    (
        "student",
        "each replicate is divided by its own standard error, which holds with skewed losses",
    ),
    ("log-bootstrap", "standard error on the log scale, where a positive measure is symmetric"),
    ("log-influence", "a formula on the log scale, where a positive measure is symmetric"),
    ("log", "studentized on the log scale, where a positive measure is nearly symmetric"),
    (
        "sup-t of all",
        "the band holds for the curves of all pairs at once, the inner one for each point",
    ),
    (
        "sup-t by grid",
        "the band holds for the whole curve at once; how far resamples lie from the curve is found "
        "from rows in the cells of a grid, with standard errors within 2% of those row by row",
    ),
    ("sup-t", "the band holds for the whole curve at once, the inner one for each point"),
    ("gaussian", "bootstrap standard error with a Normal p-value, as in the published study"),
    ("max-t", "allows for all comparisons together, and for how strongly they agree"),
    ("influence", "each row's pull on the measure gives its variance; ties and weights included"),
    ("analytic", "a formula for the variance of this measure, ties and weights included"),
    ("null-bootstrap-t", "the bootstrap centred where there is none, in standard errors"),
    ("null", "the bootstrap of the difference, centred where there is none"),
    ("symmetric", "how far replicates lie from the estimate to either side, as its test counts"),
    ("size", "allows for either sign of both models, where sizes are compared near zero"),
    ("percentile", "the middle of the replicates as they are"),
    ("basic", "the middle of the replicates, mirrored at the estimate"),
    ("wilcoxon", "tests that differences are symmetric, which is not a test of a mean"),
    ("jackknife", "the spread of the values without each row"),
    ("bootstrap", "standard error over paired resamples; held up best for paired differences"),
    (
        "paired t",
        "the mean of paired differences is nearly Normal; t allows for their estimated spread",
    ),
    ("z", "the estimate divided by its standard error is nearly Normal"),
    ("t", "the mean over independent units is nearly Normal; t allows for the estimated spread"),
)


_FORMULAS = frozenset(
    """
    bonett-wright clopper-pearson corrected-t exact-bound exact-share few-units fisher-z
    hollander-wolfe influence log-influence logit-influence newcombe noether t tango wilson
    """.split()  # noqa: SIM905 – a list of words reads best as words
)
"""Intervals that no resample has a part in."""


def is_formula(method: str) -> bool:
    """Whether an interval is found by a formula alone, without resamples.

    >>> is_formula("t"), is_formula("influence, clustered"), is_formula("fisher-z-studentized")
    (True, True, False)
    """
    return method.partition(",")[0].strip().lower() in _FORMULAS


def sources(values: Iterable[str], differences: Iterable[str], resamples: str) -> str:
    """From what intervals are found, of values and of differences, by their methods.

    >>> sources(["studentized"], ["bca"], "199 resamples, seed 1")
    'from 199 resamples, seed 1'
    >>> sources(["studentized"], ["t"], "199 resamples, seed 1")
    'of values from 199 resamples, seed 1, of differences by formulas: see Method'
    >>> sources(["t", "bca"], ["t", "symmetric"], "199 resamples, seed 1")
    'by formulas or from 199 resamples, seed 1: Method says which of each metric'
    >>> sources(["wilson"], [], "199 resamples, seed 1")
    'by formulas: see Method'
    """
    both = _source(values, resamples), _source(differences, resamples)
    found = [each for each in dict.fromkeys(both) if each]
    if len(found) > 1:
        return f"of values {both[0]}, of differences {both[1]}: see Method"
    [one] = found or [_drawn(resamples)]
    if one == _drawn(resamples):
        return one
    more = "see Method" if one == _BY_FORMULAS else "Method says which of each metric"
    return f"{one}: {more}"


_BY_FORMULAS = "by formulas"


def _drawn(resamples: str) -> str:
    return f"from {resamples}"


def _source(methods: Iterable[str], resamples: str) -> str:
    kinds = {is_formula(method) for method in methods if method}
    parts = [_BY_FORMULAS] * (True in kinds) + [_drawn(resamples)] * (False in kinds)
    return " or ".join(parts)


def why(method: str) -> str:
    """Why this method suits what it is used for; empty where nothing is known of it.

    >>> why("Wilson")
    'a share near 0 or 1 keeps its coverage, where a bootstrap falls short'
    >>> why("paired t")
    'the mean of paired differences is nearly Normal; t allows for their estimated spread'
    >>> why("")
    ''
    """
    low = method.lower()
    words = set(low.replace("-", " ").replace("(", " ").split())
    for key, reason in _REASONS:
        if key in words if len(key) < 3 else key in low:
            return reason
    return ""


def titled(method: str) -> str:
    """A method's name with its reason.

    >>> titled("percentile")
    'percentile: the middle of the replicates as they are'
    """
    reason = why(method)
    return f"{method}: {reason}" if reason else (method or "not recorded")

"""What page one is about: a candidate of this config, and metrics that are listed in it."""

from __future__ import annotations

from reportgen.config.checks.references import Names, need_metric, text_of
from reportgen.config.faults import Faults, quoted
from reportgen.config.vocabulary import Vocabulary
from reportgen.config.yaml.tree import Items, MappingNode, Scalar, dotted, find, key_mark

ABOUT, HEADLINE = ("report", "about"), ("report", "headline")
ROLES = {
    "baseline": "the baseline, which the others are compared with",
    "benchmark": "a benchmark, which is not chosen",
}


def check_page_one(tree: MappingNode, words: Vocabulary, faults: Faults) -> None:
    """`report.about` is a candidate, and each metric of `report.headline` is listed once."""
    names = Names(tree, words, faults)
    roles = {m: text_of(node, "role") for m, node in names.models.items()}
    candidates = [m for m, role in roles.items() if role not in ROLES]
    if {*roles.values()} == {*ROLES}:
        said = "every model but the baseline is a benchmark; at least one is a candidate"
        faults.add(key_mark(tree, ("models",)), said)
    about = find(names.tree, ABOUT)
    model = names.need(ABOUT, "model", names.models, candidates or None)
    if model is not None and candidates and model not in candidates:
        assert about is not None
        names.faults.add(
            about.mark,
            f"{dotted(ABOUT)}: {model!r} is {ROLES[str(roles.get(model))]}; "
            f"name a candidate, such as {candidates[0]!r}",
            ABOUT,
        )
    headline, seen = find(names.tree, HEADLINE), set[object]()
    for index, node in enumerate(headline.items if isinstance(headline, Items) else ()):
        need_metric(names, (*HEADLINE, index))
        if isinstance(node, Scalar) and node.value in seen:
            said = f"{dotted(HEADLINE)} lists {quoted(node)} twice; remove one"
            names.faults.add(node.mark, said, HEADLINE)
        seen.add(node.value if isinstance(node, Scalar) else index)

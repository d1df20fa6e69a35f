"""Measures of ranking in the short forms of other programs, written out.

nDCG@10, P(rel=2)@5, RBP(p=0.9)     ir_measures: a name, parameters, a cut-off
ndcg_cut_10, P_5, recip_rank        trec_eval: a name with its cut-off

    metrics: [nDCG@10]      metrics: [{name: ndcg, params: {k: 10}, as: nDCG@10}]
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from reportgen.config.faults import Faults
from reportgen.config.yaml.tree import MappingNode, Node, Scalar, find, scalar

Value = float | int | str
Spelled = tuple[str, Mapping[str, Value]]
# By the name of another program: ours, and what that program fixes.
IR_MEASURES: Mapping[str, Spelled] = {
    "nDCG": ("ndcg", {}),
    "NDCG": ("ndcg", {}),
    "DCG": ("dcg", {}),
    "F": ("f_at", {}),
    "P": ("precision_at", {}),
    "Precision": ("precision_at", {}),
    "R": ("recall_at", {}),
    "Recall": ("recall_at", {}),
    "AP": ("ap", {}),
    "MAP": ("ap", {}),
    "RR": ("rr", {}),
    "MRR": ("rr", {}),
    "Rprec": ("r_precision", {}),
    "RPrec": ("r_precision", {}),
    "Success": ("success_at", {}),
    "Judged": ("judged_at", {}),
    "ERR": ("err", {"top": 4.0}),
    "RBP": ("rbp", {}),
    "Bpref": ("bpref", {}),
    "BPref": ("bpref", {}),
    "SetP": ("precision_at", {}),
    "SetR": ("recall_at", {}),
    "SetF": ("f_at", {}),
    "IPrec": ("iprec", {}),
}
TREC_EVAL: Mapping[str, Spelled] = {
    "map": ("ap", {}),
    "gm_map": ("gmap", {}),
    "recip_rank": ("rr", {}),
    "set_P": ("precision_at", {}),
    "set_recall": ("recall_at", {}),
    "set_F": ("f_at", {}),
    "ndcg_cut": ("ndcg", {}),
    "map_cut": ("ap", {}),
    "recall": ("recall_at", {}),
    "success": ("success_at", {}),
    "iprec_at_recall": ("iprec", {}),
    "11pt_avg": ("eleven_point", {}),
}
CUT = ("ndcg_cut", "map_cut", "recall", "success", "P")
NAMES: Mapping[str, str] = {"rel": "relevant", "p": "p", "k": "k", "beta": "beta", "T": "relevant"}
GAINS: Mapping[str, str] = {"log2": "linear", "exp-log2": "exp2"}
OF_RECALL = ("IPrec", "iprec_at_recall")  # whose cut is a recall
_FORM = re.compile(r"([A-Za-z]+)(?:\(([^()]*)\))?(?:@(\d+(?:\.\d+)?))?")
PATTERN = (
    rf"^(({'|'.join(IR_MEASURES)})(\([^()]*\))?(@[0-9]+(\.[0-9]+)?)?"
    rf"|({'|'.join(CUT)})_[0-9]+|iprec_at_recall_[01]\.[0-9]+"
    rf"|{'|'.join(name for name in TREC_EVAL if name not in (*CUT, *OF_RECALL))})$"
)
"""What such a form looks like, as a regular expression."""


def spelled(text: str) -> tuple[str, dict[str, Value]] | None:
    """Our name and parameters of a measure in another program's short form; None of any other.

    >>> spelled("nDCG@10"), spelled("P(rel=2)@5"), spelled("ndcg_cut_10"), spelled("mae")
    (('ndcg', {'k': 10}), ('precision_at', {'relevant': 2.0, 'k': 5}), ('ndcg', {'k': 10}), None)
    """
    return _of_trec_eval(text) or _of_ir_measures(text)


def _of_trec_eval(text: str) -> tuple[str, dict[str, Value]] | None:
    head, _, cut = text.rpartition("_")
    if cut.isdigit() and head in CUT:
        name = "precision_at" if head == "P" else TREC_EVAL[head][0]
        return name, {"k": int(cut)}
    if head == "iprec_at_recall" and re.fullmatch(r"[01]\.\d+", cut):
        return "iprec", {"recall": float(cut)}
    if text in TREC_EVAL and text not in (*CUT, *OF_RECALL):
        return TREC_EVAL[text][0], {}
    return None


def _of_ir_measures(text: str) -> tuple[str, dict[str, Value]] | None:
    found = _FORM.fullmatch(text)
    if found is None or found[1] not in IR_MEASURES:
        return None
    name, fixed = IR_MEASURES[found[1]]
    given = _parameters(found[2] or "")
    if given is None:
        return None
    params = {**fixed, **given}
    if found[3] is not None and found[1] in OF_RECALL:
        params["recall"] = float(found[3])
    elif found[3] is not None:
        if not found[3].isdigit():
            return None
        params["k"] = int(found[3])
    return name, params


def _parameters(text: str) -> dict[str, Value] | None:
    """What stands in brackets; None where a part of it is not known."""
    found: dict[str, Value] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        key, _, value = (each.strip() for each in part.partition("="))
        value = value.strip("'\"")
        if key == "dcg" and value in GAINS:
            found["gain"] = GAINS[value]
        elif key in NAMES and re.fullmatch(r"\d+(\.\d+)?", value):
            found[NAMES[key]] = int(value) if NAMES[key] == "k" else float(value)
        else:
            return None
    return found


def with_measures(node: Node, tree: MappingNode, faults: Faults) -> Node:
    """A use of a metric whose name is a short form, written out under that label."""
    task = find(tree, ("task",))
    named = node.get("name") if isinstance(node, MappingNode) else None
    if not (isinstance(task, Scalar) and task.value == "ranking"):
        return node
    if not isinstance(node, MappingNode) or not isinstance(named, Scalar):
        return node
    found = spelled(str(named.value))
    if found is None:
        return node
    params = node.get("params")
    if isinstance(params, MappingNode) and params.entries:
        key = next(iter(params.entries))
        faults.add(
            params.entries[key].mark,
            f"{named.value!r} says its parameters itself; write {{name: {found[0]}, {key}: …}} "
            f"or leave out {key!r}",
        )
        return node
    name, values = found
    if find(tree, ("ranking", "top_grade")) is not None:  # said for all measures at once
        values = {key: value for key, value in values.items() if key != "top"}
    made = MappingNode(named.mark).has(**{k: scalar(v, named.mark) for k, v in values.items()})
    label = node.get("as") or scalar(str(named.value), named.mark)
    return node.has(name=scalar(name, named.mark), params=made, **{"as": label})

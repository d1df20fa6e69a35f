"""Small judgements and runs with everything that a policy is for, and the config that judges them.

There are tied scores, grades below 0, documents that nobody judged, judged ones that no model
found, queries without a relevant document, and a query that one run lacks.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import yaml

LISTS: dict[str, object] = {
    "version": 1,
    "report": {"title": "Lists"},
    "task": "ranking",
    "datasets": {"web": {"qrels": "web.qrels"}},
    "models": {"one": {"run": "one.run", "role": "baseline"}, "two": {"run": "two.run"}},
    "metrics": [{"name": "ndcg", "k": 3}],
    "bootstrap": {"replicates": 19},
    "curves": [],
    "outputs": ["json"],
}


def judgements(queries: int = 40, seed: int = 1) -> list[tuple[str, str, int]]:
    draw = random.Random(seed)
    return [
        (f"q{k}", f"d{j}", 0 if k % 9 == 0 and grade > 0 else grade)
        for k in range(queries)
        for j in range(6)
        for grade in [draw.choice((-1, 0, 0, 1, 2))]
    ]


def answers(queries: int = 40, seed: int = 2, lacking: int = -1) -> list[tuple[str, str, int]]:
    draw = random.Random(seed)
    return [
        (f"q{k}", f"d{j}", draw.randint(0, 4))
        for k in range(queries)
        if k != lacking
        for j in draw.sample(range(9), 5)
    ]


def put_lists(folder: Path) -> None:
    """Write the files: TREC's and tables of the same."""
    for name, seed in (("web", 1), ("late", 5)):
        lines = (f"{q} 0 {d} {g}\n" for q, d, g in judgements(seed=seed))
        (folder / f"{name}.qrels").write_text("".join(lines))
    once = (folder / "web.qrels").read_text()
    (folder / "again.qrels").write_text(once + once.splitlines()[0] + "\n")
    for name, seed, lacking in (("one", 2, -1), ("two", 3, 7), ("three", 4, -1)):
        found = answers(seed=seed, lacking=lacking)
        text = "".join(f"{q} Q0 {d} 1 {s} {name}\n" for q, d, s in found)
        (folder / f"{name}.run").write_text(text)
    rows = [f"{q},{d},{g},q{(k * 7) % 40},e{k % 6}\n" for k, (q, d, g) in enumerate(judgements())]
    (folder / "web.csv").write_text("query,document,grade,topic,doc\n" + "".join(rows))
    found = [f"{q},{d},{s},{q},e{k % 9},{k}\n" for k, (q, d, s) in enumerate(answers(seed=3))]
    (folder / "two.csv").write_text("query,document,score,topic,doc,other\n" + "".join(found))
    for name, user in (("topics", 3), ("others", 5)):
        facts = [f"q{k},q{39 - k},{1 + k % 3},u{k % user},{k % 2}\n" for k in range(40)]
        (folder / f"{name}.csv").write_text("topic,back,traffic,user,kind\n" + "".join(facts))
    table = [
        f"q{k},d{j},{(k * j) % 3},{(k + 3 * j) % 5},{(2 * k + j) % 4},{k % 2}\n"
        for k in range(40)
        for j in range(6)
    ]
    (folder / "table.csv").write_text("query,doc,label,s_one,s_two,kind\n" + "".join(table))


def put_letor(folder: Path) -> None:
    """The same judgements line by line, with and without queries, and scores in their order."""
    judged = [each for each in judgements() if each[2] >= 0]
    for name, seed in (("web", 1), ("late", 7)):
        draw = random.Random(seed)
        lines = [f"{g} qid:{q} 1:{draw.random():.2f} # docid = {d}\n" for q, d, g in judged]
        (folder / f"{name}.letor").write_text("".join(lines[::-1] if seed == 7 else lines))
        scores = "".join(f"{draw.randint(0, 4)}\n" for _ in judged)
        (folder / f"{name}.pred").write_text(scores)
    (folder / "bare.letor").write_text("".join(f"{g} 1:1 3:0.5\n" for _, _, g in judged))
    for name, cut in (("sizes", 0), ("others", 1)):
        found = [*Counter(q for q, _, _ in judged).values()]
        found[0], found[1] = found[0] + cut, found[1] - cut
        (folder / f"{name}.query").write_text("".join(f"{n}\n" for n in found))


def put_config(folder: Path, **changes: object) -> Path:
    """Write the files and the config with some keys changed; one changed to None is left out."""
    put_lists(folder)
    put_letor(folder)
    config = {key: value for key, value in {**LISTS, **changes}.items() if value is not None}
    path = folder / "lists.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path

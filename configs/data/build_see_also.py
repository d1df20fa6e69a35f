"""Make the data of see-also.yaml from the docstrings of NumPy and SciPy: a search with judgements.

A query is the summary of a function, a document the docstring of another one. Documents that the
function names under See Also have grade 2, those that name it there grade 1; nobody judged the
rest. Four ways to search answer each query, 50 documents deep. Run it in an environment with both
packages; the files here were made with the versions in see_also.md.

    python configs/data/build_see_also.py
"""

from __future__ import annotations

import gzip
import importlib
import inspect
import math
import re
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

PACKAGES = (
    "numpy", "numpy.linalg", "numpy.fft", "numpy.random", "scipy.stats", "scipy.linalg",
    "scipy.optimize", "scipy.signal", "scipy.special", "scipy.interpolate", "scipy.integrate",
    "scipy.sparse", "scipy.ndimage", "scipy.spatial", "scipy.fft", "scipy.cluster.hierarchy",
)
QUERIES, DEPTH = 300, 50
COLUMNS = ("names", "words")  # of the long table
HERE = Path(__file__).parent
WORD = re.compile(r"[a-z]+")
NAMED = re.compile(r"[A-Za-z_][\w.]*")


def docstrings() -> dict[str, str]:
    """The docstring of every public function, by its full name."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in sorted(dir(module)):
            thing, text = getattr(module, name), inspect.getdoc(getattr(module, name)) or ""
            is_own = not name.startswith("_") and callable(thing) and len(text) > 80
            if is_own and text not in found.values():
                found[f"{package}.{name}"] = text
    return found


def summary(text: str) -> str:
    """The first sentence that is no signature."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    told = next((p for p in parts if "(" not in p.split("\n")[0].split(" ")[0]), parts[0])
    return " ".join(told.split())


def see_also(text: str) -> set[str]:
    """The names in the section See Also, without their modules."""
    found = re.search(r"See Also\n-+\n(.*?)(\n\n\w[^\n]*\n-+\n|\Z)", text, re.S)
    lines = found[1].split("\n") if found else []
    heads = [line.partition(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return {name.rpartition(".")[2] for head in heads for name in NAMED.findall(head)}


def judgements(texts: dict[str, str]) -> dict[str, dict[str, int]]:
    """Grades of documents by query: named by it, or naming it, in the same package."""
    named = {name: see_also(text) for name, text in texts.items()}
    grades: dict[str, dict[str, int]] = {}
    for one in texts:
        family = one.split(".")[0]
        for other in texts:
            if one == other or other.split(".")[0] != family:
                continue
            if other.rpartition(".")[2] in named[one]:
                grades.setdefault(one, {})[other] = 2
            elif one.rpartition(".")[2] in named[other]:
                grades.setdefault(one, {})[other] = 1
    return grades


Terms = dict[str, Counter[str]]


def bm25(documents: Terms, k1: float = 1.2, b: float = 0.75) -> Callable[[Counter[str], str], float]:
    """The scores of BM25, over some text of each document."""
    size = {name: sum(terms.values()) for name, terms in documents.items()}
    mean, n = sum(size.values()) / len(size), len(documents)
    within = Counter(term for terms in documents.values() for term in terms)
    rare = {t: math.log(1 + (n - c + 0.5) / (c + 0.5)) for t, c in within.items()}

    def score(query: Counter[str], name: str) -> float:
        terms, norm = documents[name], k1 * (1 - b + b * size[name] / mean)
        return sum(rare[t] * terms[t] * (k1 + 1) / (terms[t] + norm) for t in query if t in terms)

    return score


def trigrams(name: str) -> Counter[str]:
    """The runs of three letters in the last part of a name."""
    last = f"  {name.rpartition('.')[2].lower()} "
    return Counter(last[k : k + 3] for k in range(len(last) - 2))


def main() -> None:
    """Write judgements, topics and runs."""
    texts = docstrings()
    grades = judgements(texts)
    keyed = sorted(grades, key=lambda name: blake2b(name.encode(), digest_size=8).digest())
    queries = sorted(keyed[:QUERIES])
    short = {name: Counter(WORD.findall(summary(text).lower())) for name, text in texts.items()}
    whole = {name: Counter(WORD.findall(text.partition("See Also")[0].lower()))
             for name, text in texts.items()}
    names = {name: trigrams(name) for name in texts}
    of_short, of_whole = bm25(short), bm25(whole)
    runs: dict[str, Callable[[str, str], float]] = {
        "summaries": lambda q, d: of_short(short[q], d),
        "texts": lambda q, d: of_whole(short[q], d),
        "names": lambda q, d: len(names[q] & names[d]) / len(names[q] | names[d]),
        "words": lambda q, d: len(set(short[q]) & set(short[d])),
    }
    lines = [f"{q} 0 {d} {g}\n" for q in queries for d, g in sorted(grades[q].items())]
    write(HERE / "see_also.qrels", "".join(lines))
    topics = [f"{q},{q.split('.')[0]}\n" for q in queries]
    write(HERE / "see_also_topics.csv", "query,package\n" + "".join(topics))
    for tag, score in runs.items():
        write(HERE / f"see_also_{tag}.run.gz", "".join(answers(queries, texts, tag, score)))
    write(HERE / "see_also_table.csv.gz", "".join(table(queries, grades, HERE)))


def table(queries: list[str], grades: dict[str, dict[str, int]], here: Path) -> list[str]:
    """The first third of the queries as one long table, from two of the runs and the judgements."""
    found: dict[str, dict[tuple[str, str], str]] = {}
    for tag in COLUMNS:
        lines = gzip.decompress((here / f"see_also_{tag}.run.gz").read_bytes()).decode()
        rows = (line.split() for line in lines.splitlines())
        found[tag] = {(query, document): score for query, _, document, _, score, _ in rows}
    out = [f"query,document,package,named,{','.join(COLUMNS)}\n"]
    for query in queries[::3]:
        listed = {d for each in found.values() for q, d in each if q == query}
        for document in sorted(listed | grades[query].keys()):
            label = {2: "by it", 1: "in it"}.get(grades[query].get(document, 0), "")
            scores = (found[tag].get((query, document), "") for tag in COLUMNS)
            out.append(f"{query},{document},{query.split('.')[0]},{label},{','.join(scores)}\n")
    return out


def answers(
    queries: list[str], texts: dict[str, str], tag: str, score: Callable[[str, str], float]
) -> list[str]:
    """The lines of a run."""
    lines = []
    for query in queries:
        found = [(round(score(query, name), 4), name) for name in texts if name != query]
        best = sorted((x for x in found if x[0] > 0), key=lambda x: (-x[0], x[1]))[:DEPTH]
        lines += [f"{query} Q0 {d} {r} {s:g} {tag}\n" for r, (s, d) in enumerate(best, 1)]
    return lines


def write(path: Path, text: str) -> None:
    """Write a file, packed if its name says so, with the same bytes each time."""
    data = text.encode()
    path.write_bytes(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data)


if __name__ == "__main__":
    main()

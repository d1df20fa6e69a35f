"""Writes folds.csv.gz: 569 tumours, three models, three rounds of cross-validation in five folds.

The rows are those of scikit-learn (`load_breast_cancer`, Breast Cancer Wisconsin (Diagnostic), UCI
repository, CC BY 4.0) with the ten mean measurements of cell nuclei as inputs. In each round the rows
are dealt into five folds anew, and each row is scored by models fitted on the other four folds.

    python configs/data/build_folds.py
"""

import gzip
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FILE = Path(__file__).with_name("folds.csv.gz")
ROUNDS, FOLDS, INPUTS = 3, 5, 10
MODELS = {
    "logreg": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "rf": RandomForestClassifier(n_estimators=200, random_state=1),
    "gbm": GradientBoostingClassifier(random_state=1),
}


def scored(inputs: np.ndarray, malignant: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The fold of each row (n,), and each model's probability (n, models)."""
    fold, found = np.zeros(len(malignant), int), np.zeros((len(malignant), len(MODELS)))
    parts = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(inputs, malignant)
    for number, (train, test) in enumerate(parts, start=1):
        fold[test] = number
        for place, model in enumerate(MODELS.values()):
            model.fit(inputs[train], malignant[train])
            found[test, place] = model.predict_proba(inputs[test])[:, 1]
    return fold, found


def main() -> None:
    """One line a row and round: its number, what it was, round, fold, a probability a model."""
    inputs, benign = load_breast_cancer(return_X_y=True)
    malignant = 1 - benign
    lines = [",".join(["tumour", "malignant", "round", "fold", *(f"p_{name}" for name in MODELS)])]
    for number in range(1, ROUNDS + 1):
        fold, found = scored(inputs[:, :INPUTS], malignant, number)
        for row, each in enumerate(found):
            said = (f"{p:.5f}".rstrip("0").rstrip(".") for p in np.clip(each, 1e-5, 1 - 1e-5))
            lines.append(",".join([str(row), str(malignant[row]), str(number), str(fold[row]), *said]))
    with gzip.GzipFile(FILE, "wb", mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()

"""Writes digits.csv.gz: 1,797 images of handwritten digits, and three models' probabilities of each.

The images are those of scikit-learn (`load_digits`, from the UCI repository, BSD). Each row is
scored by models that were fitted on the other four of five folds: logistic regression, a random
forest, and Gaussian naive Bayes, which is nearly always sure and often wrong. Probabilities have
six decimals, so that some that are tiny are 0.

    python configs/data/build_digits.py
"""

import gzip
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FILE = Path(__file__).with_name("digits.csv.gz")
MODELS = {
    "logreg": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "rf": RandomForestClassifier(n_estimators=200, random_state=1),
    "nb": GaussianNB(),
}


def cross_fitted() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """The digit and the fold of each row, and each model's probabilities, (n, 10)."""
    images, digit = load_digits(return_X_y=True)
    fold = np.zeros(len(digit), int)
    found = {name: np.zeros((len(digit), 10)) for name in MODELS}
    parts = StratifiedKFold(5, shuffle=True, random_state=1).split(images, digit)
    for number, (train, test) in enumerate(parts):
        fold[test] = number
        for name, model in MODELS.items():
            found[name][test] = model.fit(images[train], digit[train]).predict_proba(images[test])
    return digit, fold, found


def main() -> None:
    """One line a row: its number, the digit, the fold, and ten probabilities a model."""
    digit, fold, found = cross_fitted()
    head = ["id", "digit", "fold", *(f"p_{name}_{k}" for name in found for k in range(10))]
    lines = [",".join(head)]
    for row in range(len(digit)):
        each = (f"{p:.6f}".rstrip("0").rstrip(".") for of in found.values() for p in of[row])
        lines.append(",".join([str(row), str(digit[row]), str(fold[row]), *each]))
    with gzip.GzipFile(FILE, "wb", mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()

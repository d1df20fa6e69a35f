"""Write the customers of cdnow.csv as Parquet in row groups of 4,000, as streamed.yaml reads them.

    python configs/data/build_streamed.py
"""

from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

FOLDER = Path(__file__).parent
COLUMNS = ["customer_id", "y_spend_hold", "score_clv_bgnbd_gg", "score_gbm_crossfit"]
table = pd.read_csv(FOLDER / "cdnow.csv", dtype={"customer_id": str})[COLUMNS]
table = table.astype(dict.fromkeys(COLUMNS[1:], "float32"))
parquet.write_table(
    pa.Table.from_pandas(table, preserve_index=False), FOLDER / "streamed.parquet",
    row_group_size=4_000, compression="zstd",
)

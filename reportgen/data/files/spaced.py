"""Files whose fields stand between spaces or tabs and have no names.

qrels    topic iteration document grade       TREC's judgements
run      topic Q0 document rank score tag     and runs
scores   score                                what a program predicts, a line for each document
sizes    documents                            how many documents each query has
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import pyarrow as pa

from reportgen.data.files.delimited import BYTE_ORDER_MARK
from reportgen.data.files.opening import File
from reportgen.data.table import FileRows
from reportgen.errors import DataError

QRELS = ("query", "iteration", "document", "grade")
RUN = ("query", "Q0", "document", "rank", "score", "tag")
SCORES = ("score",)
SIZES = ("documents",)
CALLED: Mapping[tuple[str, ...], str] = {
    QRELS: "a file of judgements",
    RUN: "a run",
    SCORES: "a file of scores",
    SIZES: "a file of sizes of queries",
}


class Spaced:
    """A file of fields between white space, as many on every line as there are `names`.

    Empty lines are skipped, and so are lines that begin with # before the first other one.
    """

    def __init__(self, file: File, names: tuple[str, ...]) -> None:
        self.shown, self.names = file.shown, names
        self._rows, self._lines = self._parsed(file.data.removeprefix(BYTE_ORDER_MARK))

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns, all of them as text."""
        named = {
            name: self._column(name, [row[at] for row in self._rows])
            for at, name in enumerate(self.names)
            if name in columns
        }
        return FileRows(self.shown, len(self._rows), named, "line", self._lines_of, False)

    def _parsed(self, data: bytes) -> tuple[list[list[bytes]], list[int]]:
        rows: list[list[bytes]] = []
        lines: list[int] = []
        for number, line in enumerate(data.split(b"\n"), 1):
            fields = line.split()
            if not fields or (not rows and line.startswith(b"#")):
                continue
            if len(fields) != len(self.names):
                found = f"{len(fields)} field" + "s" * (len(fields) != 1)
                raise DataError(
                    f"{self.shown}: line {number} has {found} where {CALLED[self.names]} has "
                    f"{len(self.names)}: {' '.join(self.names)}; put white space between fields, "
                    "none in them"
                )
            rows.append(fields)
            lines.append(number)
        return rows, lines

    def _column(self, name: str, fields: list[bytes]) -> pa.Array:
        try:
            return pa.array(fields, pa.large_binary()).cast(pa.large_string())
        except pa.ArrowInvalid:
            bad = next(at for at, field in enumerate(fields) if not _is_text(field))
            raise DataError(
                f"{self.shown}: line {self._lines[bad]}: its {name} is not UTF-8; save the file so"
            ) from None

    def _lines_of(self, rows: Sequence[int]) -> list[int]:
        return [self._lines[row] for row in rows]


def _is_text(field: bytes) -> bool:
    try:
        field.decode()
    except UnicodeDecodeError:
        return False
    return True

"""LETOR and SVMlight files: a grade, a query and features on each line, for learning to rank.

2 qid:10 1:0.031 2:0.67 # docid = GX004-93-7097963

Features are not read. A query may be left out of all lines: its documents are then counted in a
file of their own. A document has a name where its line ends in such a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import pyarrow as pa

from reportgen.data.arrow import TEXT
from reportgen.data.files.delimited import BYTE_ORDER_MARK
from reportgen.data.files.opening import File
from reportgen.data.table import FileRows
from reportgen.errors import DataError

LETOR = ("query", "document", "grade")
DOCUMENT = re.compile(rb"\bdocid\s*=\s*(\S+)")


class Letor:
    """A file of documents with their grades; one without any name or query has no such column."""

    def __init__(self, file: File) -> None:
        self.shown = file.shown
        self._lines: list[int] = []
        found: dict[str, list[bytes | None]] = {name: [] for name in LETOR}
        for number, line in enumerate(file.data.removeprefix(BYTE_ORDER_MARK).split(b"\n"), 1):
            said, _, comment = line.partition(b"#")
            fields = said.split(None, 2)
            if not fields:
                continue
            self._lines.append(number)
            query = fields[1][4:] if len(fields) > 1 and fields[1].startswith(b"qid:") else None
            named = DOCUMENT.search(comment)
            found["grade"].append(fields[0])
            found["query"].append(query)
            found["document"].append(named[1] if named else None)
        self._refuse_some_without(found["query"])
        if None in found["document"]:
            found["document"] = []
        self._columns = {name: own for name, own in found.items() if own and None not in own}
        self.names = tuple(self._columns)

    def read(self, columns: AbstractSet[str], numbers: AbstractSet[str]) -> FileRows:
        """Read some columns, all of them as text."""
        named = {name: self._column(name) for name in self.names if name in columns}
        return FileRows(self.shown, len(self._lines), named, "line", self._lines_of, False)

    def _refuse_some_without(self, queries: Sequence[bytes | None]) -> None:
        if b"" in queries:
            raise DataError(
                f"{self.shown}: line {self._lines[queries.index(b'')]} names no query behind "
                "`qid:`; write it without a space, as in qid:10"
            )
        lacking = [at for at, query in enumerate(queries) if query is None]
        if lacking and len(lacking) < len(queries):
            raise DataError(
                f"{self.shown}: line {self._lines[lacking[0]]} has no qid after its grade, other "
                "lines have; a line is `grade qid:QUERY feature:value …`"
            )

    def _column(self, name: str) -> pa.Array:
        try:
            return pa.array(self._columns[name], pa.large_binary()).cast(TEXT)
        except pa.ArrowInvalid:
            raise DataError(f"{self.shown}: a {name} is not UTF-8") from None

    def _lines_of(self, rows: Sequence[int]) -> list[int]:
        return [self._lines[row] for row in rows]

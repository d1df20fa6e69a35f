"""Every test has a cache, a clock and a working directory of its own; servers are shared."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import fs, parquet

from tests.end_to_end.postgres import find_programs, start_server
from tests.end_to_end.sources import (
    COLUMNS,
    DATASET,
    MODELS,
    TYPES,
    format_csv,
    make_rows,
    read_numbers,
    run,
)
from tests.end_to_end.wallet import EPOCH


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Compute the numbers of the plain CSV file."""
    folder = tmp_path_factory.mktemp("wide")
    (folder / "wide.csv").write_text(format_csv(COLUMNS, make_rows()), encoding="utf-8")
    code, error = run(folder, "--no-cache", datasets={"d": DATASET}, models=MODELS)
    assert code == 0, error
    return read_numbers(folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Start a server of PostgreSQL with the rows in no order."""
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL's initdb and pg_ctl are not installed")
    driver = pytest.importorskip("adbc_driver_postgresql.dbapi")
    with start_server(programs) as uri:
        with driver.connect(uri, autocommit=True) as opened, opened.cursor() as cursor:
            cursor.execute(f"create table scores ({TYPES})")
            for row in make_rows()[::-1]:
                cursor.execute(f"insert into scores values {(*row[:-1], row[-1])}")
            cursor.execute("create sequence written")
            cursor.execute("create table odd (id int, y numeric, at timestamptz, labels text[])")
            cursor.execute("insert into odd values (1, 0.1, '2024-01-01 10:00+02', '{a,b}')")
            cursor.execute("insert into odd values (2, 0.12345678901234567890, null, null)")
        yield uri


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    """Start a server of S3 with the rows as a Hive folder, and yield its address."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    server = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    system = fs.S3FileSystem(
        access_key="key",
        secret_key="hunter22",
        region="us-east-1",
        scheme="http",
        endpoint_override=f"{host}:{port}",
        allow_bucket_creation=True,
    )
    system.create_dir("bucket")
    for day in ("2024-01-01", "2024-01-02"):
        rows = [row[:-1] for row in make_rows() if row[-1] == day]
        with system.open_output_stream(f"bucket/scores/day={day}/part.csv") as file:
            file.write(format_csv(COLUMNS[:-1], rows).encode())
        columns = zip(COLUMNS, zip(*rows, strict=True), strict=False)
        with system.open_output_stream(f"bucket/parquet/day={day}/part.parquet") as file:
            parquet.write_table(pa.table({name: list(own) for name, own in columns}), file)
    with system.open_output_stream("bucket/one.csv") as file:
        file.write(format_csv(COLUMNS, make_rows()).encode())
    yield f"http://{host}:{port}"
    server.stop()

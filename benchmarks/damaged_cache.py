"""A thousand damaged cache entries: no number is ever another than without a cache.

    python benchmarks/damaged_cache.py [--entries 1000] [--seed 1]

Each round keeps the replicates of one study, damages every entry (a flipped bit, zeroed blocks, a
cut end, bytes too many or missing, another entry's content, more replicates than asked for, other
types and shapes, other files, pipes, folders, links, devices) and runs the study again. It ends
with exit code 1 if any number differs from those without a cache, or if any round waits.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import signal
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from plans import change_plan

sys.path.insert(0, str(Path(__file__).parents[1]))

from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.inference.resampling.cache import Cache
from reportgen.metrics.curves import CURVES
from tests.analysis.asked import NAMES, question

PATIENCE = 120  # seconds for a round
Harm = Callable[[Path, bytes, np.random.Generator], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("a round waits: the reader hangs"))
    asked = change_plan(question(n=80, names=NAMES, replicates=299), curves=(CURVES["ranking"],))
    plain, draw = draw_replicates(asked).replicates, np.random.default_rng(options.seed)
    done: Counter[str] = Counter()
    wrong = 0
    while done.total() < options.entries:
        with tempfile.TemporaryDirectory() as folder:
            cache = Cache(Path(folder))
            draw_replicates(asked, cache=cache)
            for file in sorted(cache.folder.iterdir()):
                done[harmed(file, draw)] += 1
            signal.alarm(PATIENCE)
            found = draw_replicates(asked, cache=cache).replicates
            signal.alarm(0)
            wrong += sum(not np.array_equal(found[k], plain[k], equal_nan=True) for k in plain)
    for kind, count in sorted(done.items()):
        print(f"{count:6,} {kind}")
    print(f"{done.total():,} damaged entries, {wrong} numbers other than without a cache")
    sys.exit(1 if wrong else 0)


def harmed(file: Path, draw: np.random.Generator) -> str:
    """Do one of the harms to an entry, and say which."""
    kind = str(draw.choice(sorted(HARMS)))
    HARMS[kind](file, file.read_bytes(), draw)
    return kind


def flipped(file: Path, data: bytes, draw: np.random.Generator) -> None:
    at = int(draw.integers(len(data)))
    file.write_bytes(data[:at] + bytes([data[at] ^ (1 << int(draw.integers(8)))]) + data[at + 1 :])


def zeroed(file: Path, data: bytes, draw: np.random.Generator) -> None:
    at = int(draw.integers(len(data)))
    file.write_bytes(data[:at] + bytes(len(data[at : at + 512])) + data[at + 512 :])


def cut(file: Path, data: bytes, draw: np.random.Generator) -> None:
    file.write_bytes(data[: int(draw.integers(len(data)))])


def longer(file: Path, data: bytes, draw: np.random.Generator) -> None:
    file.write_bytes(data + data[-int(draw.integers(1, 4096)) :])


def shifted(file: Path, data: bytes, draw: np.random.Generator) -> None:
    at = int(draw.integers(len(data)))
    file.write_bytes(data[:at] + data[at + 1 :] + b"\0")


def swapped(file: Path, data: bytes, draw: np.random.Generator) -> None:
    others = [other for other in file.parent.iterdir() if other != file and other.is_file()]
    other = others[int(draw.integers(len(others)))] if others else file
    file.write_bytes(other.read_bytes() if not other.is_symlink() else b"")


def reshaped(file: Path, data: bytes, draw: np.random.Generator) -> None:
    Cache(file.parent).put(file.stem, draw.normal(size=(299 + int(draw.integers(1, 99)), 1)))


def numpy_array(file: Path, data: bytes, draw: np.random.Generator) -> None:
    held = io.BytesIO()
    np.save(held, draw.normal(size=299).astype("<f4" if draw.integers(2) else "<i8"))
    file.write_bytes(held.getvalue())


def numpy_pickle(file: Path, data: bytes, draw: np.random.Generator) -> None:
    np.save(file.with_suffix(".npy"), np.array([print], dtype=object), allow_pickle=True)
    file.with_suffix(".npy").rename(file)


def terabytes(file: Path, data: bytes, draw: np.random.Generator) -> None:
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    file.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)


def sparse(file: Path, data: bytes, draw: np.random.Generator) -> None:
    with file.open("r+b") as opened:
        opened.truncate(1 << 40)


def zipped(file: Path, data: bytes, draw: np.random.Generator) -> None:
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("values.npy", data)


def pipe(file: Path, data: bytes, draw: np.random.Generator) -> None:
    file.unlink()
    os.mkfifo(file)


def folder(file: Path, data: bytes, draw: np.random.Generator) -> None:
    file.unlink()
    (file / "within").mkdir(parents=True)


def link(file: Path, data: bytes, draw: np.random.Generator) -> None:
    kept = shutil.copy(file, file.with_suffix(".kept"))
    file.unlink()
    file.symlink_to([kept, file, "/dev/zero", "/dev/tty", "nowhere"][int(draw.integers(5))])


def forbidden(file: Path, data: bytes, draw: np.random.Generator) -> None:
    file.write_bytes(bytes(len(data)))
    file.chmod(0)


HARMS: dict[str, Harm] = {
    "a flipped bit": flipped,
    "a zeroed block": zeroed,
    "a cut end": cut,
    "bytes too many": longer,
    "a byte missing": shifted,
    "another entry's content": swapped,
    "another shape, more replicates": reshaped,
    "an array of another type": numpy_array,
    "a pickle": numpy_pickle,
    "a header that claims terabytes": terabytes,
    "a sparse terabyte": sparse,
    "a zip file": zipped,
    "a pipe": pipe,
    "a folder": folder,
    "a link, to a file, itself or a device": link,
    "zeros that may not be read": forbidden,
}

if __name__ == "__main__":
    main()

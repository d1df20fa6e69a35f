"""A folder of each kind with one report in it, another written over it, and what may be left."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from reportgen import signals
from reportgen.errors import DataError, OutputError
from reportgen.report import archive, publish
from reportgen.report.publish import marker
from reportgen.report.publish.files import MARKER_NAME, OWN_NAMES, is_own_name, is_staging_name
from reportgen.terms import TABLES

KINDS = ("new", "plain", "foreign", "mount", "current")
CLAIMS = {
    "the last report is unchanged": "old",
    "no report was written": "none",
    "the new report is in place": "new",
    "is marked as incomplete": "marked",
}


def generation(number: int, *names: str) -> dict[str, bytes]:
    """Files of a report, told from those of another by their content."""
    told = {"provenance": {"versions": {"reportgen": "0"}}, "files": ["results.json", *names]}
    text = json.dumps({"schema_version": 1, "number": number, **told}).encode()
    return {"results.json": text} | {name: f"{name} {number}\n".encode() * 999 for name in names}


OLD = generation(1, "report.html", "report.md", "tables/gain.csv", "tables/lift.csv")
NEW = generation(2, "report.html", "junit.xml", "tables/gain.csv", "tables/rec.csv")
NEXT = generation(3, "report.pdf")


def made(kind: str, place: Path) -> Path:
    """A folder of one kind with the old report in it."""
    folder = place / "report"
    if kind == "new":
        return folder
    folder.mkdir(mode=0o750)
    if kind == "mount":
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", folder], check=True)
    for name, data in OLD.items():
        (folder / name).parent.mkdir(mode=0o750, exist_ok=True)
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o640)
    if kind == "foreign":
        put_others(folder)
    return folder


def put_others(folder: Path) -> None:
    """Things of a user's own: a folder, a private file, and links of every kind."""
    (folder / "thesis").mkdir(mode=0o700)
    (folder / "thesis" / "report.html").write_text("mine")
    (folder / "notes.txt").write_text("mine")
    (folder / "notes.txt").chmod(0o600)
    (folder / "link").symlink_to("notes.txt")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "hard").hardlink_to(folder / "notes.txt")


def unmade(kind: str, place: Path) -> None:
    """Remove the folder with what it stands in."""
    if kind == "mount":
        subprocess.run(["umount", place / "report"], check=True)
    shutil.rmtree(place)


def write(folder: Path) -> None:
    """End this process as the program would after its last stage."""
    signals.install_handlers()
    code = 0
    try:
        publish.publish_files(NEW, folder)
    except OutputError as error:
        code = error.exit_code
        print(error)
    except (KeyboardInterrupt, signals.Terminated):
        pass
    signals.stop_raising()
    asked = signals.first_signal()
    if asked is not None:
        code = 128 + asked
        print(publish.describe_folder_state())
    sys.stdout.flush()
    os._exit(code)


def held(folder: Path) -> dict[str, bytes]:
    """The report that a folder holds."""
    files = (path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in files}
    return {name: path.read_bytes() for name, path in named.items() if is_own_name(name)}


def state(folder: Path, is_new: bool) -> str:
    """Which report a folder holds, if any, or that it is marked."""
    if marker.is_marked(folder):
        return "marked"
    found = held(folder)
    if found == NEW:
        return "new"
    if found == ({} if is_new else OLD):
        return "none" if is_new else "old"
    return f"mixed: {sorted(found)}"


def others(place: Path) -> dict[str, tuple[object, ...]]:
    """All that is not ours, with what could have changed of it."""
    seen = {}
    for path in sorted(place.rglob("*")):
        parts = path.relative_to(place).parts
        name = "/".join(parts[1:])
        is_own = (parts[-1] in (MARKER_NAME, *OWN_NAMES) and len(parts) < 3) or is_own_name(name)
        if is_own or name == TABLES or any(map(is_staging_name, parts)):
            continue
        found = path.lstat()
        text = path.read_bytes() if path.is_file() else b""
        links = 0 if path.is_dir() else found.st_nlink  # a folder within counts as one more
        seen[str(path)] = (found.st_mode, found.st_uid, found.st_gid, links, text)
    return seen


def wrong(
    folder: Path, is_new: bool, codes: tuple[int, ...], code: int, said: str
) -> Iterator[str]:
    """What is wrong with the folder after the stage was ended, or with what was said of it."""
    found = state(folder, is_new)
    if found.startswith("mixed"):
        yield found
    if "Traceback" in said or said.count("\n"):
        yield f"said: {said[-500:]}"
    if code not in codes:
        yield f"exit code {code}"
    claimed = next((CLAIMS[text] for text in CLAIMS if text in said), None)
    if code > 0 and claimed != found:
        yield f"exit code {code}, said {said!r}, and it is {found}"
    if code == 0 and (said or found != "new"):
        yield f"exit code 0, said {said!r}, and it is {found}"
    if found == "marked":
        yield from unfinished(folder)


def unfinished(folder: Path) -> Iterator[str]:
    """What is wrong with a marked folder: it is refused by readers, and can be finished."""
    try:
        archive.load_results(folder / "results.json")
        yield "a reader took a marked folder"
    except DataError:
        pass
    marker.finish_exchange(folder)
    if held(folder) != NEW or marker.is_marked(folder):
        yield "what was marked could not be finished"


def left_by_the_next(place: Path, folder: Path) -> Iterator[str]:
    """What is wrong after a further run."""
    publish.check_folder(folder)
    publish.publish_files(NEXT, folder)
    left = {path.name for path in place.iterdir()} | {path.name for path in folder.iterdir()}
    if held(folder) != NEXT or MARKER_NAME in left or any(map(is_staging_name, left)):
        yield f"the next run left {sorted(left)}"

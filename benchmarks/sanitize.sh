#!/bin/sh
# The kernel tests over a build that stops at the first access outside an array or undefined step.
# Run from the root of a checkout: sh benchmarks/sanitize.sh
# Tests whose path is NumPy's alone, `[numpy...]`, run no line of the build and are left out. Kinds of
# processors have the same source, compiled once each: the narrowest and the widest are run.
set -eu
python=${PYTHON:-python3}
compiler=${CC:-gcc}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r reportgen tests pyproject.toml "$copy"
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
sources=$("$python" -c 'import pathlib, zlib
files = sorted(pathlib.Path("reportgen/kernels/c").glob("*.[ch]"))
print(zlib.crc32(b"".join(file.read_bytes() for file in files)))')
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
rm -f "$copy"/reportgen/kernels/_lanes*
"$compiler" -O1 -g -fno-omit-frame-pointer -ffp-contract=off -Wall -Wextra -Werror -shared -fPIC \
    -fsanitize=address,undefined -fno-sanitize-recover=all -DSOURCES="${sources}u" \
    -isystem "$headers" \
    reportgen/kernels/c/kernels.c -o "$copy/reportgen/kernels/_lanes$suffix"
cd "$copy"
# Python's own allocator would hide the ends of small arrays; leaks of the interpreter are its own.
sanitized() {
    LD_PRELOAD="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libubsan.so)" \
        ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH="$copy" \
        "$python" "$@"
}
between=$(sanitized -c 'from reportgen.kernels import native
print("".join(f" and not [{kind}" for kind in native.list_kinds()[1:-1]))')
sanitized -m pytest --tier "${TIER:-ci}" -n 0 -q -p no:cacheprovider --capture=sys -k "not [numpy$between" tests/kernels

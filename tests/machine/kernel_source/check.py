#!/usr/bin/env python3
"""Runs the check of kernels' parameters over wrong.cu and right.cu: every line that says "wrong: NAME" is found, with the name,
and nothing else is; what is said has the fix; a header that changes makes the check run again."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = HERE.parents[2] / "cmake" / "tma-kernel-source.cmake"


def check(cmake, source, *more):
    return subprocess.run([cmake, f"-DTMA_SOURCE={source}", *more, "-P", SCRIPT], capture_output=True, text=True, check=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmake", required=True)
    cmake = parser.parse_args().cmake
    faults = []

    source = HERE / "wrong.cu"
    wanted = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if found := re.search(r"// wrong: (\w+)", line):
            wanted[found[1]] = number
    ran = check(cmake, source)
    said = {}
    for line in ran.stderr.splitlines():
        if found := re.match(r"(.*):(\d+): error: \[K1\] a parameter of (\w+) = `(.*?)`: a kernel must take a descriptor as "
                             r"`const __grid_constant__`\..* Fix: `const __grid_constant__ (.*)`$", line):
            said[found[3]] = int(found[2])
            if found[1] != str(source) or found[4].removeprefix("const ") != found[5]:
                faults.append(f"another file or another parameter: {line}")
    if said != wanted:
        faults.append(f"wrong.cu: wanted {wanted}, said {said}\n{ran.stderr}")
    if ran.returncode == 0:
        faults.append("wrong.cu passes")

    with tempfile.TemporaryDirectory() as folder:
        stamp = pathlib.Path(folder, "stamp")
        ran = check(cmake, HERE / "right.cu", f"-DTMA_STAMP={stamp}")
        if ran.returncode != 0 or ran.stderr or not stamp.exists():
            faults.append(f"right.cu is refused:\n{ran.stderr}")
        needs = pathlib.Path(f"{stamp}.d").read_text()
        if str(HERE / "wrong_types.hpp") not in needs or str(HERE / "right.cu") not in needs:
            faults.append(f"the files that were read:\n{needs}")

    for fault in faults:
        print(fault)
    return 1 if faults else 0


sys.exit(main())

#!/usr/bin/env python3
"""Compiles a file for one target, and looks whether its copies are there.

    run.py --nvcc nvcc --include ../../include --target 100f FILE.cu

From sm_90 on, PTX and machine code have the engine's copies. An older target has none, and a trap in their place. Loads by
threads are there from sm_80 on.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile


def texts_of_included(source):
    """Of the files that a test's source includes by a relative path."""
    folder = pathlib.Path(source).parent
    names = re.findall(r'^#include "(\.\./.*)"', pathlib.Path(source).read_text(), re.M)
    return "".join((folder / name).read_text() for name in names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--include", required=True, help="the folder that holds tma/")
    parser.add_argument("--target", required=True, help="80, 90a, 100f, ...")
    parser.add_argument("file")
    given = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="tma-targets-") as folder:
        done = subprocess.run([given.nvcc, "-cubin", "-std=c++20", f"-gencode=arch=compute_{given.target},code=sm_{given.target}",
                               f"-I{given.include}", "-Werror=all-warnings", "--keep", f"--keep-dir={folder}", given.file,
                               "-o", f"{folder}/out.cubin"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(done.stdout, end="")
        if done.returncode != 0:
            print(f"FAILED: {given.file} does not compile for sm_{given.target}")
            return 1
        ptx = (pathlib.Path(folder) / (pathlib.Path(given.file).stem + ".ptx")).read_text()
        size = (pathlib.Path(folder) / "out.cubin").stat().st_size
    copies, traps = len(re.findall(r"\bcp\.async\.bulk\.", ptx)), len(re.findall(r"\btrap;", ptx))
    print(f"sm_{given.target}: {ptx.count('.entry')} kernels, {copies} copies, {traps} traps, {size} bytes")
    if re.search(r"\bThreadLoads\b", pathlib.Path(given.file).read_text() + texts_of_included(given.file)) and not re.search(
            r"\bcp\.async\.c[ag]\.", ptx):
        print("FAILED: loads by threads are wanted")
        return 1
    has_engine = int(re.match(r"\d+", given.target)[0]) >= 90
    if (copies > 0) != has_engine or (not has_engine and traps == 0):
        print("FAILED: copies are wanted" if has_engine else "FAILED: traps are wanted, and no copy")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compiles programs that must not compile, and judges what the compiler says of them.

    run.py --include ../../include tile_rank_6.cu ...

A program states in its first comment lines what it wants:

    // expect: TEXT     the compiler says this, white space folded; the first such text stands in the first error
    // errors: N        it says at most so many errors; 3 where nothing is stated
    // flags: FLAGS     given to the compiler
    // mistake: FLAGS   given to the compiler together with the mistake, where the mistake is in the flags

The mistake stands under `#ifndef FIXED`. With -DFIXED the same program must compile without a word, so that it is known to
fail for its mistake and for nothing else.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

STANDARD = "-std=c++20"
ARCHITECTURE = "-gencode=arch=compute_90a,code=sm_90a"
FIELD = re.compile(r"//\s*(expect|errors|flags|mistake):\s*(.*\S)\s*")
# nvcc says "x.cu(3): error: ..." or "error #2810-D: ...", gcc "x.hpp:27:4: error: ...".
SAID = re.compile(r"^.*?\b(error|warning)(?: #[\w-]+)?: .*$", re.MULTILINE)


def fold(text):
    """White space folded, and without the library's inline namespace: tma::v0_1_0::Tile is tma::Tile."""
    return re.sub(r"\btma::v\d+_\d+_\d+\w*::", "tma::", " ".join(text.split()))


class Case:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.expect, self.flags, self.mistake, self.errors = [], [], [], 3
        for line in self.path.read_text().splitlines():
            if not line.startswith("//"):
                break
            field = FIELD.fullmatch(line)
            if not field:
                continue
            name, value = field.groups()
            if name == "expect":
                self.expect.append(fold(value))
            elif name == "errors":
                self.errors = int(value)
            else:
                getattr(self, name).extend(value.split())

    def compile(self, nvcc, include, *flags):
        flags = [*self.flags, *flags]
        standard = [] if any(flag.startswith("-std") for flag in flags) else [STANDARD]
        run = subprocess.run([nvcc, *standard, ARCHITECTURE, "-I", include, *flags, "-o", os.devnull, str(self.path)],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                             env={**os.environ, "LC_ALL": "C"})
        return run.returncode, run.stdout

    def judge(self, nvcc, include):
        """What the compiler says of the mistake, and what is wrong with that."""
        wrong = []
        if not self.expect:
            wrong.append("the file states no text to expect")

        # All passes, as a user would see them: the first that finds an error is the last.
        status, said = self.compile(nvcc, include, "-c", *self.mistake)
        found = [(match.group(1), fold(match.group(0))) for match in SAID.finditer(said)]
        errors = sum(kind == "error" for kind, _ in found)
        if status == 0:
            wrong.append("it compiles")
        else:
            wrong += [f"not said: {text}" for text in self.expect if text not in fold(said)]
            if errors > self.errors:
                wrong.append(f"{errors} errors, at most {self.errors} wanted")
            if self.expect and not (found and found[0][0] == "error" and self.expect[0] in found[0][1]):
                wrong.append(f"not the first thing said: {self.expect[0]}")

        # The device's pass reads the host's code as well, and takes half the time of all.
        status, said_of_fixed = self.compile(nvcc, include, "-ptx", "-DFIXED")
        if status != 0 or said_of_fixed.strip():
            wrong.append("corrected, it does not compile without a word:\n" + said_of_fixed)
        return said, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--include", required=True, help="the folder that holds tma/")
    parser.add_argument("--must-fail", action="store_true", help="for files that are meant to be judged wrong")
    parser.add_argument("files", nargs="+")
    given = parser.parse_args()

    failed, start = [], time.monotonic()
    for file in given.files:
        said, wrong = Case(file).judge(given.nvcc, given.include)
        print(f"--- {file}\n{said}", end="")
        for line in wrong:
            print(f"WRONG: {line}")
        if bool(wrong) != given.must_fail:
            failed.append(file)
        sys.stdout.flush()
    if len(given.files) > 1:
        print(f"--- {len(given.files)} files, {len(failed)} failed, {time.monotonic() - start:.0f} s", *failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

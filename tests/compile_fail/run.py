#!/usr/bin/env python3
"""Compiles programs that must not compile, and judges what the compiler says.

    run.py --nvcc nvcc --include ../../include tile_rank_6.cu ...

A program states in its first comment lines what it wants:

    // expect: text      the compiler says this, white space folded; the first text stands in the first error
    // errors: 5         it says at most so many errors (3 where nothing is stated)
    // flags: -O1        given to the compiler
    // mistake: -std=c++17   given to the compiler for the mistake alone

The mistake stands under `#ifndef FIXED`. With -DFIXED the same program must compile without a word: so it fails for its
mistake and for nothing else.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

STANDARD = "-std=c++20"
FLAGS = ["-gencode=arch=compute_90a,code=sm_90a", "-c", "-o", os.devnull]
FIELD = re.compile(r"//\s*(expect|errors|flags|mistake):\s*(.*\S)")
# nvcc: "x.cu(3): error: ...", "error #2810-D: ..."; gcc: "x.hpp:27:4: error: ...". Not the count at the end.
SAID = re.compile(r"^.*?\b(error|warning)(?: #[\w-]+)?: .*$", re.MULTILINE)


def fold(text):
    return " ".join(text.split())


class Case:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.expect, self.flags, self.mistake, self.errors = [], [], [], 3
        for line in self.path.read_text().splitlines():
            if not line.startswith("//"):
                break
            field = FIELD.fullmatch(line.strip())
            if not field:
                continue
            name, value = field.groups()
            if name == "expect":
                self.expect.append(fold(value))
            elif name == "errors":
                self.errors = int(value)
            else:
                getattr(self, name).extend(value.split())

    def compile(self, nvcc, include, extra):
        flags = self.flags + extra
        standard = [] if any(f.startswith("-std") for f in flags) else [STANDARD]
        run = subprocess.run([nvcc, *standard, *FLAGS, "-I", include, *flags, str(self.path)],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return run.returncode, run.stdout

    def judge(self, nvcc, include):
        """What the compiler said of the mistake, and what is wrong with it."""
        wrong = []
        if not self.expect:
            wrong.append("the file states no text to expect")
        status, said = self.compile(nvcc, include, self.mistake)
        found = [(m.group(1), fold(m.group(0))) for m in SAID.finditer(said)]
        errors = [text for kind, text in found if kind == "error"]
        if status == 0:
            wrong.append("it compiles")
        else:
            wrong += [f"not said: {text}" for text in self.expect if text not in fold(said)]
            if len(errors) > self.errors:
                wrong.append(f"{len(errors)} errors, at most {self.errors} wanted")
            if self.expect and (not found or found[0][0] != "error" or self.expect[0] not in found[0][1]):
                wrong.append("the first thing said is not the expected error")
        status, remarks = self.compile(nvcc, include, ["-DFIXED"])
        if status != 0 or remarks.strip():
            wrong.append("corrected, it does not compile without a word:\n" + remarks)
        return said, wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--nvcc", default="nvcc")
    arguments.add_argument("--include", required=True, help="the folder that holds tma/")
    arguments.add_argument("files", nargs="+")
    given = arguments.parse_args()
    failed = []
    start = time.monotonic()
    for file in given.files:
        said, wrong = Case(file).judge(given.nvcc, given.include)
        print(f"--- {file}\n{said}", end="")
        for line in wrong:
            print(f"FAILED: {line}")
        if wrong:
            failed.append(file)
        sys.stdout.flush()
    if len(given.files) > 1:
        print(f"--- {len(given.files)} files, {len(failed)} failed, {time.monotonic() - start:.0f} s")
        print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

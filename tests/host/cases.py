#!/usr/bin/env python3
"""The table of tests/README.md: every test that it names is there.

    cases.py --tests ../../tests --build BUILD --ctest ctest

A row names tests as `folder/name`, what CTest calls them, each followed by its "test cases" where not all of them are meant.
CTest is asked for the names, of the folders that this build has; the test cases are looked for in the sources. Then each name
is spelled wrongly, one at a time, and that must be noticed: a table that nobody compares would be right for ever.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

HEADING = "## What can go wrong, and the tests that hold it"
NAME = re.compile(r'`(\w+/[\w.-]+)`|"([^"]+)"')
STRINGS = r'((?:"(?:\\.|[^"\\\n])*"\s*)+)'
CASE = re.compile(r"\b(?:TEMPLATE_)?TEST_CASE\(\s*" + STRINGS)
FAULT = re.compile(r"\bFAULT\(\s*\w+,\s*" + STRINGS)
KERNEL = re.compile(r'^// kernel: (\w+)|^extern "C" __global__ void (?:__\w+__\(\([^)]*\)\)\s+)?(\w+)\(', re.M)


def joined(literals):
    return "".join(re.findall(r'"((?:\\.|[^"\\])*)"', literals))


def sources(tests, folder, name):
    """The files a test is made of: those of the longest name that its own begins with."""
    twins_or_facts = "codegen/facts" if name.startswith("facts_") else "codegen/twins"
    places = {"machine": ["machine", "gpu"], "codegen": [twins_or_facts]}.get(folder, [folder])
    name = name.removeprefix("facts_")
    for place in places:
        found = [file for file in (tests / place).glob("*") if file.suffix in (".cu", ".cpp", ".py") and name.startswith(file.stem)]
        if found:
            stem = max((file.stem for file in found), key=len)
            return [file for file in (tests / place).glob(f"{stem}*.*") if file.stem == stem or stem == "faults"]
    return []


def cases_of(files):
    cases = set()
    for file in files:
        text = file.read_text()
        cases |= {joined(found) for found in CASE.findall(text)}
        cases |= {"fault: " + joined(found) for found in FAULT.findall(text)}
        cases |= {one or two for one, two in KERNEL.findall(text)}
    return cases


def rows(readme):
    """The table's rows: the kind, and its tests as (name, [cases])."""
    table = readme.split(HEADING, 1)[1].split("\n## ", 1)[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if len(cells) != 2 or set(cells[0]) <= set("-: ") or cells[1] == "tests" or cells[0].startswith("**"):
            continue  # a rule, the head, a group's name
        tests = []
        for name, case in NAME.findall(cells[1]):
            if name:
                tests.append((name, []))
            elif tests:
                tests[-1][1].append(case)
        yield cells[0], tests


class Checker:
    def __init__(self, tests, names):
        self.tests, self.names = tests, names
        self.folders = {name.split("/")[0] for name in names}
        self.cases = {}

    def knows(self, name):
        folder, own = name.split("/")
        if folder == "compile_fail":  # of which some builds leave out a few
            return (self.tests / folder / f"{own}.cu").exists()
        return folder not in self.folders or name in self.names

    def complaints(self, kind, tests):
        if not tests:
            yield f"{kind}: names no test"
        for name, cases in tests:
            folder, own = name.split("/")
            if not self.knows(name):
                yield f"{kind}: there is no test {name}"
                continue
            if not cases:
                continue
            if name not in self.cases:
                self.cases[name] = cases_of(sources(self.tests, folder, own))
            for case in cases:
                if case not in self.cases[name]:
                    yield f'{kind}: {name} has no test case "{case}"'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=pathlib.Path, required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--ctest", default="ctest")
    given = parser.parse_args()

    listed = subprocess.run([given.ctest, "--test-dir", given.build, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
    checker = Checker(given.tests, {test["name"] for test in json.loads(listed.stdout)["tests"]})
    readme = (given.tests / "README.md").read_text()
    table = list(rows(readme))

    wrong = [complaint for kind, tests in table for complaint in checker.complaints(kind, tests)]
    kinds = [kind for kind, _ in table]
    wrong += [f"{kind}: stands twice" for kind in sorted(set(kinds)) if kinds.count(kind) > 1]
    for folder in sorted(file.parent.name for file in given.tests.glob("*/CMakeLists.txt")):
        if f"`{folder}/`" not in readme:
            wrong.append(f"tests/README.md does not say what {folder}/ is")

    unnoticed = 0
    for kind, tests in table:
        for name, cases in tests:
            if name.split("/")[0] in checker.folders | {"compile_fail"} and not list(checker.complaints(kind, [(name + "x", cases)])):
                unnoticed += 1
            for case in cases:
                if not list(checker.complaints(kind, [(name, [case + "x"])])):
                    unnoticed += 1
    for complaint in wrong:
        print(complaint)
    if unnoticed:
        print(f"{unnoticed} wrong names were not noticed")
    tests = {name for _, tests in table for name, _ in tests}
    print(f"{len(table)} kinds of faults, {len(tests)} tests, {len(wrong) + unnoticed} complaints")
    return 1 if wrong or unnoticed or not table else 0


if __name__ == "__main__":
    sys.exit(main())

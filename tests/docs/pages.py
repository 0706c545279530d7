#!/usr/bin/env python3
"""The code in README.md and docs/*.md is code that compiles, and its programs print what the pages say.

    pages.py write --root ROOT --out DIR    DIR/programs.cu and DIR/fragments.cu, and the programs' names with what runs them
    pages.py run --root ROOT NAME BINARY    runs one of the programs, and compares
    pages.py fails --root ROOT BINARY       programs that allocate say by their exit code that there is no device: none is seen
    pages.py links --root ROOT              what the pages link to is there, anchors too, and docs/README.md lists every page

A fence says what its block is; other blocks are text.

    ```cpp program           a whole program, in a namespace of its own. The block ```text that follows, if there is one, is
                             all that it prints: `...` stands for anything, lines that begin with `$ ` are the command
    ```cpp program machine   the same, wrong on purpose: compiled for a device, and run on the CPU machine alone
    ```cpp fragment          declarations, which may use what the page's fragments before have declared
    <!-- cpp ... -->         the same where the reader does not see it. Where one has an int main(), the page's fragments are a
                             program, PAGE_fragments, which prints nothing if all is well

In what the machine reports, NAME.cu is the program, its lines counted in the block.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<code>.*?)^```[ \t]*$|^<!-- cpp\n(?P<hidden>.*?)^-->[ \t]*$", re.M | re.S)
INCLUDE = re.compile(r"^[ \t]*(#include [<\"].*?[>\"]).*$", re.M)
MAIN = re.compile(r"\bint main\(\)")


def pages(root):
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def name_of(page):
    return re.sub(r"\W", "_", page.stem.lower()) if page.parent.name == "docs" else "readme"


class Program:
    def __init__(self, name, code, on_machine_only=False, output=None):
        self.name, self.code, self.on_machine_only, self.output = name, code, on_machine_only, output


def read(page):
    """The page's programs, and its fragments as one text."""
    text, programs, fragments, latest = page.read_text(), [], [], None
    for found in BLOCK.finditer(text):
        line, kind = text[:found.start()].count("\n") + 2, (found["kind"] or "").strip()
        if found["hidden"] is not None:
            fragments.append(f'#line {line} "{page.name}"\n{found["hidden"]}')
        elif kind in ("cpp program", "cpp program machine"):
            name = name_of(page) + (f"_{len(programs) + 1}" if programs else "")
            latest = Program(name, f'#line 1 "{name}.cu"\n{found["code"]}', kind.endswith("machine"))
            programs.append(latest)
            continue
        elif kind == "cpp fragment":
            fragments.append(f'#line {line} "{page.name}"\n{found["code"]}')
        elif kind == "text" and latest:
            latest.output = found["code"]
        elif kind.startswith("cpp "):
            sys.exit(f"{page}:{line - 1}: a block is not '{kind}'. Fix: cpp program, cpp program machine, or cpp fragment")
        latest = None
    together = "".join(fragments)
    if MAIN.search(together):
        programs.append(Program(name_of(page) + "_fragments", together, output=""))
        together = ""
    return programs, together


def without_includes(code, includes):
    def take(found):
        if found[1] not in includes:
            includes.append(found[1])
        return ""
    return INCLUDE.sub(take, code)


def write(root, out):
    includes, bodies, table, rows = [], [], [], []
    fragment_includes, fragment_bodies = [], []
    for page in pages(root):
        programs, fragments = read(page)
        for p in programs:
            code = without_includes(p.code, includes)
            if len(MAIN.findall(code)) != 1:
                sys.exit(f"{page}: {p.name} has no int main(), or several. Fix: a program has one; mark others as fragments")
            code = MAIN.sub("int program()", code)
            if not code.rstrip().rsplit("\n", 2)[-2].startswith("  return "):  # as main does without one
                code = code.rstrip()[:-1] + "return 0; }\n"
            bodies.append(f"namespace {p.name} {{\n{code}}}\n")
            table.append(f'    {{"{p.name}", {p.name}::program}},\n')
            rows.append(f"{p.name};{'machine' if p.on_machine_only else 'everywhere'}")
        if fragments:
            fragment_bodies.append(
                f"namespace {name_of(page)} {{\n{without_includes(fragments, fragment_includes)}}}\n")
    for extra in ("#include <cstdio>", "#include <cstring>"):
        if extra not in includes:
            includes.append(extra)
    runner = ('#line 1 "pages"\nint main(int count, char** argument) {\n  const struct {\n    const char* name;\n    int (*run)();\n'
              "  } programs[] = {\n" + "".join(table) + "  };\n"
              "  for (const auto& program : programs)\n"
              "    if (count == 2 && std::strcmp(argument[1], program.name) == 0) return program.run();\n"
              '  std::fprintf(stderr, "there is no such program\\n");\n  return 2;\n}\n')
    files = {"programs.cu": "\n".join(includes) + "\n" + "".join(bodies) + runner,
             "fragments.cu": "\n".join(fragment_includes) + "\n" + "".join(fragment_bodies)}
    out.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        if not (out / file).exists() or (out / file).read_text() != text:
            (out / file).write_text(text)
    print("\n".join(rows))


def run(root, name, binary):
    program = next(p for page in pages(root) for p in read(page)[0] if p.name == name)
    # In many orders; the README's has two million elements.
    on_machine = {} if program.on_machine_only else {"TMA_MACHINE_SCHEDULES": "1" if name == "readme" else "20"}
    ran = subprocess.run([binary, name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         env={**os.environ, **on_machine})
    expected_code = 70 if program.on_machine_only else 0  # what the machine ends with after a report
    lines = [line for line in (program.output or "").splitlines() if not line.startswith("$ ")]
    pattern = r".*?".join(re.escape(part) for part in "\n".join(lines).strip().split("..."))
    printed = ran.stdout.strip().replace(f"{name}::", "")
    if ran.returncode == expected_code and (program.output is None or re.fullmatch(pattern, printed, re.S)):
        print(f"{name}: as the page says")
        return 0
    print(f"{name}: exit code {ran.returncode}, expected {expected_code}\n--- printed\n{printed}\n--- the page says\n"
          + "\n".join(lines))
    return 1


ALLOCATES = re.compile(r"\bcudaMalloc")


def fails(root, binary):
    wrong = 0
    for program in (p for page in pages(root) for p in read(page)[0] if ALLOCATES.search(p.code)):
        ran = subprocess.run([binary, program.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        if ran.returncode != 1:
            print(f"{program.name}: exit code {ran.returncode} without a device, expected 1\n{ran.stdout}")
            wrong += 1
    # Of other programs for readers as well: no result of an allocation is dropped.
    for file in (*pages(root), *(file for file in sorted((root / "examples").rglob("*")) if file.is_file())):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if re.match(r"\s*(\(void\)\s*)?cudaMalloc\w*\(.*\);", line):
                print(f"{file.relative_to(root)}:{number}: the result of an allocation is not looked at")
                wrong += 1
    print(f"{wrong} complaints")
    return 1 if wrong else 0


def anchors(text):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def links(root):
    wrong = seen = 0
    for page in pages(root):
        prose = re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S))
        for link in re.findall(r"\]\(([^)\s]+)\)", prose):
            if link.startswith(("http:", "https:")):
                continue
            seen += 1
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target.read_text())):
                print(f"{page.relative_to(root)}: {link} is not there")
                wrong += 1
    index = (root / "docs/README.md").read_text()
    for page in sorted((root / "docs").glob("*.md")):
        if page.name != "README.md" and f"]({page.name})" not in index:
            print(f"docs/README.md does not list {page.name}")
            wrong += 1
    print(f"{seen} links, {wrong} complaints")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    for task in ("write", "run", "fails", "links"):
        sub = tasks.add_parser(task)
        sub.add_argument("--root", type=pathlib.Path, required=True)
        if task == "write":
            sub.add_argument("--out", type=pathlib.Path, required=True)
        if task == "run":
            sub.add_argument("name")
        if task in ("run", "fails"):
            sub.add_argument("binary")
    a = parser.parse_args()
    if a.task == "write":
        return write(a.root, a.out)
    if a.task == "fails":
        return fails(a.root, a.binary)
    return run(a.root, a.name, a.binary) if a.task == "run" else links(a.root)


if __name__ == "__main__":
    sys.exit(main())

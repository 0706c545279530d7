#!/usr/bin/env python3
"""Every instruction of the copy engine on every target: what the assembler takes, and what the library has for it.

    check.py --target sm_90a [--table ../../docs/instruction-set.md]     looks at one target
    check.py --write ../../docs/instruction-set.md                       looks at all of them and writes the table
    check.py --build ../../build/default                                 looks whether the tests that rows name exist

Each row of rows/*.cu names an instruction with its qualifiers, gives it as PTX, and has a kernel that asks the library for it.
For each target and row:
  - the assembler is asked whether it takes the PTX;
  - where it does, the kernel compiles for the target, and its PTX holds that instruction;
  - where it does not, the kernel does not compile, and what the compiler says names the targets that have it and this one.
With --table the column of the target in that file is compared with what was found. Needs nvcc and no GPU. Exit code 0: all as
it should be.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGETS = ["sm_90", "sm_90a", "sm_100", "sm_100f", "sm_100a", "sm_103", "sm_103f", "sm_103a", "sm_110", "sm_110f", "sm_110a",
           "sm_120", "sm_120f", "sm_120a", "sm_121", "sm_121f", "sm_121a"]

Row = collections.namedtuple("Row", "id title ptx name tests group file line text")
Found = collections.namedtuple("Found", "row cell reason")


def run(command, text=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, input=text)
    return done.returncode, done.stdout


# --- the rows ---


def read_rows():
    """The prologue of each file and its rows, in the files' order."""
    rows, prologues = [], {}
    for path in sorted((HERE / "rows").glob("*.cu")):
        lines = path.read_text().splitlines(keepends=True)
        starts = [i for i, line in enumerate(lines) if line.startswith("// row: ")] + [len(lines)]
        group = re.match(r"// (?:\d+ )?(.*)", lines[0])[1].strip()
        prologues[path] = "".join(lines[:starts[0]])
        for start, end in zip(starts, starts[1:]):
            fields = collections.defaultdict(list)
            for line in lines[start:end]:
                if match := re.match(r"//\s+(row|ptx|name|tests): (.*)", line):
                    fields[match[1]].append(match[2].strip())
            text = "".join(lines[start:end])
            kernel = re.search(r"^extern \"C\" __global__ void (\w+)\(", text, re.M)
            if not kernel or not all(fields[key] for key in ("row", "ptx", "name", "tests")):
                sys.exit(f"{path}:{start + 1}: a row has a title, PTX, a name, tests and a kernel")
            ptx = [form for line in fields["ptx"] for form in expand(line)]
            rows.append(Row(kernel[1], fields["row"][0], ptx, fields["name"][0], fields["tests"][0].split(), group, path,
                            start + 1, text))
    twice = [id for id, n in collections.Counter(row.id for row in rows).items() if n > 1]
    if twice:
        sys.exit(f"two rows have the name {', '.join(twice)}")
    return rows, prologues


def expand(line):
    """`@R` and `@C` stand for the ranks 1 to 5 and as many coordinates; `@R3` starts at rank 3; `@O` is rank - 2 offsets."""
    match = re.search(r"@R(\d?)", line)
    if not match:
        return [line]
    return [line.replace(match[0], str(rank)).replace("@C", ", ".join(f"%r{20 + i}" for i in range(rank)))
            .replace("@O", ", ".join(f"%rs{10 + i}" for i in range(rank - 2))) for rank in range(int(match[1] or 1), 6)]


def opcode(form):
    """The instruction's name with its qualifiers, without operands and predicate."""
    return re.sub(r"^@\S+\s+", "", form).split()[0].rstrip(";")


# --- the assembler ---


def assemble(forms, target, version, options):
    """Which of the forms ptxas takes: "yes", "advisory", or "no: why". All are asked at once; what is refused is taken out, and
    the rest is asked again, because the assembler may stop at the first."""
    answers, left = {}, list(dict.fromkeys(forms))
    head = f".version {version}\n.target {target}\n.address_size 64\n"
    registers = (".reg .pred %p<9>; .reg .b16 %rs<40>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<9>; .reg .f64 %fd<9>; "
                 ".reg .b128 %rq<9>;")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "forms.ptx")
        while left:
            with open(path, "w") as file:
                file.write(head)
                for number, form in enumerate(left):
                    file.write(f".visible .entry k{number}(.param .align 64 .b8 map[128]) {{ {registers} {form} ret; }}\n")
            code, said = run([options.ptxas, f"-arch={target}", path, "-o", "/dev/null"])
            first = head.count("\n") + 1
            warned = {left[int(n) - first] for n in re.findall(r"line (\d+); [^\n]*dvisory", said) if int(n) >= first}
            if code == 0:
                answers |= {form: "advisory" if form in warned else "yes" for form in left}
                break
            refused = {int(n) - first: why for n, why in re.findall(r"line (\d+); (?:error|fatal)\s*: (.*)", said)}
            if not refused:
                sys.exit(f"the assembler fails for {target}: {said[:2000]}")
            answers |= {left[n]: "no: " + why for n, why in refused.items()}
            left = [form for n, form in enumerate(left) if n not in refused]
    return answers


# --- the library ---


def compose(rows, prologues):
    text = []
    for path in dict.fromkeys(row.file for row in rows):
        text.append(f'#line 1 "{path.name}"\n' + prologues[path])
        for row in rows:
            if row.file == path:
                text.append(f'#line {row.line} "{path.name}"\n' + row.text)
    return "\n".join(text)


def compile_rows(rows, prologues, target, options, error_limit=None):
    """What the compiler says, its PTX, and the PTX's version."""
    with tempfile.TemporaryDirectory(prefix="tma-instructions-") as folder:
        source = os.path.join(folder, "rows.cu")
        with open(source, "w") as file:
            file.write(compose(rows, prologues))
        number = target[3:]
        code, said = run([options.nvcc, "-cubin", "-std=c++20", f"-I{ROOT / 'include'}", f"-I{HERE / 'rows'}", "--keep",
                          f"--keep-dir={folder}", f"-gencode=arch=compute_{number},code=sm_{number}", source, "-o",
                          os.path.join(folder, "rows.cubin"), *([f"-Xcudafe=--error_limit={error_limit}"] if error_limit else [])])
        ptx = ""
        if code == 0:
            with open(os.path.join(folder, "rows.ptx")) as file:
                ptx = file.read()
    return code, said, ptx


def kernels_of(ptx):
    return {match[1]: match[2] for match in re.finditer(r"\.entry (\w+)\s*\(.*?^\{$(.*?)^\}$", ptx, re.S | re.M)}


def refusals(said, rows):
    """For each row the texts of the static assertions that its kernel runs into."""
    found = collections.defaultdict(list)
    for error in re.split(r"^(?=\S+\(\d+\): error)", said, flags=re.M):
        match = re.search(r'error: static assertion failed with "(.*?)"\s*$', error, re.M)
        text = match[1] if match else error.strip().split("\n")[0]
        for row in rows:
            last = row.line + row.text.count("\n")
            places = [int(n) for n in re.findall(rf"{re.escape(row.file.name)}\((\d+)\)", error)]
            places += [int(n) for n in re.findall(rf"at line (\d+) of {re.escape(row.file.name)}", error)]
            places += [int(n) for n in re.findall(r"at line (\d+)\b(?! of)", error)] if row.file.name in error else []
            if any(row.line <= n < last for n in places):
                found[row.id].append(text)
    return found


def refused_rows(rows, prologues, target, options):
    """The texts for all rows. What two rows instantiate alike is said once, so those of which nothing was said are compiled
    again without the others."""
    found = collections.defaultdict(list)
    while rows:
        code, said, _ = compile_rows(rows, prologues, target, options, error_limit=10000)
        news = {id: texts for id, texts in refusals(said, rows).items() if texts}
        found |= news
        if code != 0 and not news:  # said of places that do not lead back to the rows: asked one by one
            for row in rows:
                found[row.id] = re.findall(r'static assertion failed with "(.*?)"\s*$',
                                           compile_rows([row], prologues, target, options)[1], re.M)
        if code == 0 or not news:
            break
        rows = [row for row in rows if row.id not in news]
    return found


def look(target, rows, prologues, options):
    """The cells of one target, and what is wrong."""
    faults, cells = [], []
    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty.cu")
        pathlib.Path(empty).write_text("__global__ void k() {}\n")
        number = target[3:]
        code, said = run([options.nvcc, "-ptx", f"-gencode=arch=compute_{number},code=sm_{number}", empty, "-o", empty + ".ptx"])
        if code != 0:
            return [f"{target}: this toolkit does not know the target"], []
        version = re.search(r"\.version (\S+)", pathlib.Path(empty + ".ptx").read_text())[1]

    answers = assemble([form for row in rows for form in row.ptx], target, version, options)
    taken = {row.id: [answers[form] for form in row.ptx] for row in rows}
    legal = [row for row in rows if all(not answer.startswith("no") for answer in taken[row.id])]
    illegal = [row for row in rows if row not in legal]
    for row in illegal:
        if any(not answer.startswith("no") for answer in taken[row.id]):
            faults.append(f"{row.file.name}:{row.line}: {row.id}: the assembler takes only some of these forms for {target}: "
                          + "; ".join(f"{form}: {answer}" for form, answer in zip(row.ptx, taken[row.id])))

    code, said, ptx = compile_rows(legal, prologues, target, options)
    if code != 0:
        faults.append(f"{target}: what the assembler takes does not compile:\n{said[:6000]}")
    kernels = kernels_of(ptx)
    for row in legal:
        body = kernels.get(row.id, "")
        missing = [opcode(form) for form in row.ptx if not re.search(rf"(?<![\w.]){re.escape(opcode(form))}(?![\w.:])", body)]
        if missing and code == 0:
            faults.append(f"{target}: {row.id} ({row.name}) does not give {', '.join(missing)}")
        advisory = any(answer == "advisory" for answer in taken[row.id])
        cells.append(Found(row, "yes*" if advisory else "yes", ""))

    said_of = refused_rows(illegal, prologues, target, options)
    for row in illegal:
        texts = [text for text in said_of[row.id] if text.startswith("tma: ") and " needs " in text]
        if not texts:
            faults.append(f"{target}: {row.id} ({row.name}) is not refused by name: " + "; ".join(said_of[row.id] or ["it compiles"]))
        elif f"compiles for {target}" not in texts[0]:
            faults.append(f"{target}: the refusal of {row.id} does not name the target: {texts[0]}")
        cells.append(Found(row, "no", re.sub(r"; this compiles for.*", "", texts[0]) if texts else "?"))
    order = {row.id: i for i, row in enumerate(rows)}
    return faults, sorted(cells, key=lambda found: order[found.row.id])


# --- the table ---


def table(rows, columns, release):
    """The page: one table a group, one line a row, one column a target; then why cells are empty."""
    lines = ["# The instruction set", "",
             f"Made by `tests/instructions/check.py --write`, not by hand: each cell is what the assembler and the compiler of CUDA "
             f"{release} said. "
             "`yes`: the library's name compiles for the target to this instruction. `yes*`: the assembler takes it with an "
             "advisory that it may be slow there. A number: refused when compiling, for the reason under that number. The test "
             "`instructions/<target>` looks at every cell of its column; `tests` names those that run the instruction, on a "
             "device (`gpu/`) and on the CPU machine (`machine/`), or hold its code (`codegen/`).", ""]
    reasons = {}
    for group in dict.fromkeys(row.group for row in rows):
        lines += [f"## {group}", "", "| instruction | in the library | tests | " + " | ".join(t[3:] for t in TARGETS) + " |",
                  "| --- | --- | --- |" + " --- |" * len(TARGETS)]
        for row in rows:
            if row.group != group:
                continue
            cells = []
            for target in TARGETS:
                found = columns[target][row.id]
                cells.append(found.cell if found.cell != "no" else str(reasons.setdefault(found.reason, len(reasons) + 1)))
            lines.append(f"| `{row.title}` | `{row.name}` | {' '.join(row.tests)} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += ["## Refusals", ""]
    lines += [f"{number}. {reason}" for reason, number in reasons.items()]
    return "\n".join(lines) + "\n"


def compare(text, target, cells):
    """Where the page's column differs from what was found."""
    faults, shown, reasons = [], {}, dict(re.findall(r"^(\d+)\. (.*)$", text, re.M))
    column = 3 + TARGETS.index(target)
    for line in text.splitlines():
        parts = [part.strip() for part in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(parts) == 3 + len(TARGETS):
            shown[parts[0].strip("`"), parts[1].strip("`")] = parts[column].rstrip(" |")
    for found in cells:
        expected = shown.pop((found.row.title, found.row.name), None)
        actual = found.cell
        if expected and expected.isdigit():
            expected = reasons.get(expected, "?")
            actual = found.reason
        if expected != actual:
            faults.append(f"the table says {expected!r} of {found.row.id} for {target}, found: {actual!r}. Write it anew: "
                          "tests/instructions/check.py --write docs/instruction-set.md")
    faults += [f"the table has a row that no file has: {title}" for title, _ in shown]
    return faults


def check_tests(rows, ctest, build):
    """The tests that rows name exist, in the build folder's own list."""
    code, said = run([ctest, "-N", "--test-dir", build])
    known = set(re.findall(r"Test +#\d+: (\S+)", said))
    if code != 0 or not known:
        return [f"{ctest} -N lists no tests: {said[:1000]}"]
    return [f"{row.file.name}:{row.line}: there is no test {test}" for row in rows for test in row.tests if test not in known]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--target", choices=TARGETS)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--ctest", default="ctest")
    parser.add_argument("--build", help="look whether this build folder has the tests that rows name, and at nothing else")
    options = parser.parse_args()
    rows, prologues = read_rows()
    faults = []
    if options.build:
        faults = check_tests(rows, options.ctest, options.build)
    elif options.write:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda target: look(target, rows, prologues, options), TARGETS))
        columns = {}
        for target, (found, cells) in zip(TARGETS, results):
            faults += found
            columns[target] = {cell.row.id: cell for cell in cells}
        if not faults:
            release = re.search(r"release ([\d.]+)", run([options.nvcc, "--version"])[1])[1]
            options.write.write_text(table(rows, columns, release))
    else:
        found, cells = look(options.target, rows, prologues, options)
        faults += found
        if options.table:
            faults += compare(options.table.read_text(), options.target, cells)
        print(f"{options.target}: {sum(cell.cell != 'no' for cell in cells)} rows compile, "
              f"{sum(cell.cell == 'no' for cell in cells)} are refused")
    for fault in faults:
        print("FAULT", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

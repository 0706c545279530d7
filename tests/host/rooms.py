"""The rooms of the headers: what each may include and hold, its length, and that each compiles alone.

    rooms.py --root . --cxx g++ [--nvcc nvcc] --cuda-include DIR...

Prints every fault with file and line; exit code 1 if there is one.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

# The rooms whose headers a header may include.
MAY_INCLUDE = {
    "core": {"core"},
    "host": {"core", "host"},
    "device": {"core", "device"},
    "pipeline": {"core", "device", "pipeline"},
    "machine": {"core", "host", "machine"},
    "interop": {"core", "device", "pipeline", "interop"},  # with other libraries' headers, each opted into
}
UMBRELLA = "tma.hpp"
UMBRELLAS = {UMBRELLA, "all.hpp"}
LONGEST = 320

PTX = {f"device/ptx{part}.hpp" for part in ("", "_async", "_barrier", "_checked", "_cluster", "_grid", "_launch", "_modes", "_prefetch", "_reduce", "_tensormap", "_text", "_where")}

# The two ends of each header, which put aside macros of the user; config.hpp has no name to protect.
GUARD = ("core/prologue.hpp", "core/epilogue.hpp")
UNGUARDED = {*GUARD, "core/macros_aside.hpp", "core/macros_back.hpp", "core/config.hpp", "machine/cuda.hpp"}

# Words that belong to one header, with the others that may hold them too.
BELONGS = {
    r"\basm\b": PTX,
    r"\bthreadIdx\b": PTX,
    r"\bblockIdx\b": PTX | {"device/check.hpp"},
    r"(?<!\.)\bblockDim\b": PTX,  # a launch configuration has a member of this name
    r"\b__syncthreads\w*": PTX,
    r"\b__cvta\w*": PTX,
}

# No file: what ends a compilation behind an #error.
STOP = "the error above says why tma does not compile here"

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def without_comments(text):
    """Comments become blanks of the same lines; texts stay, so that #include does."""
    def blank(match):
        found = match.group(0)
        return re.sub(r"[^\n]", " ", found) if found.startswith("/") else found
    return COMMENT_OR_TEXT.sub(blank, text)


def without_texts(code):
    return COMMENT_OR_TEXT.sub(lambda match: '""' + "\n" * match.group(0).count("\n"), code)


def room_of(name):
    return name.split("/")[0] if "/" in name else None


def check_texts(include, headers):
    """Faults of the texts, and the graph of includes."""
    faults, graph = [], {name: [] for name in headers}
    for name in headers:
        text = (include / name).read_text()
        code = without_comments(text)
        room = room_of(name)
        if name not in UMBRELLAS and room not in MAY_INCLUDE:
            faults.append(f"{name}: no such room is known: put it in MAY_INCLUDE")
            continue
        lines = text.count("\n")
        if lines > LONGEST:
            faults.append(f"{name}: {lines} lines; a header has at most {LONGEST}")
        if name not in UNGUARDED - {"core/config.hpp"} and "#pragma once" not in code:
            faults.append(f"{name}: no #pragma once")
        faults += check_guard(name, code)
        for number, line in enumerate(code.splitlines(), 1):
            at = f"{name}:{number}"
            found = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if found and found.group(2) == STOP:
                continue
            if found and found.group(1) == '"':
                target = (include / name).parent / found.group(2)
                try:
                    wanted = target.resolve().relative_to(include.resolve()).as_posix()
                except ValueError:
                    faults.append(f"{at}: includes {found.group(2)}, which is no header of the library")
                    continue
                if wanted not in graph and not (room == "machine" and target.exists()):
                    faults.append(f"{at}: includes {wanted}, which does not exist")
                    continue
                if wanted in graph:
                    graph[name].append(wanted)
                if name in UMBRELLAS:
                    continue
                if wanted in UMBRELLAS or room_of(wanted) not in MAY_INCLUDE[room]:
                    faults.append(f"{at}: {room} includes {wanted}; it may include {', '.join(sorted(MAY_INCLUDE[room]))}")
            elif found and found.group(2).startswith("tma/"):
                faults.append(f"{at}: includes a header of its own library by <>: write a relative path")
            elif found and found.group(2).startswith("cuda/") and room != "interop":
                faults.append(f"{at}: includes <{found.group(2)}>, which costs more to compile than the library")
        for number, line in enumerate(without_texts(code).splitlines(), 1) if room != "machine" else ():  # it is a device
            for word, homes in BELONGS.items():
                if re.search(word, line) and name not in homes:
                    faults.append(f"{name}:{number}: {re.search(word, line).group(0)} belongs in {', '.join(sorted(homes))}")
    return faults, graph


def check_guard(name, code):
    """The prologue comes first, the epilogue last, and all of the library lies in the inline namespace."""
    faults = []
    public = not name.startswith(("machine/cuda/", "machine/detail/", "machine/include/"))
    if public and name not in UNGUARDED:
        lines = [line.strip() for line in code.splitlines() if line.strip()]
        ends = [lines[1] if len(lines) > 1 else "", lines[-1] if lines else ""]
        for line, end in zip(ends, GUARD):
            path = re.fullmatch(r'#include "(.*)"', line)
            if not path or pathlib.PurePosixPath(path.group(1)).name != end.split("/")[1]:
                faults.append(f"{name}: it must include {GUARD[0]} after #pragma once and {GUARD[1]} at its end")
                break
    for number, line in enumerate(code.splitlines(), 1):
        found = re.match(r"namespace tma\b(?!::machine\b|::inline TMA_ABI\b)", line)
        if found:
            faults.append(f"{name}:{number}: namespace tma is opened as `namespace tma::inline TMA_ABI`")
    return faults


def check_cycles(graph):
    faults, done = [], set()

    def visit(name, path):
        if name in path:
            faults.append("a circle of includes: " + " -> ".join(path[path.index(name):] + [name]))
        elif name not in done:
            for wanted in graph[name]:
                visit(wanted, path + [name])
            done.add(name)

    for name in graph:
        visit(name, [])
    return faults


def compile_alone(command, source, what):
    """The faults of one translation unit: any word of the compiler is one."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ("alone.cu" if "-ptx" in command else "alone.cpp")
        path.write_text(source)
        run = subprocess.run(command + [str(path)], capture_output=True, text=True, cwd=folder)
        said = (run.stdout + run.stderr).strip()
        return [f"{what} does not compile alone:\n{said}"] if run.returncode or said else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--nvcc")
    parser.add_argument("--cuda-include", nargs="+", default=[])
    options = parser.parse_args()

    options.root = options.root.resolve()
    include = options.root / "include" / "tma"
    headers = sorted(p.relative_to(include).as_posix() for p in include.rglob("*.hpp"))
    faults, graph = check_texts(include, headers)
    faults += check_cycles(graph)
    if not headers:
        faults.append(f"{include}: no headers")

    # A header of the host's side is its own translation unit. Those of the device's side are so under NVRTC, in host/nvrtc;
    # here all of them are one unit, in an order that no chain of includes has.
    warnings = ["-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{options.root / 'include'}"]
    system = [f"-isystem{folder}" for folder in options.cuda_include]
    work = []
    for name in headers:
        if name == UMBRELLA or room_of(name) in ("core", "host"):
            command = [options.cxx, "-fsyntax-only", *warnings, *system]
            work.append((command, f"#include <tma/{name}>\n#include <tma/{name}>\n", name))
    if options.nvcc:
        device = [n for n in headers if room_of(n) in ("device", "pipeline")]
        source = "".join(f"#include <tma/{n}>\n" for n in reversed(device)) + "__global__ void alone() {}\n"
        command = [options.nvcc, "-ptx", "-arch=sm_90a", "-std=c++20", "-Xcompiler=-Wall,-Wextra,-Werror",
                   "-Werror=all-warnings", f"-I{options.root / 'include'}", "-o", "alone.ptx"]
        work.append((command, source, "the device's side"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda w: compile_alone(*w), work):
            faults += found

    for fault in faults:
        print(fault)
    print(f"{len(headers)} headers, {len(work)} translation units, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

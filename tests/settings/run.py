#!/usr/bin/env python3
"""The library in the settings of other people's builds.

    run.py CASE --nvcc nvcc --include ../../include --examples ../../examples

CASE is one of:
    warnings        examples in relocatable device code, all of nvcc's warnings, -Wshadow and -Wsign-conversion, the headers
                    given by -I, and macros defined before the include: not a word of the library
    debug           examples with -G
    no_exceptions   a program compiled with -fno-exceptions: what try_ functions return, and how the others end it
    mixed           files of one program with different settings or versions share no symbol of the library, or do not link
    shared          two shared libraries of one process share no function that calls the CUDA runtime
"""
import argparse
import os
import pathlib
import re
import shutil
import string
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ARCHITECTURE = ["-std=c++20", "-gencode=arch=compute_90a,code=sm_90a"]

# Between them every header of the device's side.
EXAMPLES = ["cache", "cluster_multicast", "convolution", "exchange", "fallback", "grouped", "in_place", "mixed_stage",
            "persistent_scheduler", "reduce", "store_ring_transpose", "warp_specialized_gemv"]

# What programs are known to define. The library uses no name in capitals but its own.
MACROS = {**{letter: "1" for letter in string.ascii_letters}, "N": "1024", "T": "double",
          "check(status)": "do { if ((status) != 0) return 1; } while (0)",
          "min(first, second)": "((first) < (second) ? (first) : (second))",
          "max(first, second)": "((first) > (second) ? (first) : (second))",
          "abs(value)": "((value) < 0 ? -(value) : (value))", "swap(first, second)": "((first) ^= (second))",
          "error(text)": '"error: " text', "index(row, column)": "((row) * 64 + (column))", "major(device)": "(device)",
          "minor(device)": "(device)", "in": "const", "out": "&", "count": "10", "offset": "8", "rank": "0", "size": "32",
          "test": "1",
          **{name: "32" for name in """TILE TILE_SIZE TILE_M TILE_N BLOCK BLOCK_SIZE BM BN BK THREADS WARP WARP_SIZE WARPS STAGES
             ROWS COLUMNS COLS ROW COL WIDTH HEIGHT DEPTH SIZE COUNT LENGTH LEN BYTES INDEX RANK TYPE VALUE PI EPSILON EPS TRUE
             FALSE NONE NULLPTR OK SUCCESS FAIL ERROR DEBUG RELEASE VERSION MASK FULL_MASK HALF FLOAT CLUSTER STREAM SHAPE SWIZZLE
             LOAD STORE WAIT ARRIVE PHASE PARITY BARRIER STAGE KERNEL DEVICE HOST GLOBAL SHARED INLINE CONST LIKELY UNLIKELY
             ALIGN PACKED PUBLIC PRIVATE HIDDEN EXPORT API""".split()},
          **{f"{name}(x)": "((x))" for name in "CHECK CHECK_CUDA CUDA_CHECK ASSERT LOG ABS SQR UNUSED TEST REQUIRE".split()},
          **{f"{name}(x, y)": "((x) + (y))" for name in "MIN MAX SWAP CEIL_DIV DIV_UP CDIV ROUND_UP OFFSET AT".split()}}


def run(command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", **more)


def must(command, **more):
    """Runs what must succeed without a word."""
    done = run(command, **more)
    said = (done.stdout + done.stderr).strip()
    if done.returncode or said:
        print(" ".join(map(str, command)), said, sep="\n")
        sys.exit(f"FAILED: {'it ended with ' + str(done.returncode) if done.returncode else 'the compiler said something'}")


def macros_header(folder):
    """A header that includes the library among these macros, and ends without them."""
    path = folder / "macros.hpp"
    names = [macro.split("(")[0] for macro in MACROS]
    path.write_text("#pragma once\n" + "".join(f"#define {macro} {text}\n" for macro, text in MACROS.items()) +
                    "#include <tma/all.hpp>\n#include <tma/interop/cuda_barrier.hpp>\n"
                    'static_assert(N == 1024 && sizeof(T) == 8 && min(4, 3) == 3 && MAX(3, 4) == 7 && size == 32 && i + Z == 2);\n' +
                    "".join(f"#ifndef {name}\n#  error \"the library takes {name} away\"\n#endif\n#undef {name}\n" for name in names))
    return path


def warnings(given, folder):
    wanted = "-Wall,-Wextra,-Wshadow,-Wsign-conversion"
    for name in EXAMPLES:
        done = run([given.nvcc, *ARCHITECTURE, "-rdc=true", f"-Xcompiler={wanted}", f"-I{given.include}", "-include",
                    macros_header(folder), "-c", given.examples / f"{name}.cu", "-o", os.devnull])
        of_library = [line for line in (done.stdout + done.stderr).splitlines() if f"{given.include}/tma/" in line]
        if done.returncode or of_library:  # the examples are not written for all of these
            print(*(of_library or [done.stdout + done.stderr]), sep="\n")
            sys.exit(f"FAILED: {name}: the compiler said something of the library")
    print(f"{len(EXAMPLES)} examples, {len(MACROS)} macros: not a word")


def debug(given, folder):
    for name in EXAMPLES[1:4]:
        must([given.nvcc, *ARCHITECTURE, "-G", "-Werror=all-warnings", f"-I{given.include}", "-c", given.examples / f"{name}.cu",
              "-o", os.devnull])
    print("3 examples: not a word")


def no_exceptions(given, folder):
    program = folder / "program"
    must([given.nvcc, *ARCHITECTURE, "-Xcompiler=-fno-exceptions,-Wall,-Wextra,-Werror", f"-I{given.include}",
          HERE / "no_exceptions.cu", "-o", program])
    for case, wanted, status in (("try", "the error is returned", 0), ("make", "[T4] base = ", -6), ("launch", "[L", -6)):
        done = run([program, case])
        said = done.stdout + done.stderr
        print(f"{case}: {said.strip()}")
        if done.returncode != status or wanted not in said:
            sys.exit(f"FAILED: {case} ends with {done.returncode}, {status} wanted, and with the text '{wanted}'")


def weak_symbols(path):
    """The functions and variables of the library that a linker would merge with those of other files."""
    lines = run(["nm", "--defined-only", path]).stdout.splitlines()
    return {name for kind, name in (line.split()[-2:] for line in lines if len(line.split()) > 2)
            if kind in "uVvWwDdBb" and ("3tma" in name or "tma_" in name)}


def mixed(given, folder):
    newer = folder / "newer"
    shutil.copytree(given.include, newer)
    config = newer / "tma" / "core" / "config.hpp"
    text, times = re.subn(r"(?m)^(#define TMA_VERSION_PATCH) .*", r"\1 99", config.read_text())
    assert times == 1
    config.write_text(text)
    settings = {"plain": [], "again": [], "checked": ["-DTMA_CHECKED"], "per_thread": ["--default-stream=per-thread"],
                "no_exceptions": ["-Xcompiler=-fno-exceptions"], "debug": ["-G"], "newer": []}
    symbols = {}
    for name, flags in settings.items():
        include = newer if name == "newer" else given.include
        must([given.nvcc, *ARCHITECTURE, *flags, f"-I{include}", f"-DNAME={name}", "-c", HERE / "mixed.cu",
              "-o", folder / f"{name}.o"])
        symbols[name] = weak_symbols(folder / f"{name}.o")
    if len(symbols["plain"]) < 20 or symbols["plain"] != symbols["again"]:
        sys.exit("FAILED: the same settings have other symbols, or nothing was looked at")
    for one in settings:
        for other in settings:
            shared = symbols[one] & symbols[other] if one < other and {one, other} != {"plain", "again"} else ()
            if shared:
                sys.exit(f"FAILED: {one} and {other} share {len(shared)} symbols: {sorted(shared)[:5]}")
    # All of them in one program, each with the kernel and the errors that it was compiled with.
    main = folder / "main.cpp"
    main.write_text("".join(f"int use_{name}();\n" for name in settings) + "int main() { return " +
                    " + ".join(f"use_{name}()" for name in settings) + "; }\n")
    must([given.nvcc, main, *(folder / f"{name}.o" for name in settings), "-o", folder / "program"])
    must([folder / "program"])
    # What hands a type of the library from one to the other does not link.
    for name, flags in (("giver", []), ("taker", ["-DTMA_CHECKED"])):
        must([given.nvcc, *ARCHITECTURE, *flags, f"-I{given.include}", f"-DNAME={name}", f"-D{name.upper()}", "-c",
              HERE / "mixed.cu", "-o", folder / f"{name}.o"])
    done = run([given.nvcc, folder / "giver.o", folder / "taker.o", "-o", folder / "program"])
    if done.returncode == 0 or "take" not in done.stderr:
        sys.exit(f"FAILED: a descriptor of a release build is handed to a checked one, and it links\n{done.stderr}")
    print(f"{len(settings)} settings, {len(symbols['plain'])} symbols each: none is shared; a mixture by type does not link")


def shared(given, folder):
    must([given.nvcc, *ARCHITECTURE, "-Xcompiler=-fPIC", "-shared", f"-I{given.include}", "-DNAME=shared", HERE / "mixed.cu", "-o",
          folder / "libmixed.so"])
    lines = run(["nm", "-DC", "--defined-only", folder / "libmixed.so"]).stdout.splitlines()
    functions = [line.split(" ", 2)[2] for line in lines if re.match(r"\S+ [A-Za-z] tma::", line)]
    wrong = [line for line in functions if "::detail::" in line and not re.search(r"::detail::(Text|SharedBytes|Index64|SourceLine)\b", line)]
    if "tma::" not in run(["nm", "-C", "--defined-only", folder / "libmixed.so"]).stdout:
        sys.exit("FAILED: the library has nothing of tma: nothing was looked at")
    if wrong:
        sys.exit("FAILED: these are seen by other shared libraries:\n" + "\n".join(wrong))
    print(f"{len(functions)} functions of public types are exported, and nothing internal")


CASES = {"warnings": warnings, "debug": debug, "no_exceptions": no_exceptions, "mixed": mixed, "shared": shared}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--include", type=pathlib.Path, required=True)
    parser.add_argument("--examples", type=pathlib.Path, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tma-settings-") as folder:
        CASES[given.case](given, pathlib.Path(folder))


if __name__ == "__main__":
    main()

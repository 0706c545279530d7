#!/usr/bin/env python3
"""What is not supported says so in one sentence: MSVC, Clang as the CUDA compiler, and headers with device code in a .cpp.

    refusals.py INCLUDE CUDA_INCLUDE COMPILER...    the library's headers, the toolkit's, and host compilers

Each header is compiled by each of the compilers as a .cpp of its own. It compiles, or its one error is the sentence.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

STOP = "the error above says why tma does not compile here"
DEVICE = "tma: this header has device code, and must be included in a .cu file"
# Of which a .cpp can do more than be told: what kernels keep in shared memory.
ON_HOSTS = """device/barrier_kinds device/barrier_word device/load_barrier device/mbarrier pipeline/cluster_parts pipeline/in_place
pipeline/pipeline pipeline/stage_copies pipeline/stage_parts pipeline/store_stages pipeline/turns""".split()


def errors(command, text):
    done = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=text, capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if re.search(r"\berror:", line)], done.stderr


def refused(found, sentence):
    return len(found) == 2 and sentence in found[0] and STOP in found[1]


def main(include, cuda_include, *compilers):
    include, wrong = pathlib.Path(include), []
    headers = sorted(path.relative_to(include).as_posix() for room in ("device", "pipeline", "host", "core")
                     for path in (include / "tma" / room).rglob("*.hpp"))

    def look(job):
        compiler, header = job
        found, said = errors([compiler, "-std=c++20", f"-I{include}", f"-isystem{cuda_include}"], f"#include <{header}>\n")
        room, name = header.split("/")[1], header.removeprefix("tma/").removesuffix(".hpp")
        if room in ("device", "pipeline") and name not in ON_HOSTS:
            right = not found or refused(found, DEVICE)
        else:
            right = not found
        return None if right else f"{compiler}: <{header}>\n{said}"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(compiler, header) for compiler in compilers for header in headers]
        wrong += filter(None, pool.map(look, jobs))

    for define, sentence in (("-D_MSC_VER=1940", "tma: MSVC is not supported"), ("-D__CUDA__", "tma: Clang as the CUDA compiler")):
        for compiler in compilers:
            if define == "-D__CUDA__" and "clang" not in compiler:
                continue
            found, said = errors([compiler, "-std=c++20", define, f"-I{include}", f"-isystem{cuda_include}"], "#include <tma/tma.hpp>\n")
            if not refused(found, sentence):
                wrong.append(f"{compiler} {define}\n{said}")
    for text in wrong:
        print(text)
    print(f"{len(headers)} headers, {len(compilers)} compilers, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

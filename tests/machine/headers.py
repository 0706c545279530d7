#!/usr/bin/env python3
"""What every file that is compiled for the simulator reads: headers of the project, of the host compiler, of Boost and of
Catch2 (the sweep's of CLI11 as well). Any other path fails, wherever it lies: also a toolkit's header that the compiler
finds by itself.

    headers.py BUILD FOLDER...    BUILD is a build tree of Ninja's, the folders are the project's own
"""
import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# The host compiler's headers are those that a file with these reads: what they include in turn has other names elsewhere.
HOST = """algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
clocale cmath compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib
cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream functional future
initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex new
numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex
source_location span sstream stack stdexcept stop_token streambuf string string_view syncstream system_error thread tuple
type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version
assert.h complex.h ctype.h cxxabi.h dlfcn.h elf.h execinfo.h fcntl.h fenv.h float.h inttypes.h limits.h link.h locale.h malloc.h math.h
pthread.h sched.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h sys/mman.h
sys/resource.h sys/stat.h sys/time.h sys/types.h sys/wait.h ucontext.h unistd.h""".split()
LIBRARIES = ("boost", "catch2")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout}{done.stderr}")
    return done.stdout


def paths(rule, folder):
    """The files of a Makefile's rule, links resolved."""
    names = rule.split(":", 1)[1].replace("\\\n", " ").split()
    return {str((folder / name).resolve()) for name in names}


def preprocess(command, folder):
    """The files of a unit that is not built yet."""
    words = shlex.split(command)
    for option, count in (("-o", 2), ("-MF", 2), ("-MT", 2), ("-MD", 1)):
        while option in words:
            del words[words.index(option) : words.index(option) + count]
    return paths(run([*words, "-M", "-MT", "unit"], cwd=folder), folder)


def host_headers(command):
    """Of the compiler of a unit, as that unit asks for its standard library."""
    words = shlex.split(command)
    kept = [word for word in words[1:] if re.match(r"-(O|std|stdlib|m|f(?!sanitize)|isysroot|-sysroot|-target)", word)]
    text = "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in HOST)
    # The C library's headers as the units of either kind see them.
    return paths(run([words[0], *kept, "-pthread", "-M", "-MT", "unit", "-x", "c++", "-"], input=text), Path("/"))


def main(build, *folders):
    build = Path(build).resolve()
    text = run(["ninja", "-C", build, "-t", "compdb"])
    units = {
        unit["output"]: unit
        for unit in json.loads(text[text.index("[\n") :])
        if unit["command"].endswith("tma/machine/machine.cpp") or "-include tma/machine/cuda.hpp" in unit["command"]
    }
    if not units:
        sys.exit("no file is compiled for the simulator")

    read, unit = {}, None
    for line in run(["ninja", "-C", build, "-t", "deps"]).splitlines():
        if not line.startswith(" "):
            unit = line.split(":")[0]
        elif unit in units and line.strip():
            read.setdefault(unit, set()).add(str((build / line.strip()).resolve()))
    rest = [name for name in units if name not in read]
    with ThreadPoolExecutor(2) as pool:
        read.update(zip(rest, pool.map(lambda name: preprocess(units[name]["command"], build), rest)))

    own = [str(Path(folder).resolve()) + "/" for folder in (build, *folders)]
    host, elsewhere = {}, {}
    for name, unit in units.items():
        compiler = shlex.split(unit["command"])[0]
        if compiler not in host:
            host[compiler] = host_headers(unit["command"])
            # Its own folder: intrinsics, and what the sanitizers are told of.
            host[compiler].add(folder := str(Path(run([compiler, "-print-file-name=include"]).strip()).resolve()) + "/")
            own.append(folder)
        libraries = (*LIBRARIES, "CLI") if "sweep" in name else LIBRARIES
        for path in read[name]:
            if path in host[compiler] or path.startswith(tuple(own)) or any(f"/{part}/" in path for part in libraries):
                continue
            elsewhere.setdefault(path, []).append(name)
    for path, names in sorted(elsewhere.items()):
        print(f"{path}: read by {len(names)} files for the simulator, of which {sorted(names)[0]} is one")
    print(f"{len(units)} files, {len(elsewhere)} headers from elsewhere")
    return 1 if elsewhere else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

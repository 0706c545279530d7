#!/usr/bin/env python3
"""nvcc for device code alone, of a toolkit that comes without an nvcc: PyPI has none of CUDA 12.

    nvrtc.py -ptx|-cubin|-c -std=c++20 -gencode=arch=compute_90a,code=sm_90a [-I DIR] [-D...] FILE.cu -o OUT

The front end and the optimiser are those of the toolkit's NVRTC, which are nvcc's; ptxas is the toolkit's own. It stands in
for nvcc in tests/codegen and tests/compile_fail, and takes the options that they give. What it cannot do is host code: NVRTC
reads no body of a host function, and sees no header of the host's library.

The toolkit is the folder above the one that this file, or a link to it, lies in; else TMA_TOOLKIT names it.
"""
import argparse
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__)
TOOLKIT = pathlib.Path(os.environ.get("TMA_TOOLKIT") or HERE.absolute().parent.parent)


class Nvrtc:
    def __init__(self):
        libraries = sorted((TOOLKIT / "lib").glob("libnvrtc.so.*[0-9]"))
        if not libraries:
            sys.exit(f"{TOOLKIT}/lib: no NVRTC")
        # It looks for its built-in functions by name alone.
        for builtins in (TOOLKIT / "lib").glob("libnvrtc-builtins.so.*"):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(libraries[0]))

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status not in (0, 6):  # 6: the program does not compile, which the log tells
            sys.exit(f"{name}: NVRTC says {status}")
        return status == 0

    def text(self, program, what):
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{what}", program, text)
        return text.value.decode(errors="replace")

    def compile(self, source, options):
        """Whether it compiles, what is said of it, and the PTX."""
        program = ctypes.c_void_p()
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        self.call("nvrtcCreateProgram", ctypes.byref(program), pathlib.Path(source).read_bytes(), str(source).encode(), 0,
                  None, None)
        compiles = self.call("nvrtcCompileProgram", program, len(options), given)
        return compiles, self.text(program, "ProgramLog"), self.text(program, "PTX") if compiles else ""


def main():
    # Not allow_abbrev: -DFIXED is no abbreviation of anything.
    parser = argparse.ArgumentParser(prefix_chars="-", allow_abbrev=False)
    for flag in ("-ptx", "-cubin", "-c", "--keep"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("-std", default="c++20")
    parser.add_argument("-gencode", required=True)
    parser.add_argument("-Werror", default="")
    parser.add_argument("-Xptxas", action="append", default=[])
    parser.add_argument("-I", action="append", default=[])
    parser.add_argument("--keep-dir")
    parser.add_argument("-o", required=True)
    given, rest = parser.parse_known_args()
    sources = [word for word in rest if not word.startswith("-")]
    flags = [word for word in rest if word.startswith("-") and word != "-O3"]  # NVRTC's own level
    if len(sources) != 1:
        sys.exit(f"one source, not {sources}")
    source = sources[0]
    virtual, real = (part.split("=")[1] for part in given.gencode.split(","))

    include = [HERE.resolve().parent / "nvrtc", *given.I, pathlib.Path(source).absolute().parent, TOOLKIT / "include"]
    options = [f"--std={given.std}", f"--gpu-architecture={virtual}", *(f"--include-path={folder}" for folder in include),
               "--pre-include=before.hpp", "-default-device", *flags]
    compiles, said, ptx = Nvrtc().compile(source, options)
    if given.Werror:
        said = said.replace("): warning #", "): error #")
    sys.stderr.write(said)
    if not compiles or (given.Werror and said.strip()):
        return 1
    if given.ptx:
        pathlib.Path(given.o).write_text(ptx)
        return 0
    with tempfile.TemporaryDirectory(prefix="tma-nvrtc-") as folder:
        kept = pathlib.Path(given.keep_dir or folder) / (pathlib.Path(source).stem + ".ptx")
        kept.write_text(ptx)
        done = subprocess.run([TOOLKIT / "bin" / "ptxas", f"-arch={real}", *given.Xptxas, kept, "-o", given.o],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="")
    return done.returncode or int(bool(given.Werror) and "warning" in done.stdout)


if __name__ == "__main__":
    sys.exit(main())

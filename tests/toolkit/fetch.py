#!/usr/bin/env python3
"""Fetches a CUDA toolkit's compiler from PyPI.

    fetch.py VERSION FOLDER     VERSION: 12.8, 12.9, 13.0, ..., or newest

FOLDER becomes a toolkit as an installer would lay it: bin, include, lib (and lib64), nvvm. A toolkit that is there already is
kept, unless a newer release of it was asked for by `newest`. Prints the release, such as 13.0.

CUDA 13 has an nvcc there. CUDA 12 has ptxas, NVRTC, the headers and the runtime as a shared object, and no nvcc: nvrtc.py
stands in for it, as bin/nvrtc.

Exit code 0: it is there. 77: PyPI could not be reached. 1: anything else, such as a version that does not exist.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
PACKAGES = {
    12: ["nvidia-cuda-nvcc-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvrtc-cu12"],
    13: ["nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-nvvm", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc"],
}
# CCCL has the toolkit's numbers until 13.2, and then its own behind the first.
CCCL = {12: "nvidia-cuda-cccl-cu12", 13: "nvidia-cuda-cccl"}
# Version numbers of its own for each toolkit until 13.1; a newer one reads what an older compiler wrote.
DISASSEMBLER = "nvidia-cuda-nvdisasm"
UNREACHABLE = re.compile(r"connection broken|NewConnectionError|Connect(ion)?Timeout|ConnectionReset|Max retries exceeded|"
                         r"Read timed out|name resolution|Name or service not known|Network is unreachable|"
                         r"Connection refused|Cannot connect to proxy|50[0-9] Server Error")


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "2", "--timeout", "20", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()
        print(f"{' '.join(command)}\n{said}", file=sys.stderr)
        sys.exit(SKIP if UNREACHABLE.search(said) else 1)
    return done.stdout


def newest():
    """The newest release for which all packages are there: they do not appear in the same hour."""
    releases = [{tuple(map(int, release.split(".")[:2])) for release in
                 re.search(r"Available versions: (.*)", pip("index", "versions", package))[1].split(", ")}
                for package in PACKAGES[13]]
    return ".".join(map(str, max(set.intersection(*releases))))


def lay_out(packages, toolkit, folder):
    """nvidia/cu13/* or nvidia/<part>/* of the packages becomes one toolkit."""
    for part in sorted((packages / "nvidia").iterdir()):
        if part.is_dir():
            shutil.copytree(part, toolkit, dirs_exist_ok=True, copy_function=os.replace)
    lib = toolkit / "lib"
    (toolkit / "lib64").symlink_to("lib")
    for library in lib.glob("*.so.*"):
        name = library.name.split(".so.")[0] + ".so"
        if ".alt." not in library.name and not (lib / name).exists():
            (lib / name).symlink_to(library.name)
    if not (toolkit / "bin" / "nvcc").exists():
        driver = pathlib.Path(__file__).resolve().parent / "nvrtc.py"
        (toolkit / "bin" / "nvrtc").symlink_to(os.path.relpath(driver, folder.resolve() / "bin"))
    for program in (*(toolkit / "bin").iterdir(), *(toolkit / "nvvm").glob("bin/*")):
        if program.is_file() and not program.is_symlink():
            program.chmod(0o755)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    version, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    release_file = folder / "release"
    if version != "newest" and release_file.exists():
        print(release_file.read_text())
        return
    release = newest() if version == "newest" else version
    if not re.fullmatch(r"1[23]\.\d+", release):
        sys.exit(f"version = '{version}': a toolkit's release is two numbers, from 12.8 on. Fix: 12.8, 13.0 or newest")
    major, minor = map(int, release.split("."))
    if release_file.exists() and release_file.read_text() == release:
        print(release)
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder.parent) as work:
        packages, toolkit = pathlib.Path(work) / "packages", pathlib.Path(work) / "toolkit"
        print(f"fetching CUDA {release} from PyPI", file=sys.stderr)
        pip("install", "--quiet", "--no-deps", "--no-compile", "--target", str(packages), DISASSEMBLER,
            CCCL[major] + (f"=={release}.*" if (major, minor) <= (13, 2) else f">={major}.3"),
            *(f"{package}=={release}.*" for package in PACKAGES[major]))
        lay_out(packages, toolkit, folder)
        (toolkit / "release").write_text(release)
        if folder.exists():
            shutil.rmtree(folder)
        toolkit.rename(folder)
    print(release)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compile time of scale_2d on the library, by hand, and on what others have: alternating runs, medians, and their ratios.

    ./dev bench compile_time [--runs 9] [--output docs/results/compile_time.csv] [--goals FILE]

CuTe's is measured where its headers are: the folder TMA_BENCH_CUTLASS, or that of the package nvidia-cutlass in build/venv.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLAGS = ["-std=c++20", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-I", str(ROOT / "include"), "-c", "-o", "/dev/null"]
GOAL = 1.3  # times raw
GOAL_CUTE = 5  # times the library
FIX_CUTE = "build/venv/bin/pip install --no-deps nvidia-cutlass==4.2.0.0, or name its include folder: TMA_BENCH_CUTLASS"


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def cutlass_headers():
    """The folder of CuTe's headers, or None."""
    named = os.environ.get("TMA_BENCH_CUTLASS")
    folders = [pathlib.Path(named)] if named else ROOT.glob("build/venv/lib/python3*/site-packages/cutlass_library/source/include")
    return next((folder for folder in folders if (folder / "cute" / "tensor.hpp").exists()), None)


def variants():
    """Each name with its source and the flags that it alone needs."""
    all_of_them = {name: (HERE / f"{name}.cu", []) for name in ("empty", "raw", "tma", "ptx_barrier")}
    headers = cutlass_headers()
    if headers:
        all_of_them["cute"] = (HERE / "cute.cu", ["--expt-relaxed-constexpr", "-I", str(headers)])
    return all_of_them


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(source, flags):
    """Of processor time, which other work on the computer disturbs less than the clock's. nvcc's steps run one after the other."""
    start = processor_seconds()
    subprocess.run(["nvcc", *FLAGS, *flags, str(source)], check=True)
    return processor_seconds() - start


def goals(median):
    """Rows of the summary: claim, unit, ours, peer, its name, ratio, goal. Times: the ratio is the peer's to ours."""
    claims = [("compile_time_vs_raw", "raw", "raw PTX", 1 / GOAL), ("compile_time_vs_cute", "cute", "CuTe", GOAL_CUTE)]
    return [
        f"{claim},s,{median['tma']:.5g},{median[peer]:.5g},{name},{median[peer] / median['tma']:.4f},{goal:.4g}"
        for claim, peer, name, goal in claims
        if peer in median
    ]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--goals", type=pathlib.Path)
    arguments = parser.parse_args()

    measured = variants()
    if "cute" not in measured:
        print(f"CuTe's headers are not here: it is not measured. Fix: {FIX_CUTE}", file=sys.stderr)
    times = {name: [] for name in measured}
    for variant in measured.values():
        seconds(*variant)  # the files are in the cache from here on
    for _ in range(arguments.runs):
        for name, variant in measured.items():
            times[name].append(seconds(*variant))
        for name in ("raw", "tma") * 2:  # they are short, and what a few runs say of their ratio changes by a tenth
            times[name].append(seconds(*measured[name]))
    median = {name: statistics.median(values) for name, values in times.items()}
    ratio = median["tma"] / median["raw"]

    release = output_of("nvcc", "--version").splitlines()[-2].split("release ")[-1].split(",")[0]
    lines = [
        f"# toolkit: CUDA {release}",
        f"# compiler: {output_of('g++', '-dumpfullversion')}",
        f"# commit: {output_of('git', '-C', str(ROOT), 'describe', '--always', '--dirty', '--abbrev=12')}",
        f"# command: nvcc {' '.join(FLAGS[:3])} -c, {arguments.runs} alternating runs, three times as many of raw and tma; "
        "seconds of processor time",
        "translation_unit,median_s,fastest_s,ratio_to_raw",
    ]
    lines += [f"{name},{median[name]:.3f},{min(times[name]):.3f},{median[name] / median['raw']:.3f}" for name in measured]
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if arguments.output:
        write(arguments.output, text)
    if arguments.goals:
        write(arguments.goals, "\n".join(goals(median)) + "\n")
    print(f"tma / raw = {ratio:.2f} (goal: at most {GOAL})")
    if "cute" in median:
        print(f"cute / tma = {median['cute'] / median['tma']:.2f} (goal: at least {GOAL_CUTE})")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())

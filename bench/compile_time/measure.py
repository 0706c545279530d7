#!/usr/bin/env python3
"""Compile time of scale_2d on the library and by hand: alternating runs, medians, and their ratio.

    ./dev bench compile_time [--runs 9] [--output docs/results/compile_time.csv]
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLAGS = ["-std=c++20", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-I", str(ROOT / "include"), "-c", "-o", "/dev/null"]
GOAL = 1.3


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def seconds(source):
    start = time.perf_counter()
    subprocess.run(["nvcc", *FLAGS, str(source)], check=True)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()

    empty = HERE / "empty.cu"
    sources = {"empty": empty, "raw": HERE / "raw.cu", "tma": HERE / "tma.cu"}
    times = {name: [] for name in sources}
    for source in sources.values():
        seconds(source)  # the files are in the cache from here on
    for _ in range(arguments.runs):
        for name, source in sources.items():
            times[name].append(seconds(source))
    median = {name: statistics.median(values) for name, values in times.items()}
    ratio = median["tma"] / median["raw"]

    release = output_of("nvcc", "--version").splitlines()[-2].split("release ")[-1].split(",")[0]
    lines = [
        f"# toolkit: CUDA {release}",
        f"# compiler: {output_of('g++', '-dumpfullversion')}",
        f"# commit: {output_of('git', '-C', str(ROOT), 'describe', '--always', '--dirty', '--abbrev=12')}",
        f"# command: nvcc {' '.join(FLAGS[:3])} -c, {arguments.runs} alternating runs",
        "translation_unit,median_s,fastest_s,ratio_to_raw",
    ]
    lines += [f"{name},{median[name]:.3f},{min(times[name]):.3f},{median[name] / median['raw']:.3f}" for name in sources]
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(text)
    print(f"tma / raw = {ratio:.2f} (goal: at most {GOAL})")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())

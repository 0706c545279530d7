#!/usr/bin/env python3
"""Gathers the rows that benches wrote with --goals into one table, a claim a row, in the order of the claims below.

    bench/summary.py build/bench/goals -o docs/results/h200/summary.csv

The machine is the one that one of the benches' results names (--like FILE.csv). Compile times need no GPU and may be of another
computer and commit: those that their results name (--compile-time FILE.csv) are in the head as well. Exit code 1 where a claim
has no row.
"""
import argparse
import csv
import pathlib
import sys

CLAIMS = ["codegen", "compile_time_vs_raw", "compile_time_vs_cute", "read", "copy", "copy_2d", "triad", "multicast2", "multicast4",
          "transpose_f32", "transpose_f16", "softmax", "gemm_4096", "gemm_8192", "gemm_tma_over_cp_async", "skinny_gemm", "advise"]
COLUMNS = ["claim", "unit", "ours", "peer", "peer_name", "ratio", "goal"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="of the files that --goals wrote")
    parser.add_argument("--like", type=pathlib.Path, help="results whose head names the machine")
    parser.add_argument("--compile-time", type=pathlib.Path, help="results of bench compile_time")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()

    found = {}
    for path in sorted(arguments.folder.glob("*.csv")):
        for row in csv.reader(path.read_text().splitlines()):
            if len(row) != len(COLUMNS):
                sys.exit(f"summary: {path}: {','.join(row)}: {len(COLUMNS)} columns are wanted")
            found[row[0]] = row
    head = []
    if arguments.like:
        head = [line for line in arguments.like.read_text().splitlines()
                if line.startswith(("# gpu:", "# driver:", "# toolkit:", "# commit:"))]
    if arguments.compile_time:
        head += [f"# compile_time: {line[2:]}" for line in arguments.compile_time.read_text().splitlines()
                 if line.startswith(("# compiler:", "# commit:"))]
    head += ["# command: bench all", "# ratio: ours to peer, above 1 is ahead; of times, the peer's to ours. goal: the ratio asked for"]
    rows = [found[claim] for claim in CLAIMS if claim in found]
    rows += [row for claim, row in found.items() if claim not in CLAIMS]
    text = "\n".join(head + [",".join(COLUMNS)] + [",".join(row) for row in rows]) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    for row in rows:
        met = float(row[5]) >= float(row[6])
        print(f"{'met    ' if met else 'NOT MET'} {row[0]:24} {row[2]:>9} against {row[3]:>9} {row[1]:12} {float(row[5]):.3f}x, "
              f"goal {float(row[6]):.3f}x ({row[4]})")
    missing = [claim for claim in CLAIMS if claim not in found]
    if missing:
        print(f"summary: no row of {', '.join(missing)}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws a sweep's CSV: speed-up against arithmetic intensity, and the read-only scan beside it where there is one.

    bench/plot.py docs/results/h200/sweep-hbm.csv [-o sweep-hbm.png]
"""
import argparse
import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def read(path):
    """The rows of a results file, and what its comment lines say of the machine."""
    lines = path.read_text().splitlines()
    notes = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ": " in line)
    return list(csv.DictReader(line for line in lines if line and not line.startswith("#"))), notes


def draw_speedups(axes, rows):
    intensity = [int(row["fma_iters"]) for row in rows]
    for column in rows[0]:
        if column.startswith("speedup_"):
            values = [float(row[column]) for row in rows]
            axes.plot(intensity, values, marker="o", markersize=3, label=column[len("speedup_"):])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("multiply-adds for each element")
    axes.set_ylabel("speed-up against sync")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)


def draw_reads(axes, rows):
    for tile in sorted({int(row["tile_bytes"]) for row in rows}):
        points = sorted((int(r["bytes_in_flight_per_sm"]) / 1024, float(r["gb_per_s"])) for r in rows if int(r["tile_bytes"]) == tile)
        axes.plot(*zip(*points), marker="o", markersize=3, linestyle="", label=f"{tile // 1024} KiB tiles")
    axes.set_xscale("log", base=2)
    axes.set_xlabel("KiB in flight for each SM")
    axes.set_ylabel("GB/s, reading only")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="the picture [the CSV's name with .png]")
    arguments = parser.parse_args()

    rows, notes = read(arguments.csv)
    reads_path = arguments.csv.with_name(arguments.csv.stem + "-read.csv")
    reads = read(reads_path)[0] if reads_path.exists() else []
    figure, axes = plt.subplots(1, 2 if reads else 1, figsize=(12 if reads else 7, 4.5), squeeze=False)
    draw_speedups(axes[0][0], rows)
    if reads:
        draw_reads(axes[0][1], reads)
    figure.suptitle(f"{arguments.csv.stem}, {notes.get('gpu', 'unknown GPU')}, driver {notes.get('driver', '?')}", fontsize=10)
    figure.tight_layout()
    figure.savefig(arguments.output or arguments.csv.with_suffix(".png"), dpi=130)


if __name__ == "__main__":
    main()

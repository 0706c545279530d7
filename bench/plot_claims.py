#!/usr/bin/env python3
"""Draws what `./dev bench` wrote: a picture a bench beside its CSV, and one of the summary.

    bench/plot_claims.py docs/results/h200                 all of a folder
    bench/plot_claims.py docs/results/h200/bandwidth.csv   one
"""
import argparse
import pathlib
import sys
import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from plot import read  # noqa: E402

COLOURS = {"ours": "tab:green", "hand": "tab:blue", "plain": "tab:gray", "peer": "tab:orange", "limit": "black"}
AGAINST_BYTES_IN_FLIGHT = {"bandwidth", "overlap"}
MOST_BARS = 16  # of a panel; of more the best of each kind are drawn
MOST_PANELS = 12


def value(row, column="median"):
    return float(row[column])


def is_time(row):
    return row["unit"] in ("ns", "us", "cycles", "s")


def panels_of(rows):
    """The rows of each point and mode, in the order of the file."""
    panels = {}
    for row in rows:
        panels.setdefault((row["point"], row["mode"], row["unit"]), []).append(row)
    return panels


def fewer(rows):
    """Not more bars than can be read: of each kind the best."""
    if len(rows) <= MOST_BARS:
        return rows
    kinds = {}
    for row in sorted(rows, key=value, reverse=not is_time(rows[0])):
        kinds.setdefault(row["kind"], []).append(row)
    share = max(1, MOST_BARS // len(kinds))
    return [row for of_kind in kinds.values() for row in of_kind[:share]]


def draw_bars(axes, title, rows):
    rows = fewer(rows)
    names = [textwrap.shorten(row["variant"], 56, placeholder=" ...") for row in rows]
    middle = [value(row) for row in rows]
    whiskers = [[max(0, value(row) - value(row, "p5")) for row in rows], [max(0, value(row, "p95") - value(row)) for row in rows]]
    axes.barh(range(len(rows)), middle, xerr=whiskers, color=[COLOURS[row["kind"]] for row in rows], error_kw={"linewidth": 0.7})
    limits = {value(row, "limit") for row in rows} - {0}
    for limit in limits:
        axes.axvline(limit, color="black", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(rows)), names, fontsize=6)
    axes.invert_yaxis()
    axes.set_xlabel(rows[0]["unit"] + (", less is better" if is_time(rows[0]) else ""), fontsize=7)
    axes.set_title(title, fontsize=8)
    axes.tick_params(axis="x", labelsize=6)


def draw_in_flight(axes, title, rows):
    for kind, colour in COLOURS.items():
        points = [(value(row, "in_flight_per_sm") / 1024, value(row)) for row in rows
                  if row["kind"] == kind and value(row, "in_flight_per_sm") > 0]
        if points:
            axes.plot(*zip(*points), marker="o", markersize=3, linestyle="", color=colour, label=kind)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("KiB in flight for each SM", fontsize=7)
    axes.set_ylabel(rows[0]["unit"], fontsize=7)
    axes.set_ylim(bottom=0)
    axes.set_title(title, fontsize=8)
    axes.legend(fontsize=6)
    axes.grid(alpha=0.3)
    axes.tick_params(labelsize=6)


def draw_bench(path):
    rows, notes = read(path)
    if not rows or not {"point", "variant"} <= rows[0].keys():
        return  # another bench's
    panels = list(panels_of(rows).items())[:MOST_PANELS]
    across = min(3, len(panels))
    down = (len(panels) + across - 1) // across
    figure, axes = plt.subplots(down, across, figsize=(5.2 * across, 2.9 * down), squeeze=False)
    for place in axes.flat[len(panels):]:
        place.axis("off")
    for place, ((point, mode, _), of_point) in zip(axes.flat, panels):
        title = point if mode == "-" else f"{point}, {mode}"
        scattered = path.stem in AGAINST_BYTES_IN_FLIGHT and sum(value(row, "in_flight_per_sm") > 0 for row in of_point) > 4
        (draw_in_flight if scattered else draw_bars)(place, title, of_point)
    finish(figure, path, notes)


def draw_summary(path):
    rows, notes = read(path)
    figure, axes = plt.subplots(figsize=(7, 0.32 * len(rows) + 1.2))
    reached = [value(row, "ratio") / value(row, "goal") for row in rows]
    axes.barh(range(len(rows)), reached, color=["tab:green" if r >= 1 else "tab:red" for r in reached])
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [row["claim"] for row in rows], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlim(0, 2)
    axes.set_xlabel("ratio to the peer / ratio that was the goal (cut at 2)", fontsize=8)
    for place, row in enumerate(rows):
        axes.text(0.02, place, f"{value(row, 'ratio'):.3g}x of {row['peer_name']}", va="center", fontsize=6, color="white")
    finish(figure, path, notes)


def finish(figure, path, notes):
    figure.suptitle(f"{path.stem}, {notes.get('gpu', 'unknown GPU')}, driver {notes.get('driver', '?')}", fontsize=10)
    figure.tight_layout()
    figure.savefig(path.with_suffix(".png"), dpi=110, bbox_inches="tight")
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=pathlib.Path, nargs="+")
    for path in parser.parse_args().path:
        files = sorted(path.glob("*.csv")) if path.is_dir() else [path]
        if not files:
            sys.exit(f"plot_claims: {path}: no CSV is there")
        for file in files:
            (draw_summary if file.stem == "summary" else draw_bench)(file)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""docs/performance.md quotes docs/results/h200/summary.csv as it is, and that has a row for each claim: tests/docs/summary.py --root ."""
import argparse
import csv
import pathlib
import re
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--root", type=pathlib.Path, required=True)
root = parser.parse_args().root
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "bench"))
from summary import CLAIMS, COLUMNS  # noqa: E402

lines = (root / "docs/results/h200/summary.csv").read_text().splitlines()
rows = {row["claim"]: row for row in csv.DictReader(line for line in lines if not line.startswith("#"))}
page = (root / "docs/performance.md").read_text()
faults = [f"{claim}: no row in summary.csv" for claim in CLAIMS if claim not in rows]
for claim, row in rows.items():
    ours, peer, ratio, goal = (float(row[column]) for column in ("ours", "peer", "ratio", "goal"))
    if list(row) != COLUMNS or not any(abs(r - ratio) < 0.001 * ratio for r in (ours / peer, peer / ours)):
        faults.append(f"{claim}: {row}: the ratio is not that of ours and peer")
    quoted = re.search(rf"^\| `{claim}` \| ([\d.]+) \S+ \| ([\d.]+) \(.*\) \| ([\d.]+) \| [\d.]+ \|(.*)\|$", page, re.M)
    if not quoted:
        faults.append(f"{claim}: performance.md does not quote it")
    elif any(abs(float(shown) - value) > 0.002 * value for shown, value in zip(quoted.groups(), (ours, peer, ratio))):
        faults.append(f"{claim}: performance.md says {quoted[0]}, summary.csv {ours}, {peer}, {ratio}")
    elif ("not met" in quoted[4]) != (ratio < goal):
        faults.append(f"{claim}: performance.md says '{quoted[4].strip()}' of a ratio {ratio} and a goal {goal}")
print("\n".join(faults) or f"{len(rows)} rows, 0 faults")
sys.exit(bool(faults))

#!/usr/bin/env python3
"""Lays a device's and the machine's results of `differential` side by side, and says whether they are the same.

    tests/machine/compare.py device.csv machine.csv [-o docs/results/h200/machine-differential.csv]
    tests/machine/compare.py --kinds docs/results/h200/differential.csv machine.csv

The second compares results of `copies`: every line of the machine's file has one of the same kind, seed and count in the
device's, with the same hash and no mismatch.

The first may also be a file that an earlier run has laid side by side: its device's column is taken.

Exit code 0: every hash agrees; 1: some do not; 2: the files cannot be compared.
"""
import argparse
import csv
import pathlib
import sys

COLUMNS = ["first", "count", "loads", "stores", "bulk", "hash_h", "bytes_ok"]
SAME_CASES = ["first", "count", "loads", "stores", "bulk"]
KINDS = ["kind", "seed", "count", "hash", "mismatches"]
SIDE_BY_SIDE = ["seed", *SAME_CASES, "h200", "machine", "same"]


class Refused(Exception):
    def __init__(self, field, value, rule, fix):
        super().__init__(f"compare.py: {field} = {value}: {rule}. Fix: {fix}.")


def read(path):
    """The rows of a results file, and what its comment lines say."""
    try:
        lines = path.read_text().splitlines()
    except OSError as e:
        raise Refused("file", path, e.strerror.lower(), "run differential with --csv and this name") from None
    notes = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ": " in line)
    rows = list(csv.DictReader(line for line in lines if line and not line.startswith("#")))
    if rows and list(rows[0]) == SIDE_BY_SIDE:
        notes["seed"] = rows[0]["seed"]
        rows = [{**{c: row[c] for c in SAME_CASES}, "hash_h": row["h200"], "bytes_ok": row["count"] if row["same"] == "yes" else "0"}
                for row in rows]
    if not rows or list(rows[0]) != COLUMNS or any(None in row.values() for row in rows) or rows[-1]["first"] != "total":
        raise Refused("file", path, f"the columns are {','.join(COLUMNS)} and the last line is the total",
                      "let differential write it to its end")
    return rows, notes


def paired(device, machine):
    """The rows of both, which are of the same cases."""
    if len(device) != len(machine):
        raise Refused("rows", f"{len(device)} and {len(machine)}", "both files are of equally many cases",
                      "run both with the same --count")
    for d, m in zip(device, machine):
        for column in SAME_CASES:
            if d[column] != m[column]:
                raise Refused(column, f"{d[column]} and {m[column]}", f"both files are of the same cases (from {d['first']} on)",
                              "run both with the same --seed and --count, from the same commit")
    return list(zip(device, machine))


def write(path, pairs, device_notes, machine_notes):
    with path.open("w", newline="") as file:
        for key in ("gpu", "driver", "toolkit", "commit", "command"):
            file.write(f"# {key}: {device_notes.get(key, 'unknown')}\n")
        file.write(f"# machine: {machine_notes.get('gpu', 'unknown')}, commit {machine_notes.get('commit', 'unknown')}\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(SIDE_BY_SIDE)
        for d, m in pairs:
            out.writerow([device_notes["seed"], *(d[c] for c in SAME_CASES), d["hash_h"], m["hash_h"], "yes" if agree(d, m) else "no"])


def agree(d, m):
    """Every byte the same, and every barrier counted what it was to count."""
    return d["hash_h"] == m["hash_h"] and d["bytes_ok"] == m["bytes_ok"] == d["count"]


def read_kinds(path):
    """Lines by kind, seed and count; those of other columns are another program's."""
    try:
        lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    except OSError as e:
        raise Refused("file", path, e.strerror.lower(), "run copies with --csv and this name") from None
    rows = [dict(zip(KINDS, line.split(","))) for line in lines if line.split(",") != KINDS and line.count(",") == len(KINDS) - 1]
    if not rows:
        raise Refused("file", path, f"the columns are {','.join(KINDS)}", "let copies write it to its end")
    return {(row["kind"], row["seed"], row["count"]): row for row in rows}


def compare_kinds(arguments):
    device, machine = read_kinds(arguments.device), read_kinds(arguments.machine)
    different = 0
    for key, row in machine.items():
        name, other = f"{key[0]}, seed {key[1]}, {key[2]} copies", device.get(key)
        if not other:
            raise Refused(name, "missing", f"{arguments.device} has a line of the same kind, seed and count", "run both with the same --seed and --count")
        same = other["hash"] == row["hash"] and other["mismatches"] == row["mismatches"] == "0"
        different += not same
        print(f"{name}: " + ("every byte the same" if same else f"different ({other['mismatches']} mismatches on the device)"))
    return 1 if different else 0


def compare(arguments):
    device, device_notes = read(arguments.device)
    machine, machine_notes = read(arguments.machine)
    seeds = device_notes.get("seed"), machine_notes.get("seed")
    if seeds[0] is None or seeds[0] != seeds[1]:
        raise Refused("seed", f"{seeds[0]} and {seeds[1]}", "both files are of the same seed", "run both with the same --seed")
    pairs = paired(device, machine)
    if arguments.output:
        write(arguments.output, pairs, device_notes, machine_notes)
    different = [d for d, m in pairs[:-1] if not agree(d, m)]
    for d in different[:10]:
        print(f"cases {d['first']} to {int(d['first']) + int(d['count']) - 1}: different")
    total = pairs[-1][0]
    print(f"seed {seeds[0]}, {total['count']} cases ({total['loads']} loads, {total['stores']} stores, {total['bulk']} one-dimensional): "
          + (f"{len(different)} of {len(pairs) - 1} batches differ" if different else "every byte the same"))
    return 1 if different or not agree(*pairs[-1]) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("device", type=pathlib.Path, help="written on the device")
    parser.add_argument("machine", type=pathlib.Path, help="written on the machine")
    parser.add_argument("--kinds", action="store_true", help="results of `copies`, a line a kind")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="both hashes side by side, as CSV")
    try:
        arguments = parser.parse_args()
        sys.exit(compare_kinds(arguments) if arguments.kinds else compare(arguments))
    except Refused as e:
        print(e, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()

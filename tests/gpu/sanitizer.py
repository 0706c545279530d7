#!/usr/bin/env python3
"""Runs test programs under a tool of compute-sanitizer: no report, but for those that sanitizer_known.txt explains.

    sanitizer.py TOOL --probe PROGRAM [--sanitizer PATH] PROGRAM...
    sanitizer.py TOOL --log FILE                    judges the output of a run

Exit code 77: no device, or no compute-sanitizer (it comes with some toolkit installations, else from PyPI:
nvidia-cuda-sanitizer-api).
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MARK = "========="
# Lines of the tool that report nothing.
QUIET = re.compile(r"COMPUTE-SANITIZER|(ERROR|RACECHECK|LEAK) SUMMARY: *0 |(ERROR|RACECHECK) SUMMARY|Target application|"
                   r"No attached|Error: process didn't terminate|Generated |Warning: .*(device-side|backtrace)")


def reports(text):
    """The reports of a run, each with the lines that belong to it."""
    found, inside = [], False
    for line in text.splitlines():
        if not line.startswith(MARK) or not line.strip("="):  # a line of the program's own output
            continue
        said = line[len(MARK):]
        if not said.strip():
            inside = False
        elif said.startswith("     "):
            if inside:
                found[-1].append(said.rstrip())
        else:
            inside = not QUIET.search(said)
            if inside:
                found.append([said.strip()])
    return ["\n".join(lines) for lines in found]


def known(tool):
    """What is explained: (pattern, why)."""
    rows = []
    for number, line in enumerate((HERE / "sanitizer_known.txt").read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" | ")]
        if len(parts) != 3 or parts[0] not in ("memcheck", "racecheck", "synccheck"):
            sys.exit(f"sanitizer_known.txt:{number}: not of the form: TOOL | PATTERN | WHY")
        if parts[0] == tool:
            rows.append((re.compile(parts[1], re.S), parts[2]))
    return rows


def left_out(tool, name):
    """Test cases of a program that are not run under a tool: what excludes them, and why."""
    prefix = f"leave out {name}: "
    rows = [(pattern.pattern, why) for pattern, why in known(tool)]
    return [(pattern[len(prefix):], why) for pattern, why in rows if pattern.startswith(prefix)]


def judge(tool, name, text):
    """Prints what was found in one program's output; the number of reports that nothing explains."""
    explained, rest = {}, []
    for report in reports(text):
        why = next((why for pattern, why in known(tool) if pattern.search(report)), None)
        if why:
            explained[why] = explained.get(why, 0) + 1
        else:
            rest.append(report)
    print(f"{tool} {name}: {len(rest)} reports, {sum(explained.values())} explained")
    for why, count in explained.items():
        print(f"    {count} times: {why}")
    for report in rest[:20]:
        print("    " + report.replace("\n", "\n    "))
    return len(rest)


def find_sanitizer(given):
    places = [given, os.environ.get("TMA_SANITIZER"), shutil.which("compute-sanitizer")]
    places += [str(p) for p in map(pathlib.Path, sys.path) for p in p.glob("nvidia/cu*/bin/compute-sanitizer")]
    return next((place for place in places if place and os.access(place, os.X_OK)), None)


def skip(why):
    print(f"SKIPPED 1 gpu tests: {why}")
    sys.exit(77)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", choices=["memcheck", "racecheck", "synccheck"])
    parser.add_argument("--probe")
    parser.add_argument("--sanitizer")
    parser.add_argument("--log")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_intermixed_args()

    if args.log:
        return 1 if judge(args.tool, args.log, pathlib.Path(args.log).read_text()) else 0

    if args.probe and subprocess.run([args.probe]).returncode == 77:
        return 77
    sanitizer = find_sanitizer(args.sanitizer)
    if not sanitizer:
        skip("no compute-sanitizer here: pip install nvidia-cuda-sanitizer-api, and name the program in TMA_SANITIZER, a "
             "CMake or an environment variable")
    extra = ["--leak-check", "no"] if args.tool == "memcheck" else []
    failed = 0
    for program in args.programs:
        name = pathlib.Path(program).name
        skipped = left_out(args.tool, name)
        for case, why in skipped:
            print(f"{args.tool} {name}: without \"{case}\": {why}")
        with tempfile.TemporaryDirectory(prefix="tma-sanitizer-") as folder:
            # A file of the tool's own: the program's output breaks lines of it. Its limit on what it prints would hide the rest.
            log = pathlib.Path(folder, "log")
            run = subprocess.run([sanitizer, "--tool", args.tool, "--print-limit", "1000", "--log-file", log, *extra, program,
                                  *(f"~{case}" for case, _ in skipped)],
                                 env={**os.environ, "TMA_TEST_SMALL": "1"}, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace")
            said = log.read_text(errors="replace") if log.exists() else ""
        if f"{MARK} COMPUTE-SANITIZER" not in said:
            print(run.stdout[-2000:])
            print(f"{args.tool} {name}: the tool did not run")
            failed += 1
            continue
        wrong = judge(args.tool, name, said)
        if run.returncode and not wrong:
            print(run.stdout[-2000:])
            print(f"{args.tool} {name}: ended with {run.returncode}")
        failed += bool(wrong or run.returncode)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

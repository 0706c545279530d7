#!/usr/bin/env python3
"""Sums up a CTest run by label, from its JUnit file: what passed, what failed, and how many tests did not run and why."""
import collections
import re
import sys
import xml.etree.ElementTree


def main(path):
    counts = collections.defaultdict(collections.Counter)
    skipped_tests, reasons = 0, []
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        label = case.get("name").split("/")[0]
        output = case.findtext("system-out") or ""
        if case.get("status") == "notrun" or case.find("skipped") is not None:
            counts[label]["skipped"] += 1
            said = re.search(r"SKIPPED (\d+) gpu tests: (.*)", output)
            skipped_tests += int(said.group(1)) if said else 1
            reason = re.search(r"(?:SKIPPED \d+ gpu tests|skipped): (?:tma: )?(.*)", output)
            if reason and reason.group(1) not in reasons:
                reasons.append(reason.group(1))
        elif case.find("failure") is not None or case.get("status") == "fail":
            counts[label]["failed"] += 1
        else:
            counts[label]["passed"] += 1

    print()
    for label in sorted(counts):
        c = counts[label]
        print(f"{label:13}" + ", ".join(f"{c[what]:4} {what}" for what in ("passed", "failed", "skipped") if c[what]))
    total = sum(counts.values(), collections.Counter())
    line = f"{total['passed']} programs passed, {total['failed']} failed"
    if total["skipped"]:
        line += f", {total['skipped']} skipped with {skipped_tests} tests in them ({'; '.join(reasons)})"
    print(line)
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

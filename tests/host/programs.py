#!/usr/bin/env python3
"""The programs the library is measured by stay as short as they were drawn, and free of what a user should never type."""
import pathlib
import re
import sys

# File, and lines between its marks.
PROGRAMS = {"scale_2d": 15, "stream": 6, "warp_specialized": 5, "copy_1d": 2,
            "cache": 18, "convolution": 8, "exchange": 17, "grouped": 12, "multicast": 21, "reduce": 11}
NEVER = re.compile(r"expect_tx|parity|phase|fence|elect_sync|alignas|__align__|sizeof|bytes|cuTensorMap|FuncSetAttribute|asm|mbarrier_")


def main(examples):
    wrong = 0
    for name, most in PROGRAMS.items():
        text = (examples / f"{name}.cu").read_text()
        program = re.search(r"// \[program\]\n(.*?)\n *// \[end\]", text, re.S).group(1)
        lines = program.splitlines()
        if len(lines) > most:
            print(f"{name}: {len(lines)} lines, drawn with {most}")
            wrong += 1
        for number, line in enumerate(lines, 1):
            found = NEVER.search(line.split("//")[0])
            if found:
                print(f"{name}: line {number} has a {found.group()}")
                wrong += 1
    print(f"{len(PROGRAMS)} programs, {wrong} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

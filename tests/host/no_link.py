"""Fails if one of the programs or shared objects needs a symbol of libcuda: cu followed by an upper-case letter.

    no_link.py NM FILE...
"""
import re
import subprocess
import sys


def undefined(nm, options, path):
    out = subprocess.run([nm, *options, path], check=True, capture_output=True, text=True).stdout
    return [line.split()[-1] for line in out.splitlines() if line.strip()]


def main():
    nm, *files = sys.argv[1:]
    failed = not files
    for path in files:
        # The linker's table and the loader's.
        symbols = set(undefined(nm, ["--undefined-only"], path)) | set(undefined(nm, ["-D", "--undefined-only"], path))
        wanted = sorted(s for s in symbols if re.match(r"cu[A-Z]", s))
        print(f"{path}: {len(symbols)} undefined symbols, of libcuda: {', '.join(wanted) or 'none'}")
        # A table with nothing in it was not read.
        failed |= bool(wanted) or not symbols
        needed = subprocess.run([nm, "-D", path], check=True, capture_output=True, text=True).stdout
        failed |= not needed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Machine code of the library's primitives and loops beside the same by hand: instructions, registers, shared memory, stack, and
how often each opcode stands in it. Reads the twins of tests/codegen/twins; needs nvcc and nvdisasm, no GPU.

    ./dev bench codegen [--csv FILE] [--opcodes FILE] [--goals FILE] [--only NAME]
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "codegen"))
sys.dont_write_bytecode = True
import check  # noqa: E402


def twins_of(source, options):
    """(file, name, ours, by hand) of each pair of a file."""
    kernels = check.compile_kernels(str(source), options)
    names = dict.fromkeys(name[4:] for name in kernels)
    return [(source.stem, name, kernels["tma_" + name], kernels["raw_" + name]) for name in names]


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", type=pathlib.Path, help="a row a pair [the output]")
    parser.add_argument("--opcodes", type=pathlib.Path, help="a row a pair and opcode")
    parser.add_argument("--goals", type=pathlib.Path, help="the row of the summary")
    parser.add_argument("--only", default="", help="files whose name holds this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--nvdisasm", default=os.path.join(os.environ.get("TMA_DISASSEMBLER_DIR", ""), "nvdisasm"))
    arguments = parser.parse_args()

    options = types.SimpleNamespace(nvcc=arguments.nvcc, nvdisasm=arguments.nvdisasm, include=ROOT / "include")
    sources = [s for s in sorted((ROOT / "tests/codegen/twins").glob("*.cu"))
               if arguments.only in s.name and check.target_of(s) == check.TARGET]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        pairs = [pair for of_file in pool.map(lambda source: twins_of(source, options), sources) for pair in of_file]

    release = output_of(arguments.nvcc, "--version").splitlines()[-2].split("release ")[-1].split(",")[0]
    commit = os.environ.get("TMA_COMMIT") or output_of("git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12")
    head = [f"# toolkit: CUDA {release}", "# target: sm_90a", f"# commit: {commit}", "# command: bench codegen"]
    rows = ["file,kernel,instructions,instructions_by_hand,registers,registers_by_hand,shared,shared_by_hand,stack,stack_by_hand,"
            "opcodes_that_differ"]
    opcodes = ["file,kernel,opcode,ours,by_hand"]
    apart = 0
    for file, name, ours, hand in pairs:
        a, b = check.histogram(ours), check.histogram(hand)
        differ = sum(1 for opcode in a | b if a[opcode] != b[opcode])
        apart += bool(check.differences(ours, hand))
        rows.append(f"{file},{name},{len(ours.sass)},{len(hand.sass)},{ours.registers},{hand.registers},{ours.shared},"
                    f"{hand.shared},{ours.local},{hand.local},{differ}")
        opcodes += [f"{file},{name},{opcode},{a[opcode]},{b[opcode]}" for opcode in sorted(a | b)]
    text = "\n".join(head + rows) + "\n"
    if arguments.csv:
        arguments.csv.write_text(text)
    else:
        sys.stdout.write(text)
    if arguments.opcodes:
        arguments.opcodes.write_text("\n".join(head + opcodes) + "\n")
    ours, hand = (sum(len(pair[side].sass) for pair in pairs) for side in (2, 3))
    if arguments.goals:
        arguments.goals.write_text(f"codegen,instructions,{ours},{hand},PTX by hand ({len(pairs)} kernels),{hand / ours:.4f},1\n")
    print(f"codegen: {len(pairs)} pairs, {ours} instructions, by hand {hand}; {apart} pairs differ", file=sys.stderr)
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())

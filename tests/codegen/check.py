#!/usr/bin/env python3
"""Reads what the compiler made of the library's kernels. Needs nvcc and a disassembler, no GPU.

    check.py twins FILE.cu   every kernel tma_<name> compiles to the same instructions as its twin raw_<name>, which is
                             written by hand: see twins/
    check.py facts FILE.cu   the PTX and SASS of single kernels have the properties that their comments state: see facts/

Exit code 0: all hold. 1: one does not, or the file does not compile. 77: there is no disassembler, nothing was looked at.
"""
import argparse
import collections
import difflib
import os
import re
import subprocess
import sys
import tempfile

SKIP = 77
TARGET = "90a"  # a file that is for another says so: // target: sm_100a

Instruction = collections.namedtuple("Instruction", "address text opcode")
Kernel = collections.namedtuple("Kernel", "name exact release ptx sass registers shared local")

# The release that the twins are written against: with it, and for TARGET, what the library makes is the same to an instruction.
WRITTEN_FOR = (13, 0)
# Another one may do the same address arithmetic in another way. What it may add is integers and moves, and registers,
# to this part of a kernel: no memory access, barrier, copy, jump, nor floating point.
MARGIN = 0.1
INTEGERS_AND_MOVES = re.compile(r"U?(IMAD|IADD3|VIADD|LEA|LOP3|SHF|SEL|MOV|PRMT|S2R|S2UR|R2UR|LDC|CS2R|ISETP)\b|HFMA2\.MMA\b")


# --- compiling and reading ---


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("\n".join([" ".join(command), done.stdout, f"exit code {done.returncode}"]))
    return done.stdout


def target_of(source):
    with open(source) as file:
        stated = re.search(r"^// target: sm_(\w+)$", file.read(), re.M)
    return stated[1] if stated else TARGET


def architecture(source):
    return "-gencode=arch=compute_{0},code=sm_{0}".format(target_of(source))


def compile_kernels(source, options, flags=()):
    """All kernels of a file by name: compiled once, PTX and cubin kept."""
    with tempfile.TemporaryDirectory(prefix="tma-codegen-") as folder:
        cubin = os.path.join(folder, "out.cubin")
        report = run([options.nvcc, "-cubin", "-std=c++20", "-O3", architecture(source), f"-I{options.include}",
                      "-Xptxas=-v", "-Werror=all-warnings", "--keep", f"--keep-dir={folder}", *flags, source, "-o", cubin])
        stem = os.path.splitext(os.path.basename(source))[0]
        with open(os.path.join(folder, stem + ".ptx")) as file:
            text = file.read()
        sass = read_sass(run([options.nvdisasm, "-c", cubin]))
    ptx, release, resources = read_ptx(text), read_release(text), read_resources(report)
    exact = release == WRITTEN_FOR and target_of(source) == TARGET
    return {name: Kernel(name, exact, release, ptx[name], sass[name], **resources[name]) for name in ptx}


def read_release(text):
    """The compiler's release, from the head of its PTX: (13, 0)."""
    found = re.search(r"^// Cuda compilation tools, release (\d+)\.(\d+)", text, re.M)
    return int(found[1]), int(found[2])


def read_ptx(text):
    """The body of each kernel, an instruction or label a line."""
    kernels = {}
    for match in re.finditer(r"\.entry (\w+)\s*\(.*?^\{$(.*?)^\}$", text, re.S | re.M):
        lines = [line.split("//")[0].strip() for line in match[2].splitlines()]
        kernels[match[1]] = [line for line in lines if line not in ("", "{", "}")]
    return kernels


def read_sass(listing):
    """The instructions of each kernel, from nvdisasm -c."""
    kernels = {}
    for section in re.split(r"^\.text\.(?=\S+:$)", listing, flags=re.M)[1:]:
        name, _, body = section.partition(":")
        places, labels, address = [], {}, 0
        for line in body.splitlines():
            if match := re.match(r"(\.L_x_\d+):", line):
                labels[match[1]] = address
            elif match := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line):
                places.append((int(match[1], 16), match[2]))
                address = places[-1][0] + 16
        code = []
        for address, text in places:
            text = re.sub(r"`\((\.L_x_\d+)\)", lambda label: f"{labels[label[1]]:#x}", text)
            code.append(Instruction(address, text, re.sub(r"^@!?U?P\w+\s+", "", text).split()[0]))
        kernels[name] = without_end(code)
    return kernels


def without_end(code):
    """Leaves out what ptxas puts after a kernel's last instruction: a branch to itself, and NOPs up to a whole line."""
    end = len(code)
    while end > 0 and code[end - 1].text == "NOP":
        end -= 1
    if end > 0 and code[end - 1].text == f"BRA {code[end - 1].address:#x}":
        end -= 1
    return code[:end]


def read_resources(report):
    """Registers and bytes of each kernel, from ptxas -v."""
    resources, kernel, function = {}, None, None
    for line in report.splitlines():
        if match := re.search(r"Compiling entry function '(\S+)'", line):
            kernel = match[1]
            resources[kernel] = {"registers": 0, "shared": 0, "local": 0}
        elif match := re.search(r"Function properties for (\S+)", line):
            function = match[1]
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            if function in resources:
                resources[function]["local"] = sum(int(bytes) for bytes in match.groups())
        elif match := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            resources[kernel].update(registers=int(match[1]), shared=int(shared[1]) if shared else 0)
    return resources


# --- twins ---


def histogram(kernel):
    return collections.Counter(instruction.opcode for instruction in kernel.sass)


def differences(tma, raw):
    """Why the kernel is not as good as its twin: a list of sentences, empty where it is."""
    found = []
    a, b = histogram(tma), histogram(raw)
    if a != b and (tma.exact or not is_near(a, b)):
        found.append("the instructions differ")
    if tma.registers > raw.registers + (0 if tma.exact else max(1, int(raw.registers * MARGIN))):
        found.append(f"{tma.registers} registers, its twin {raw.registers}")
    if tma.shared > raw.shared:
        found.append(f"{tma.shared} bytes of shared memory, its twin {raw.shared}")
    for kernel in (tma, raw):
        if kernel.local > 0:
            found.append(f"{kernel.name} has {kernel.local} bytes of stack or spills")
    return found


def is_near(tma, raw):
    apart = [opcode for opcode in tma | raw if tma[opcode] != raw[opcode]]
    return all(map(INTEGERS_AND_MOVES.match, apart)) and tma.total() <= raw.total() * (1 + MARGIN)


def show_histograms(tma, raw):
    a, b = histogram(tma), histogram(raw)
    print(f"    {'opcode':40} {'tma':>5} {'raw':>5}")
    for opcode in sorted(set(a) | set(b)):
        if a[opcode] != b[opcode]:
            print(f"    {opcode:40} {a[opcode]:5} {b[opcode]:5}")


def show_listings(tma, raw):
    """Both listings beside each other, lined up at equal opcodes."""
    a, b = tma.sass, raw.sass
    matcher = difflib.SequenceMatcher(None, [i.opcode for i in a], [i.opcode for i in b], autojunk=False)
    print(f"      {tma.name:58} {raw.name}")
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        for k in range(max(a1 - a0, b1 - b0)):
            left = f"{a[a0 + k].address:04x} {a[a0 + k].text}" if a0 + k < a1 else ""
            right = f"{b[b0 + k].address:04x} {b[b0 + k].text}" if b0 + k < b1 else ""
            print(f"    {' ' if tag == 'equal' else '|'} {left:58} {right}")


def check_twins(source, options):
    kernels = compile_kernels(source, options)
    names = list(dict.fromkeys(name[4:] for name in kernels))
    for name in names:
        if "tma_" + name not in kernels or "raw_" + name not in kernels:
            sys.exit(f"{source}: {name} has no twin")
    if not names:
        sys.exit(f"{source}: no kernels")
    failed = 0
    for name in names:
        tma, raw = kernels["tma_" + name], kernels["raw_" + name]
        found = differences(tma, raw)
        failed += bool(found)
        order = "same order" if [i.opcode for i in tma.sass] == [i.opcode for i in raw.sass] else "other order"
        if histogram(tma) != histogram(raw):
            order = f"near, as release {tma.release[0]}.{tma.release[1]} makes it"
        print(f"{'FAILED' if found else 'ok':6} {name:28} instructions {len(tma.sass):4} {len(raw.sass):4}   "
              f"registers {tma.registers:3} {raw.registers:3}   shared {tma.shared:6} {raw.shared:6}   "
              f"{order if not found else '; '.join(found)}")
        if found and not options.must_fail:
            show_histograms(tma, raw)
            show_listings(tma, raw)
    return failed, len(names)


# --- facts ---

Fact = collections.namedtuple("Fact", "kind where what")
Stated = collections.namedtuple("Stated", "kernel flags since facts")


def read_facts(source):
    """What a file says of its kernels, a list of Stated. A comment `// kernel: name flags...`
    opens a list, and these lines follow it (a regular expression is searched for in each line of the kernel's PTX or SASS):

        //   expect-ptx: regex           in some line          (expect-sass: likewise)
        //   reject-ptx: regex           in no line            (reject-sass)
        //   order-ptx: a ; b ; !c ; d   in a line, in a later line, in none between b and d, in a still later line; in
                                         the last place !c means: in none to the end                 (order-sass)

        //   since: 12.9                 older toolkits do not have the kernel

    The name `*` stands for all kernels of the file.
    """
    found = []
    with open(source) as file:
        for number, line in enumerate(file, 1):
            if match := re.match(r"//\s+kernel:\s+(\S+)\s*(.*)$", line):
                found.append(Stated(match[1], tuple(match[2].split()), [], []))
            elif match := re.match(r"//\s+(expect|reject|order)-(ptx|sass):\s+(.*?)\s*$", line):
                if not found:
                    sys.exit(f"{source}:{number}: a fact before the first kernel")
                found[-1].facts.append(Fact(*match.groups()))
            elif found and (match := re.match(r"//\s+since:\s+(\d+)\.(\d+)$", line)):
                found[-1].since.append((int(match[1]), int(match[2])))
            elif re.match(r"//\s+\w+-\w+:", line):
                sys.exit(f"{source}:{number}: not a fact: {line.strip()}")
    if not found:
        sys.exit(f"{source}: no facts")
    return found


def why_not_in_order(lines, items):
    """Says which item of an `order` fact does not hold; nothing where all do."""
    at, banned = 0, []
    for item in items:
        if item.startswith("!"):
            banned.append(item[1:])
            continue
        place = next((n for n in range(at, len(lines)) if re.search(item, lines[n])), None)
        if place is None:
            return f"no '{item}'" + (f" after '{lines[at - 1]}'" if at else "")
        for regex in banned:
            if line := next((line for line in lines[at:place] if re.search(regex, line)), None):
                return f"'{line}' before '{lines[place]}'"
        at, banned = place + 1, []
    for regex in banned:
        if line := next((line for line in lines[at:] if re.search(regex, line)), None):
            return f"'{line}' after '{lines[at - 1]}'" if at else f"'{line}'"
    return None


def why_not(fact, kernel):
    lines = kernel.ptx if fact.where == "ptx" else [instruction.text for instruction in kernel.sass]
    if fact.kind == "order":
        return why_not_in_order(lines, re.split(r"\s+;\s+", fact.what))
    line = next((line for line in lines if re.search(fact.what, line)), None)
    if fact.kind == "expect" and line is None:
        return "not found"
    if fact.kind == "reject" and line is not None:
        return f"found '{line}'"
    return None


def check_facts(source, options):
    facts = read_facts(source)
    builds = {flags: compile_kernels(source, options, flags) for flags in dict.fromkeys(stated.flags for stated in facts)}
    named = {stated.kernel for stated in facts}
    release = next(iter(next(iter(builds.values())).values())).release
    for name in set().union(*builds.values()) - named:
        sys.exit(f"{source}: nothing is said of kernel {name}")
    failed = total = 0
    for name, flags, since, expected in facts:
        build = builds[flags]
        if since and release < max(since):
            continue
        if name != "*" and name not in build:
            sys.exit(f"{source}: there is no kernel {name}")
        for kernel in build.values() if name == "*" else [build[name]]:
            broken = [(fact, reason) for fact in expected if (reason := why_not(fact, kernel))]
            total += 1
            failed += bool(broken)
            print(f"{'FAILED' if broken else 'ok':6} {kernel.name:28} {len(expected)} facts {' '.join(flags)}")
            for fact, reason in broken:
                print(f"    {fact.kind}-{fact.where}: {fact.what}\n        {reason}")
            if broken and not options.must_fail:
                print("\n".join(["    PTX", *("        " + line for line in kernel.ptx),
                                 "    SASS", *(f"        {i.address:04x} {i.text}" for i in kernel.sass)]))
    return failed, total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["twins", "facts"])
    parser.add_argument("source")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--nvdisasm", default="")
    parser.add_argument("--include", required=True, help="the library's include folder")
    parser.add_argument("--must-fail", action="store_true", help="succeed when every kernel fails: tests this program")
    options = parser.parse_args()
    if not options.nvdisasm:
        print("skipped: no nvdisasm; install nvidia-cuda-nvdisasm from PyPI")
        return SKIP
    failed, total = {"twins": check_twins, "facts": check_facts}[options.what](options.source, options)
    return int(failed != (total if options.must_fail else 0))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""PyTorch's transposes and permutes, timed by CUDA events, as the rows that the benches' CSV have: peers of bench-transpose.

    python3 bench/transpose/peers.py --csv peers.csv
    TMA_BENCH_PEERS=peers.csv build/bin/bench-transpose --csv transpose.csv

The first row of each size is a control: a copy by the device of as many bytes. `compiled`: by torch.compile.
"""
import argparse
import os
import random
import statistics
import sys

import torch

COLUMNS = "point,mode,variant,kind,unit,median,p5,p95,us,samples,aa,in_flight_per_sm,limit,share_of_limit"
TYPES = {"f32": torch.float32, "f16": torch.float16}


def points(quick):
    """Name, shape and order of each permute; the names are those of bench-transpose."""
    n = 4096 if quick else 32768
    for dtype in TYPES:
        yield f"{dtype} {n} x {n}", dtype, (n, n), (1, 0)
    b, h, l = (16, 512, 1024) if quick else (64, 4096, 4096)
    for dtype in TYPES:
        for order in ((0, 2, 1), (2, 0, 1), (2, 1, 0), (1, 0, 2)):
            name = "".join("BHL"[d] for d in order)
            yield f"{dtype} BHL to {name}", dtype, (b, h, l), order


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    i = int(at)
    return values[i] + (at - i) * (values[min(i + 1, len(values) - 1)] - values[i])


def time_of(work):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(100_000)  # until both events and the launch are queued
    start.record()
    work()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def measure(name, dtype, shape, order, samples, compiled, rows):
    x = torch.empty(shape, dtype=TYPES[dtype], device="cuda").normal_()
    y = torch.empty_like(x)
    transpose = lambda: x.permute(order).contiguous()
    variants = [("torch copy", "limit", lambda: y.copy_(x)), ("torch contiguous", "peer", transpose)]
    if compiled:
        turn = torch.compile(lambda a: a.permute(order).contiguous())
        try:
            if torch.equal(turn(x), transpose()):
                variants.append(("torch compiled", "peer", lambda: turn(x)))
            else:
                sys.exit(f"peers: {name}: the compiled function gives something else")
        except Exception as error:  # no compiler on this machine: the other rows stand without it
            print(f"peers: {name}: torch.compile: {type(error).__name__}", file=sys.stderr)
    variants.append(variants[1])  # once more: what differs is noise
    times = [[] for _ in variants]
    for work in variants:
        work[2]()
    for _ in range(samples):
        for i in random.sample(range(len(variants)), len(variants)):
            times[i].append(time_of(variants[i][2]))
    work = 2 * x.numel() * x.element_size()
    again = statistics.median(times[-1]) / statistics.median(times[1])
    for (variant, kind, _), ms in list(zip(variants, times))[:-1]:
        rate = [work / quantile(ms, q) / 1e6 for q in (0.5, 0.95, 0.05)]
        rows.append(
            f"{name},cold,{variant},{kind},GB/s,{rate[0]:.5g},{rate[1]:.5g},{rate[2]:.5g},"
            f"{statistics.median(ms) * 1e3:.5g},{samples},{again:.4f},0,0,0"
        )
        print("peers     ", rows[-1], file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", help="write the rows to FILE, and not to the output")
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="small tensors")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile")
    options = parser.parse_args()
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # there is little to compile
    torch.manual_seed(options.seed)
    random.seed(options.seed)
    rows = []
    for name, dtype, shape, order in points(options.quick):
        # Compiled once a type for the matrix alone: compiling takes longer than all that is measured.
        measure(name, dtype, shape, order, options.samples, not options.no_compile and len(shape) == 2, rows)
        torch.cuda.empty_cache()
    head = [
        f"# gpu: {torch.cuda.get_device_name()}",
        f"# toolkit: CUDA {torch.version.cuda}, PyTorch {torch.__version__}",
        f"# commit: {os.environ.get('TMA_COMMIT', 'unknown')}",
        f"# command: bench/transpose/peers.py --samples {options.samples} --seed {options.seed}",
        COLUMNS,
    ]
    text = "\n".join(head + rows) + "\n"
    if options.csv:
        with open(options.csv, "w") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

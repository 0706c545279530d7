#!/usr/bin/env python3
"""torch.compile's softmax and RMSNorm, at points of the bench and with the columns of its CSV: peers.py --csv FILE

The bench reads FILE where the environment variable TMA_BENCH_PEERS names it. A copy of the same bytes is measured in turn with
each function: the limit. Where torch.compile does not work the functions of PyTorch itself are measured, and named so.
"""
import argparse
import os
import random
import statistics
import sys
import time

import torch
import torch.nn.functional

TOTAL = 1 << 30  # bytes read
TYPES = {"bf16": (torch.bfloat16, 2), "f32": (torch.float32, 4)}
EPSILON = 1e-5
# The important ones first: what is left when the time is over is not measured.
POINTS = ("softmax:bf16:8192", "softmax:bf16:131072", "softmax:f32:4096", "rms_norm:bf16:8192", "softmax:bf16:1024",
          "softmax:bf16:32768", "softmax:f32:65536", "rms_norm:bf16:131072", "rms_norm:f32:4096", "softmax:f32:262144")


def softmax(x, weight):
    return torch.softmax(x, -1)


def rms_norm(x, weight):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, EPSILON)


def expected(function, x, weight):
    x = x.double()
    if function is softmax:
        return torch.softmax(x, -1)
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPSILON) * weight.double()


def check(function, x, weight, result, unit):
    """The first rows against double precision, one unit of the last place apart at most."""
    want = expected(function, x[:64], weight)
    if not bool(((result[:64].double() - want).abs() <= unit * want.abs()).all()):
        raise SystemExit(f"{function.__name__}: torch's result is not that of double precision")


def milliseconds(function):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(200000)  # until all is queued
    start.record()
    function()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def quantile(values, q):
    values, at = sorted(values), q * (len(values) - 1)
    i = int(at)
    return values[i] + (at - i) * (values[min(i + 1, len(values) - 1)] - values[i])


def measure(point, mode, samples, out):
    name, kind, n = point.split(":")
    function = {"softmax": softmax, "rms_norm": rms_norm}[name]
    dtype, size = TYPES[kind]
    rows, n = TOTAL // (int(n) * size), int(n)
    x = (torch.rand(rows, n, device="cuda") * 8 - 4).to(dtype)
    y, weight = torch.empty_like(x), (torch.rand(n, device="cuda") * 8 - 4).to(dtype)
    variant = "torch eager"
    run = function
    if mode:
        torch._dynamo.reset()
        variant = "torch.compile" + ("" if mode == "default" else " " + mode)
        run = torch.compile(function, mode=mode)
    check(function, x, weight, run(x, weight), 1 / 64 if kind == "bf16" else 1e-4)
    ways = {"memcpy (torch)": lambda: y.copy_(x), variant: lambda: run(x, weight)}
    times = {way: [] for way in ways}
    for way in ways:
        milliseconds(ways[way])
    for _ in range(samples):
        for way in random.sample(list(ways), len(ways)):
            times[way].append(milliseconds(ways[way]))
    rate = {way: [2 * TOTAL / quantile(t, q) / 1e6 for q in (0.5, 0.95, 0.05)] for way, t in times.items()}
    limit = rate["memcpy (torch)"][0]
    for way, (median, p5, p95) in rate.items():
        print(f"{name} {kind} {n},cold,{way},{'peer' if way == variant else 'limit'},GB/s,{median:.5g},{p5:.5g},{p95:.5g},"
              f"{statistics.median(times[way]) * 1e3:.5g},{samples},1.0000,0,{limit:.5g},{median / limit:.4g}", file=out, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", required=True, metavar="FILE")
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30, help="no point begins later")
    parser.add_argument("--points", nargs="*", default=POINTS)
    options = parser.parse_args()
    begin = time.monotonic()
    command = "".join(" " + word for before, word in zip(sys.argv, sys.argv[1:]) if "--csv" not in (before, word))
    random.seed(1)
    torch.manual_seed(1)
    with open(options.csv, "w") as out:
        print(f"# gpu: {torch.cuda.get_device_name()}\n# torch: {torch.__version__}\n# toolkit: CUDA {torch.version.cuda}\n"
              f"# commit: {os.environ.get('TMA_COMMIT', 'unknown')}\n# command: peers.py{command}", file=out)
        print("point,mode,variant,kind,unit,median,p5,p95,us,samples,aa,in_flight_per_sm,limit,share_of_limit", file=out)
        modes = ["default", "max-autotune-no-cudagraphs"]  # both at the first point, else the usual one
        for i, point in enumerate(options.points):
            for mode in modes if i == 0 else modes[:1]:
                if time.monotonic() - begin > options.seconds:
                    return
                try:
                    measure(point, mode, options.samples, out)
                except RuntimeError as e:
                    print(f"# {point}: torch.compile {mode} does not work here: {type(e).__name__}", file=out)
                    measure(point, None, options.samples, out)


main()

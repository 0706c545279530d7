#!/usr/bin/env python3
"""The gemm bench's peers that live in Python: Triton with tensor descriptors, and torch.matmul, which is cuBLAS.

The second is in the bench's own process as well: by it the two are compared. Writes the columns of the benches' CSV.
"""
import argparse
import os
import pathlib
import random
import re
import statistics
import sys
import time

try:
    import torch
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError as missing:
    print(f"gemm peers: SKIPPED: {missing}. Fix: a Python with torch and triton 3.4 or newer", file=sys.stderr)
    sys.exit(77)

LIMIT = 989  # TFLOP/s: the data sheet's, dense


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, BLOCKS: tl.constexpr):
    """C = A B^T, tiles in bands of GROUP rows, BLOCKS blocks that stay."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), rows * columns, BLOCKS, flatten=False):
        band = tile // (GROUP * columns)
        width = min(rows - band * GROUP, GROUP)
        rest = tile % (GROUP * columns)
        m, n = (band * GROUP + rest % width) * BM, rest // width * BN
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(tl.cdiv(K, BK)):
            total = tl.dot(a.load([m, k * BK]), b.load([n, k * BK]).T, total)
        c.store([m, n], total.to(c.dtype))


CONFIGS = [  # BM, BN, BK, GROUP, stages, warps, whether blocks stay
    (128, 256, 64, 8, 3, 8, True),
    (128, 256, 64, 8, 3, 8, False),
    (128, 128, 64, 8, 4, 4, False),
    (256, 128, 64, 8, 3, 8, True),
]


def triton_matmul(a, b, c, config):
    bm, bn, bk, group, stages, warps, stays = config
    (m, k), n = a.shape, b.shape[0]
    tiles = triton.cdiv(m, bm) * triton.cdiv(n, bn)
    blocks = min(tiles, torch.cuda.get_device_properties(a.device).multi_processor_count) if stays else tiles
    maps = [TensorDescriptor.from_tensor(x, box) for x, box in ((a, [bm, bk]), (b, [bn, bk]), (c, [bm, bn]))]
    return lambda: matmul[(blocks,)](*maps, m, n, k, BM=bm, BN=bn, BK=bk, GROUP=group, BLOCKS=blocks, num_stages=stages,
                                     num_warps=warps)


MODES = {"paused": 0.005, "sustained": 0}  # seconds of idling before a sample


def time_of(launch, launches, mode="sustained"):
    """Milliseconds of a launch, of so many in a row."""
    time.sleep(MODES[mode])
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(2_000_000 if MODES[mode] else 400_000)  # cycles, until enough is queued: a host that slept is slow
    start.record()
    for _ in range(launches):
        launch()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) / launches


def best_config(a, b, c, expected):
    """The fastest of the configurations, in a short search before anything is timed."""
    times = {}
    for config in CONFIGS:
        try:
            launch = triton_matmul(a, b, c.zero_(), config)
            launch()
            torch.cuda.synchronize()
        except Exception as refused:  # more shared memory than there is, say
            print(f"gemm peers: {config}: {str(refused).splitlines()[0]}", file=sys.stderr)
            continue
        check(f"triton {config}", c, expected)
        times[config] = statistics.median(time_of(launch, 2) for _ in range(5))
    if not times:
        sys.exit("gemm peers: no configuration of the Triton kernel runs")
    return min(times, key=times.get)


def check(name, c, expected):
    error = ((c.float() - expected.float()).norm() / expected.float().norm()).item()
    if not error <= 2e-3:
        sys.exit(f"gemm peers: {name}: the relative error is {error}")


def quantile(values, q):
    at = sorted(values)
    low = int(q * (len(at) - 1))
    return at[low] + (at[min(low + 1, len(at) - 1)] - at[low]) * (q * (len(at) - 1) - low)


def measure(size, samples, order):
    """Rows of one point."""
    a, b = (torch.rand((size, size), device="cuda").mul_(2).sub_(1).bfloat16() for _ in range(2))
    c, d = torch.empty_like(a), torch.empty_like(a)
    transposed = b.t()
    expected = torch.matmul(a, transposed)
    config = best_config(a, b, c, expected)
    print(f"gemm peers: {size}: {config}", file=sys.stderr)
    variants = {
        "torch.matmul": lambda: torch.matmul(a, transposed, out=d),
        "triton": triton_matmul(a, b, c, config),
        "again": lambda: torch.matmul(a, transposed, out=d),
    }
    for launch in variants.values():
        time_of(launch, 2)
    point = f"bf16 {size}x{size}x{size}"
    return [row for mode in MODES for row in measure_mode(point, mode, variants, 2 * size**3, samples, order)]


def measure_mode(point, mode, variants, operations, samples, order):
    launches = max(1, int((5e11 if MODES[mode] else 2e12) / operations))
    times = {name: [] for name in variants}
    for _ in range(samples):
        for name in order.sample(list(variants), len(variants)):
            times[name].append(time_of(variants[name], launches, mode))
    again = statistics.median(times.pop("again")) / statistics.median(times["torch.matmul"])
    rows = []
    for name, ms in times.items():
        rate = [operations / t / 1e9 for t in ms]
        median = operations / statistics.median(ms) / 1e9
        rows.append(f"{point},{mode},{name},peer,TFLOP/s,{median:.5g},{quantile(rate, 0.05):.5g},"
                    f"{quantile(rate, 0.95):.5g},{statistics.median(ms) * 1e3:.5g},{samples},{again:.4f},0,{LIMIT},"
                    f"{median / LIMIT:.4g}")
        print(f"gemm peers {rows[-1]}", file=sys.stderr)
    return rows


def head():
    try:
        words = pathlib.Path("/proc/driver/nvidia/version").read_text().split()
        driver = next(word for word in words if re.fullmatch(r"[0-9]+\.[0-9.]+", word))
    except (OSError, StopIteration):
        driver = "unknown"
    return [f"# gpu: {torch.cuda.get_device_name()}", f"# driver: {driver}", f"# toolkit: CUDA {torch.version.cuda}",
            f"# commit: {os.environ.get('TMA_COMMIT', 'unknown')}", "# command: bench/gemm/peers.py",
            f"# torch {torch.__version__}, triton {triton.__version__}; torch.matmul is cuBLAS",
            "point,mode,variant,kind,unit,median,p5,p95,us,samples,aa,in_flight_per_sm,limit,share_of_limit"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", help="write the results to FILE, and not to the output")
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not torch.cuda.is_available() or torch.cuda.get_device_capability()[0] < 9:
        print("gemm peers: SKIPPED: no device with a copy engine", file=sys.stderr)
        return 77
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    lines = head()
    for size in (4096, 8192):
        lines += measure(size, options.samples, random.Random(options.seed))
    text = "\n".join(lines) + "\n"
    if options.csv:
        pathlib.Path(options.csv).write_text(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Shows two results of //benchmarks:kernels side by side.

    ./bazelw run //benchmarks:kernels -- --json --benchmark_repetitions=5 >before.json
    benchmarks/compare.py before.json after.json

The median time of each benchmark, their ratio, and the noise: half of what the repetitions spread, as a part of the
median, the larger of both sides. A ratio within the noise is shown as ~. With fewer than three repetitions the noise
isn't known.
"""

import argparse
import json
import statistics


def times(path):
    """Times in microseconds by benchmark."""
    unit = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)["benchmarks"]
    found = {}
    for run in runs:
        if run.get("run_type", "iteration") == "iteration" and not run.get("error_occurred"):
            found.setdefault(run["run_name"], []).append(run["real_time"] * unit[run["time_unit"]])
    return found


def spread(values):
    return (max(values) - min(values)) / 2 / statistics.median(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    args = parser.parse_args()
    before, after = times(args.before), times(args.after)
    print(f"{'benchmark':56} {'before us':>11} {'after us':>11} {'ratio':>7} {'noise':>7}")
    for name in list(before) + [name for name in after if name not in before]:
        if name not in before or name not in after:
            print(f"{name:56} only {'before' if name in before else 'after'}")
            continue
        a, b = statistics.median(before[name]), statistics.median(after[name])
        known = min(len(before[name]), len(after[name])) >= 3
        noise = max(spread(before[name]), spread(after[name]))
        ratio = "~" if known and abs(b / a - 1) <= noise else f"{b / a:.2f}"
        print(f"{name:56} {a:11.1f} {b:11.1f} {ratio:>7} {f'{noise:.0%}' if known else '?':>7}")


if __name__ == "__main__":
    main()

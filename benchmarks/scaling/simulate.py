#!/usr/bin/env python3
"""simulate.py [--pictures N] [--workers N] [--shards N ...] [--FIGURE VALUE ...]: how long a sharded calibration takes on a cluster.

Each shard is an action: it waits for a free worker, fetches its samples, runs them and stores its statistics. One action then merges all
statistics (a funnel), or groups of --fan_in are merged first by actions of their own, level by level (a tree). The client starts
actions one after the other and its link carries every sample once. docs/scaling.md says where the figures come from.
"""

import argparse
import heapq
import math

# Seconds and bytes. Those of samples and statistics were measured, those of the cluster are assumed (docs/scaling.md).
FIGURES = {
    "picture_seconds": (0.038, "processor time of a sample"),
    "start_seconds": (0.02, "processor time of a calibration with no sample"),
    "action_seconds": (0.1, "what an engine adds to an action: queue, input tree, result"),
    "client_seconds": (0.005, "the client's time for an action: digests, calls"),
    "picture_bytes": (36e3, "size of a sample"),
    "stats_bytes": (0.9e6, "statistics without samples: histograms"),
    "stats_picture_bytes": (8.1e3, "statistics of a sample: ranges of each tensor"),
    "parse_bytes_per_second": (70e6, "speed of reading statistics"),
    "client_bytes_per_second": (125e6, "the client's link"),
    "worker_bytes_per_second": (125e6, "a worker's link"),
}


def run(ready, seconds, workers):
    """Ends of tasks that become ready at these times and take these seconds; each goes to the worker that is free first."""
    free = [0.0] * min(workers, len(ready))
    ends = []
    for at, takes in zip(ready, seconds):
        end = max(at, heapq.heappop(free)) + takes
        heapq.heappush(free, end)
        ends.append(end)
    return ends


def merge_seconds(pictures, files, figures):
    """Time of an action that merges the statistics of `pictures` samples from `files` files."""
    size = files * figures["stats_bytes"] + pictures * figures["stats_picture_bytes"]
    return figures["action_seconds"] + size / figures["worker_bytes_per_second"] + size / figures["parse_bytes_per_second"]


def calibrate(pictures, workers, shards, figures):
    """Ends of the shards, in seconds."""
    of_shard = [pictures // shards + (shard < pictures % shards) for shard in range(shards)]
    ready, seconds, sent = [], [], 0.0
    for shard, count in enumerate(of_shard):
        sent += count * figures["picture_bytes"] / figures["client_bytes_per_second"]
        ready.append(max((shard + 1) * figures["client_seconds"], sent))
        fetch = count * figures["picture_bytes"] / figures["worker_bytes_per_second"]
        seconds.append(figures["action_seconds"] + figures["start_seconds"] + fetch + count * figures["picture_seconds"])
    return run(ready, seconds, workers)


def merge(pictures, workers, ends, fan_in, figures):
    """End of the last merge. REQUIRES: fan_in >= 2, or at least as large as len(ends) for a funnel."""
    each = pictures / len(ends)
    while len(ends) > fan_in:
        groups = [ends[i : i + fan_in] for i in range(0, len(ends), fan_in)]
        ready = sorted(max(group) for group in groups)
        ends = run(ready, [merge_seconds(each * fan_in, fan_in, figures)] * len(groups), workers)
        each = pictures / len(ends)
    return max(ends) + merge_seconds(pictures, len(ends), figures)


def simulate(pictures, workers, shards, figures):
    """Seconds until the calibration ends, until a funnel ends, and of the best tree with its fan-in (None: the funnel is best)."""
    ends = calibrate(pictures, workers, shards, figures)
    funnel = merge(pictures, workers, ends, shards, figures)
    trees = [(merge(pictures, workers, ends, fan_in, figures), fan_in) for fan_in in (4, 8, 16, 32, 64) if fan_in < shards]
    best = min(trees + [(funnel, None)], key=lambda tree: tree[0])
    return max(ends), funnel, best


def processor_seconds(pictures, shards, figures):
    """Processor time of all shards and of the funnel."""
    work = shards * figures["start_seconds"] + pictures * figures["picture_seconds"]
    size = shards * figures["stats_bytes"] + pictures * figures["stats_picture_bytes"]
    return work + size / figures["parse_bytes_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=1000000)
    parser.add_argument("--workers", type=int, default=500)
    parser.add_argument("--shards", type=int, nargs="+", default=[64, 500, 1000, 2000, 4000, 8000])
    for name, (value, meaning) in FIGURES.items():
        parser.add_argument("--" + name, type=float, default=value, help="%s (%g)" % (meaning, value))
    options = parser.parse_args()
    if min([options.pictures, options.workers] + options.shards) < 1 or max(options.shards) > options.pictures:
        parser.error("write at least 1 picture, worker and shard, and at most as many shards as pictures")
    figures = {name: getattr(options, name) for name in FIGURES}
    print("%d pictures, %d workers" % (options.pictures, options.workers))
    print("%7s %12s %10s %10s %8s %16s" % ("shards", "calibrated s", "funnel s", "tree s", "fan-in", "processor time s"))
    for shards in options.shards:
        calibrated, funnel, (tree, fan_in) = simulate(options.pictures, options.workers, shards, figures)
        spent = math.ceil(processor_seconds(options.pictures, shards, figures))
        print("%7d %12.1f %10.1f %10.1f %8s %16d" % (shards, calibrated, funnel, tree, fan_in or "funnel", spent))


if __name__ == "__main__":
    main()

"""Time of `synap convert` without quantization, for yolov5s at 640x640 with random weights: the weights don't change the work.

    python3 -m venv /tmp/networks && /tmp/networks/bin/pip install numpy onnx
    ./bazelw build //compiler/convert/cli:synap
    /tmp/networks/bin/python benchmarks/compile_time.py [RUNS]
"""

import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks/latency"))
import networks


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "yolov5s_640x640.onnx"
        net = networks.Net(model.stem, (1, 3, 640, 640), False)
        net.save(model, networks.yolov5(net, width=0.5, depth=0.33))
        seconds = []
        for run in range(runs):
            # A folder of its own: nothing is found in a cache.
            command = [ROOT / "bazel-bin/compiler/convert/cli/synap", "convert", "--model", model, "--target", "VS680", "--silent"]
            start = time.monotonic()
            subprocess.run(command + ["--out-dir", f"{folder}/{run}"], check=True)
            seconds.append(time.monotonic() - start)
        megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{model.stat().st_size / 1e6:.1f} MB: median {statistics.median(seconds):.2f} s, slowest {max(seconds):.2f} s, {megabytes:.0f} MiB")


if __name__ == "__main__":
    main()

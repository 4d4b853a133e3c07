"""The stages of a small model of every framework, in different surroundings: all files have the same bytes.

The test runs them in a few that any machine has. `tools/test_determinism` runs this with --full: also as another user, on a host of another
name, without address space randomization, and on processors of other instruction sets, which qemu emulates. Prints a line for each.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

FRAMEWORKS = {
    "ONNX": {"model": "models/branches/model.onnx", "meta": "rules/tests/entropy.yaml", "pictures": True},
    "TensorFlow Lite": {
        "model": "models/classifier/model.tflite",
        "meta": "inputs: [{format: rgb keep_proportions=0, scale: 1}]\nquantization: {mode: full, data_type: int8}\n",
        "pictures": True,
    },
    "TensorFlow": {
        "is_small": True,
        "model": "testdata/fuzz/tensorflow/convolution.pb",
        "meta": "inputs: [{name: x, shape: [1, 4, 4, 2]}]\noutputs: [{name: y}]\nquantization: {data_type: int16, dataset: random}\n",
    },
    "Caffe": {
        "is_small": True,
        "model": "testdata/fuzz/caffe/convolution.caffe",
        "meta": "quantization: {scheme: perchannel_symmetric_affine, data_type: int8, dataset: random}\n",
    },
    "TorchScript": {
        "is_small": True,
        "model": "testdata/torchscript/convolutions_traced.pt",
        "meta": "inputs: [{name: input0, shape: [1, 3, 9, 8]}]\nquantization: {dataset: random, options: {equalize: true}}\n",
    },
}
PICTURE = "models/yolov5_face/sample.jpg"
STAGES = ["import", "calibrate", "quantize", "compile"]
SHARDS = 2
USUAL = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
# Processors of qemu, the instructions that Highway and libm choose there.
PROCESSORS = {"SSE4": "Nehalem", "AVX2": "max"}


class Surroundings:
    """Where programs run: what is put before their command line, their variables, and how many threads they use."""

    def __init__(self, prefix=(), variables=None, umask=0o022, threads=1, is_slow=False):
        self.prefix = list(prefix)
        self.variables = {**USUAL, **(variables or {})}
        self.umask = umask
        self.threads = threads
        self.is_slow = is_slow  # runs the smallest models only


SHORT = {
    "as usual": Surroundings(),
    "another time zone, locale, home and umask": Surroundings(
        variables={"HOME": "/nowhere", "LANG": "de_DE.UTF-8", "LC_ALL": "POSIX", "TZ": "Asia/Kathmandu", "USER": "someone"}, umask=0o077),
    "3 threads": Surroundings(threads=3),
}
FULL = {
    "16 threads": Surroundings(threads=16),
    "another user": Surroundings(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]),
    "another host name": Surroundings(["unshare", "-u", "sh", "-c", 'hostname another-host && exec "$@"', "sh"]),
    "no address space randomization": Surroundings(["setarch", "-R"]),
    "glibc without AVX2, FMA and AVX-512": Surroundings(
        variables={"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-AVX512F,-AVX512F_Usable"}),
    **{name: Surroundings(["qemu-x86_64", "-cpu", processor], is_slow=True) for name, processor in PROCESSORS.items()},
}


class Converter:
    """Runs the stages of one model in a folder."""

    def __init__(self, programs, surroundings, folder):
        self.programs = programs
        self.surroundings = surroundings
        self.folder = folder

    def run(self, stage, *arguments):
        surroundings = self.surroundings
        command = [*surroundings.prefix, self.programs[stage], stage, *arguments]
        ran = subprocess.run(command, cwd=self.folder, env={"PATH": os.environ["PATH"], **surroundings.variables}, umask=surroundings.umask,
                             capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit status {ran.returncode}: {ran.stderr}")

    def part(self, stage):
        self.run("metapart", "--stage", stage, "--meta", "meta.yaml", "--out", stage + ".yaml")
        return ["--meta", stage + ".yaml"]

    def convert(self, model, samples):
        self.run("import", *self.part("import"), *model, "--out", "model.sir")
        calibrate, stats = self.part("calibrate"), []
        for shard in range(SHARDS if samples else 1):
            out = f"{shard}.stats"
            stats += ["--stats", out]
            dealt = ["--samples", *samples, "--shard", str(shard), "--shards", str(SHARDS)] if samples else []
            self.run("calibrate", *calibrate, "--graph", "model.sir", *dealt, "--threads", str(self.surroundings.threads), "--out", out)
        self.run("quantize", *self.part("quantize"), "--graph", "model.sir", *stats, "--out", "model.qsir", "--info", "info.yaml")
        self.run("compile", *self.part("compile"), "--graph", "model.qsir", "--target", "VS680", "--out", "model.synap", "--info", "info.txt")


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def read(path):
    with open(path, "rb") as file:
        return file.read()


def add_inputs(framework, folder):
    """Copies what a model is made of, which another user may read; returns the model's arguments and the samples."""
    meta = framework["meta"]
    write(os.path.join(folder, "meta.yaml"), meta if "\n" in meta else read(meta))
    samples = []
    for name in ["a.jpg", "b.jpg", "c.jpg"] if framework.get("pictures") else []:
        shutil.copyfile(PICTURE, os.path.join(folder, name))
        samples.append(name)
    model = framework["model"]
    if model.endswith(".caffe"):
        # The corpus has network and weights in one file.
        network, weights = read(model).split(b"\0", 1)
        write(os.path.join(folder, "model.prototxt"), network)
        write(os.path.join(folder, "model.caffemodel"), weights)
        return ["--model", "model.prototxt", "--weights", "model.caffemodel"], samples
    name = "model" + os.path.splitext(model)[1]
    shutil.copyfile(model, os.path.join(folder, name))
    return ["--model", name], samples


def made(programs, reader, framework, surroundings):
    """SHA-256 by the name of each file that a conversion makes."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        arguments, samples = add_inputs(framework, folder)
        inputs = set(os.listdir(folder))
        if framework["model"].endswith(".pt"):
            arguments += ["--torchscript-reader", reader]
        Converter(programs, surroundings, folder).convert(arguments, samples)
        files = sorted(set(os.listdir(folder)) - inputs)
        return {file: hashlib.sha256(read(os.path.join(folder, file))).hexdigest() for file in files}


def copies(programs, folder):
    """Copies of programs, or their places if there are none: Bazel's folder may be closed to other users."""
    os.chmod(folder, 0o755)
    return [shutil.copy(program, folder) if os.path.exists(program) else program for program in programs]


def main():
    with tempfile.TemporaryDirectory() as folder:
        compare(copies([path for path in sys.argv[1:] if path != "--full"], folder), "--full" in sys.argv)


def compare(paths, full):
    *stages, reader = paths
    programs = dict(zip(["metapart"] + STAGES, stages))
    failed = False
    frameworks = {name: framework for name, framework in FRAMEWORKS.items() if name != "TorchScript" or os.path.exists(reader)}
    expected = {name: made(programs, reader, framework, SHORT["as usual"]) for name, framework in frameworks.items()}
    for where, surroundings in {**SHORT, **(FULL if full else {})}.items():
        others = []
        run = {name: framework for name, framework in frameworks.items() if framework.get("is_small") or not surroundings.is_slow}
        for name, framework in run.items():
            found = made(programs, reader, framework, surroundings)
            others += [f"{name}: {file}" for file in sorted({*expected[name], *found}) if expected[name].get(file) != found.get(file)]
        files = sum(len(expected[name]) for name in run)
        print(f"{where}: " + (f"other bytes, {', '.join(others)}" if others else f"{files} files of {', '.join(run)}: the same bytes"),
              flush=True)
        failed = failed or bool(others)
    sys.exit(failed)


if __name__ == "__main__":
    main()

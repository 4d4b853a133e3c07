"""The stages of a small model of every framework, in different surroundings: all files have the same bytes.

The test runs them in a few that any machine has. `tools/test_determinism` runs this with --full=<library>: also as another user, on a host of
another name, without address space randomization, with fewer of this processor's instructions, which the library hides from a program, and on
processors of other instruction sets, which qemu emulates. Prints a line for each.
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

    def __init__(self, prefix=(), variables=None, umask=0o022, threads=1, is_slow=False, instructions=None, has_extensions=True):
        self.prefix = list(prefix)
        self.variables = {**USUAL, **(variables or {})}
        self.umask = umask
        self.threads = threads
        self.is_slow = is_slow  # runs the smallest models only
        self.instructions = instructions  # Highway's best target; None: that of the processor
        self.has_extensions = has_extensions  # those of kernels/shared/cpu_extensions.h

    def hidden(self, program, library):
        """The variables with which `library` hides the other instructions from `program`."""
        if not self.instructions:
            return {}
        variables = {"LD_PRELOAD": library, "SYNAP_BEST_TARGET": self.instructions}
        symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
        switches = [line.split()[0] for line in symbols if line.endswith("switched_offE")]
        if has_kernels(program) and len(switches) != 1:
            sys.exit(f"{program}: {len(switches)} symbols switched_off, expected that of kernels/shared/cpu_extensions.cc")
        return variables if self.has_extensions else {**variables, **{"SYNAP_SWITCH": switch for switch in switches}}


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
    "AVX-512 without VNNI and VBMI": Surroundings(instructions="AVX3", has_extensions=False),
    "AVX2 with VNNI": Surroundings(instructions="AVX2"),
    "AVX2 without VNNI": Surroundings(instructions="AVX2", has_extensions=False),
    "SSE4": Surroundings(instructions="SSE4", has_extensions=False),
    "SSSE3": Surroundings(instructions="SSSE3", has_extensions=False),
    "glibc without AVX2, FMA and AVX-512": Surroundings(
        variables={"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-AVX512F,-AVX512F_Usable"}),
    **{f"{name} of qemu": Surroundings(["qemu-x86_64", "-cpu", processor], is_slow=True) for name, processor in PROCESSORS.items()},
}


def has_kernels(program):
    return "metapart" not in program


class Converter:
    """Runs the stages of one model in a folder. `library`: what hides instructions, if any surroundings do."""

    def __init__(self, programs, library, surroundings, folder):
        self.programs = programs
        self.library = library
        self.surroundings = surroundings
        self.folder = folder

    def run(self, stage, *arguments):
        surroundings = self.surroundings
        command = [*surroundings.prefix, self.programs[stage], stage, *arguments]
        variables = {"PATH": os.environ["PATH"], **surroundings.variables, **surroundings.hidden(self.programs[stage], self.library)}
        ran = subprocess.run(command, cwd=self.folder, env=variables, umask=surroundings.umask,
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


def made(programs, reader, library, framework, surroundings):
    """SHA-256 by the name of each file that a conversion makes."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        arguments, samples = add_inputs(framework, folder)
        inputs = set(os.listdir(folder))
        if framework["model"].endswith(".pt"):
            arguments += ["--torchscript-reader", reader]
        Converter(programs, library, surroundings, folder).convert(arguments, samples)
        files = sorted(set(os.listdir(folder)) - inputs)
        return {file: hashlib.sha256(read(os.path.join(folder, file))).hexdigest() for file in files}


def copies(programs, folder):
    """Copies of programs, or their places if there are none: Bazel's folder may be closed to other users."""
    os.chmod(folder, 0o755)
    return [shutil.copy(program, folder) if os.path.exists(program) else program for program in programs]


def main():
    with tempfile.TemporaryDirectory() as folder:
        library = [argument.split("=", 1)[1] for argument in sys.argv[1:] if argument.startswith("--full=")]
        compare(copies([path for path in sys.argv[1:] if not path.startswith("--full=")], folder), library[0] if library else None)


def compare(paths, library):
    *stages, reader = paths
    programs = dict(zip(["metapart"] + STAGES, stages))
    failed = False
    frameworks = {name: framework for name, framework in FRAMEWORKS.items() if name != "TorchScript" or os.path.exists(reader)}
    expected = {name: made(programs, reader, library, framework, SHORT["as usual"]) for name, framework in frameworks.items()}
    for where, surroundings in {**SHORT, **(FULL if library else {})}.items():
        others = []
        run = {name: framework for name, framework in frameworks.items() if framework.get("is_small") or not surroundings.is_slow}
        for name, framework in run.items():
            found = made(programs, reader, library, framework, surroundings)
            others += [f"{name}: {file}" for file in sorted({*expected[name], *found}) if expected[name].get(file) != found.get(file)]
        files = sum(len(expected[name]) for name in run)
        print(f"{where}: " + (f"other bytes, {', '.join(others)}" if others else f"{files} files of {', '.join(run)}: the same bytes"),
              flush=True)
        failed = failed or bool(others)
    sys.exit(failed)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs the node cases of the installed `onnx` package, which is newer than Debian's, through the importer.

    python3 -m venv .cache/onnx && .cache/onnx/bin/pip install onnx==1.23.2 numpy==1.26.4
    ./bazelw build //compiler/import/onnx/conformance:node_conformance_test
    .cache/onnx/bin/python benchmarks/peers/run_onnx_node_cases.py --bin bazel-bin

Counts the cases that pass and those that are refused, of all, and names those that give another value, type or shape than ONNX expects.
Works with onnx 1.17 to 1.23; the expected values depend on NumPy's version. --failures: a file for one line for each case that doesn't pass.
"""

import argparse
import os
import re
import subprocess
import tempfile

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

TEST = "compiler/import/onnx/conformance/node_conformance_test"
# A case that ran: "element 3 is 0, expected 1", "it gives float32 2, expected uint8 2", "it has 1 outputs, expected 2".
DIFFERS = re.compile(r"(element \d+ is .*|it gives .*|it has \d+ outputs), expected ")


def tensor(value, name):
    if not isinstance(value, onnx.TensorProto):
        value = numpy_helper.from_array(numpy.asarray(value), name)
    value.name = name
    return value


def proto(value, info):
    """The value as the suite's files have it, by the type that the model declares."""
    if info.type.HasField("sequence_type"):
        return numpy_helper.from_list(value, info.name)
    if info.type.HasField("optional_type"):
        return numpy_helper.from_optional(value, info.name)
    return tensor(value, info.name)


def write_case(case, folder):
    """Writes the files of a case, as the suite's folders have them."""
    os.makedirs(folder)
    onnx.save(case.model, f"{folder}/model.onnx")
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = f"{folder}/test_data_set_{number}"
        os.makedirs(data)
        graph = case.model.graph
        for kind, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for i, value in enumerate(values):
                info = infos[i] if i < len(infos) else onnx.ValueInfoProto()
                with open(f"{data}/{kind}_{i}.pb", "wb") as file:
                    file.write(proto(value, info).SerializeToString())


def run_cases(binary, folder):
    """Runs the test over the written cases: how many pass, and (case, message) of the others."""
    nothing = f"{folder}/expected_failures.txt"
    open(nothing, "w").close()
    run = subprocess.run([binary, f"{folder}/node", nothing], capture_output=True, text=True)
    passed = re.search(r"^node: (\d+) of", run.stdout, re.MULTILINE)
    if passed is None:
        raise SystemExit(f"{binary} ended with {run.returncode}:\n{run.stderr[-2000:]}")
    return int(passed.group(1)), sorted(re.findall(r"^node/(\S+): (.*)$", run.stdout + run.stderr, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="bazel-bin", help="the build's outputs")
    parser.add_argument("--failures", help="a file to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = collect_testcases(None)
        for case in cases:
            write_case(case, f"{folder}/node/{case.name}")
        passed, failures = run_cases(f"{arguments.bin}/{TEST}", folder)
    differ = [f"{name}: {message}" for name, message in failures if DIFFERS.search(message)]
    print(f"onnx {onnx.__version__}: {passed} of {len(cases)} cases pass, {len(failures) - len(differ)} are refused, {len(differ)} differ")
    print("\n".join(differ))
    if arguments.failures:
        with open(arguments.failures, "w") as file:
            file.writelines(f"{name}: {message}\n" for name, message in failures)


if __name__ == "__main__":
    main()

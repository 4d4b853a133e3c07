#!/usr/bin/env python3
"""Runs the node cases of the installed `onnx` package, which is newer than Debian's, through the importer.

    python3 -m venv .cache/onnx && .cache/onnx/bin/pip install onnx==1.23.2
    ./bazelw build //compiler/import/onnx/conformance:node_conformance_test
    .cache/onnx/bin/python benchmarks/peers/run_onnx_node_cases.py --bin bazel-bin

Cases whose inputs or outputs are sequences or absent are left out. Of the others it counts those that pass, those that are refused, and
names those with other values than ONNX expects. --failures: a file for one line for each case that doesn't pass.
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


def tensor(value, name):
    if not isinstance(value, onnx.TensorProto):
        value = numpy_helper.from_array(numpy.asarray(value), name)
    value.name = name
    return value


def write_case(case, folder):
    """Writes the files of a case, as the suite's folders have them; whether it consists of tensors alone."""
    for inputs, outputs in case.data_sets:
        if any(value is None or isinstance(value, (list, dict)) for value in [*inputs, *outputs]):
            return False
    os.makedirs(folder)
    onnx.save(case.model, f"{folder}/model.onnx")
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = f"{folder}/test_data_set_{number}"
        os.makedirs(data)
        graph = case.model.graph
        for kind, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for i, value in enumerate(values):
                with open(f"{data}/{kind}_{i}.pb", "wb") as file:
                    file.write(tensor(value, infos[i].name if i < len(infos) else "").SerializeToString())
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="bazel-bin", help="the build's outputs")
    parser.add_argument("--failures", help="a file to write")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = [case for case in collect_testcases(None) if case.model is not None]
        written = sum(write_case(case, f"{folder}/node/{case.name}") for case in cases)
        nothing = f"{folder}/expected_failures.txt"
        open(nothing, "w").close()
        run = subprocess.run([f"{arguments.bin}/{TEST}", f"{folder}/node", nothing], capture_output=True, text=True)
    failures = re.findall(r"^node/(\S+): (.*)$", run.stdout + run.stderr, re.MULTILINE)
    passed = re.search(r"^node: (\d+) of", run.stdout, re.MULTILINE)
    if passed is None:
        raise SystemExit(f"{TEST} ended with {run.returncode}:\n{run.stderr[-2000:]}")
    wrong = [f"{name}: {message}" for name, message in failures if re.search(r"element \d+ is .*, expected ", message)]
    print(f"onnx {onnx.__version__}: {passed.group(1)} of {written} cases pass, {len(failures) - len(wrong)} are refused or of another "
          f"type, {len(wrong)} have other values")
    print("\n".join(sorted(wrong)))
    if arguments.failures:
        with open(arguments.failures, "w") as file:
            file.writelines(f"{name}: {message}\n" for name, message in sorted(failures))


if __name__ == "__main__":
    main()

"""Conversion of models and runs on the emulated NPU, for the comparisons with others' runtimes."""

import json
import os
import subprocess
import zipfile

import numpy


def synap(binaries, command, *arguments):
    """Runs a command of synap; its warnings. RuntimeError with what synap says."""
    program = f"{binaries}/compiler/convert/cli/synap"
    result = subprocess.run([program, command, *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip() or f"synap {command}: exit status {result.returncode}")
    return result.stderr


def convert(binaries, model, folder, *arguments):
    """Writes folder/model.synap; its inputs and its outputs as model.json describes them. RuntimeError with what synap says."""
    synap(binaries, "convert", "--silent", "--model", model, "--target", "VS680", "--out-dir", folder, *arguments)
    with zipfile.ZipFile(f"{folder}/model.synap") as bundle:
        pieces = json.loads(bundle.read("bundle.json"))
        descriptions = [json.loads(bundle.read(piece["meta"])) for piece in pieces["graph"]]
    inputs, outputs = ([list(description[kind].values()) for description in descriptions] for kind in ("Inputs", "Outputs"))
    if pieces["outputs"] is None:
        return inputs[0], outputs[0]
    of_network = {source["out"]: inputs[i][j] for i, piece in enumerate(pieces["graph"])
                  for j, source in enumerate(piece["inputs"]) if source["subgraph"] == -1}
    return [of_network[i] for i in sorted(of_network)], [outputs[each["subgraph"]][each["out"]] for each in pieces["outputs"]]


def dtype_of(tensor):
    """The type of an input or output as model.json describes it."""
    return numpy.dtype({"byte": "uint8"}.get(tensor["dtype"], tensor["dtype"]))


def quantized(value, tensor):
    """Float values as an input of the network takes them."""
    if "quantize" not in tensor:
        return value.astype(numpy.float32)
    dtype = dtype_of(tensor)
    quantize, limits = tensor["quantize"], numpy.iinfo(dtype)
    scale = 2.0 ** -quantize["fl"] if "fl" in quantize else quantize["scale"]
    steps = numpy.rint(value.astype(numpy.float64) / scale) + quantize.get("zero_point", 0)
    return numpy.clip(steps, limits.min, limits.max).astype(dtype)


def noise(options, tensor, seed):
    """A value for an input as model.json describes it: from options.low to options.high, over the whole range of a quantized type."""
    generator = numpy.random.default_rng(seed)
    dtype = dtype_of(tensor)
    if dtype.kind == "f":
        return generator.uniform(options.low, options.high, tensor["shape"]).astype(dtype)
    limits = numpy.iinfo(dtype) if "quantize" in tensor else numpy.iinfo(numpy.int8)
    low = limits.min if "quantize" in tensor else 0
    return generator.integers(low, limits.max, tensor["shape"], dtype=dtype, endpoint=True)


def write_metafile(folder, lines, inputs, samples, value_of):
    """A metafile that ends in `lines`, of `quantization`, and in a dataset: value_of(tensor, sample) for each input. Its path."""
    lines = [*lines, "  dataset:"]
    for index, tensor in enumerate(inputs):
        for sample in range(samples):
            numpy.save(f"{folder}/input{index}_{sample}.npy", value_of(tensor, sample))
        lines.append(f"  - input{index}_*.npy")
    path = f"{folder}/quantize.yaml"
    with open(path, "w", encoding="utf-8") as metafile:
        metafile.write("\n".join(lines) + "\n")
    return path


def run(binaries, folder, values):
    """Runs folder/model.synap over one array for each input; writes output_raw_<i>.dat and, as float32, output_float_<i>.dat there."""
    command = [os.path.abspath(f"{binaries}/runtime/cli/synap_cli"), "-m", "model.synap", "--dump-raw", "--dump-out"]
    for i, value in enumerate(values):
        value.tofile(f"{folder}/input_{i}.dat")
        command.append(f"input_{i}.dat")
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def part_of_range(expected, found):
    """The largest difference, as a part of the range of what is expected; of what is all but constant, as a part of its magnitude. Infinite
    where one is NaN or infinite and the other isn't that."""
    same = (expected == found) | (numpy.isnan(expected) & numpy.isnan(found))
    if same.all():
        return 0.0
    finite = expected[numpy.isfinite(expected)]
    if not (numpy.isfinite(expected) & numpy.isfinite(found))[~same].all():
        return numpy.inf
    extent, magnitude = float(finite.max() - finite.min()), float(numpy.abs(finite).max())
    return float(numpy.abs(found[~same] - expected[~same]).max()) / ((extent if extent > magnitude / 1000 else magnitude) or 1.0)


def compare_output(folder, index, name, expected):
    """Prints a row for float output `index` of a run; whether it has as many values as expected."""
    found = numpy.fromfile(f"{folder}/output_float_{index}.dat", numpy.float32)
    if found.size != expected.size:
        print(f"    {name}: {found.size} values, expected {expected.size}")
        return False
    difference = part_of_range(expected.astype(numpy.float32), found.reshape(expected.shape))
    print(f"    {name} {list(expected.shape)}: {difference:.2e} of its range")
    return True

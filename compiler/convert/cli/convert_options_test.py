"""Options of synap convert, and fields of the metafile that need a whole conversion, from the command line."""

import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import unittest
import zipfile
import zlib

SYNAP, SYNAP_CLI, MODEL, ONNX = [os.path.abspath(path) for path in sys.argv[1:5]]


def run(*args, program=SYNAP, **environment):
    result = subprocess.run(
        [program, *args], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    return result.returncode, result.stdout, result.stderr


def convert(folder, *args, model=MODEL, meta=None):
    if meta is not None:
        with open(folder + ".yaml", "w") as file:
            file.write(meta)
        args = ("--meta", folder + ".yaml", *args)
    return run("convert", "--model", model, "--target", "VS680", "--out-dir", folder, *args)


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def metadata(folder):
    with zipfile.ZipFile(os.path.join(folder, "model.synap")) as bundle:
        return json.loads(bundle.read("0/model.json"))


def tensors(folder, side):
    return [(t["shape"], t["format"], t.get("data_format", "")) for t in metadata(folder)[side].values()]


def write_samples(folder, count):
    """Values for conv.onnx's input, float32[1, 2, 4, 4], of which each is a little larger than the one before."""
    os.makedirs(folder, exist_ok=True)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 4, 4), }".ljust(117) + "\n"
    for i in range(count):
        with open(os.path.join(folder, f"{i:02}.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
            file.write(struct.pack("<32f", *[(1 + i / 8) * ((j * 37 % 64) / 32 - 1) for j in range(32)]))


def write_png(path, channels, side=32):
    """A picture of one colour: gray (1), RGB (3) or half transparent RGBA (4)."""
    colour_type = {1: 0, 3: 2, 4: 6}[channels]
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(
        ">I", zlib.crc32(kind + data)
    )
    rows = b"".join(b"\0" + bytes([40, 80, 120, 160][:channels]) * side for _ in range(side))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, colour_type, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(rows)))
        file.write(chunk(b"IEND", b""))


class ConvertOptionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(os.environ["TEST_TMPDIR"])

    def test_options_can_be_abbreviated(self):
        self.assertEqual(
            run("convert", "--mod", MODEL, "--tar=VS680", "--out-d", "short", "--sil"), (0, "", "")
        )
        self.assertTrue(os.path.exists("short/model.synap"))
        code, _, err = convert("short", "--pr")
        self.assertEqual(code, 1)
        self.assertIn("option '--pr' is the beginning of several, expected one of --preserve", err)

    def test_the_loss_is_told_unless_asked_otherwise(self):
        meta = "quantization: {dataset: random, data_type: int16}\n"
        code, out, _ = convert("told", model=ONNX, meta=meta)
        self.assertEqual(code, 0)
        self.assertRegex(out, r"on VS680, SQNR \d+\.\d dB on 1 calibration sample, ")
        self.assertIn("Against the float network, 1 calibration sample: SQNR ", read("told", "model_info.txt"))
        code, out, _ = convert("untold", "--no-measure", model=ONNX, meta=meta)
        self.assertEqual(code, 0)
        self.assertNotIn("SQNR", out)
        self.assertNotIn("Against", read("untold", "model_info.txt"))

    def test_samples_are_held_out_of_the_measure_where_there_are_enough(self):
        write_samples("many", 20)
        meta = "quantization: {dataset: 'many/*.npy'%s}\n"
        code, out, err = convert("held_out", model=ONNX, meta=meta % "")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r", SQNR \d+\.\d dB on 6 held-out samples, no warnings\n$")
        self.assertIn("Against the float network, 6 held-out samples: SQNR ", read("held_out", "model_info.txt"))
        self.assertEqual(convert("held_out", model=ONNX, meta=meta % "")[1], out)
        # The artifact is the same: all samples calibrate it.
        self.assertEqual(convert("all", "--no-measure", model=ONNX, meta=meta % "")[0], 0)
        for name in ("model.synap", "quantization_info.yaml"):
            with open("held_out/" + name, "rb") as one, open("all/" + name, "rb") as other:
                self.assertEqual(one.read(), other.read(), name)
        # Rounding by samples again would take as long as the conversion.
        code, out, err = convert("rounded", model=ONNX, meta=meta % ", effort: best")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r" dB on 16 calibration samples, ")

    def test_the_loss_is_a_file_that_the_report_shows(self):
        write_samples("few", 3)
        meta = "quantization: {dataset: 'few/*.npy'}\n"
        code, out, _ = convert("figures", model=ONNX, meta=meta)
        self.assertEqual(code, 0)
        loss = json.loads(read("figures", "quantization_loss.json"))
        self.assertEqual((loss["target"], loss["samples"], loss["held_out"]), ("VS680", 3, False))
        self.assertEqual([sorted(output) for output in loss["outputs"]], [["name", "sqnr_db"]])
        self.assertIn(f", {loss['text']} on 3 calibration samples, ", out)
        self.assertGreater(loss["float_ms"], 0)
        with open("figures/model.synap", "rb") as file:
            self.assertEqual(loss["sha256"], hashlib.sha256(file.read()).hexdigest())
        self.assertEqual(run("report", "figures/model.synap"), (0, "", ""))
        self.assertIn(loss["text"], read("figures", "model.html"))
        self.assertIn("3 calibration samples", read("figures", "model.html"))
        # That of another model isn't.
        self.assertEqual(convert("another", "--no-measure", model=ONNX, meta="quantization: {dataset: random}\n")[0], 0)
        self.assertFalse(os.path.exists("another/quantization_loss.json"))
        code, _, err = run("report", "another/model.synap", "--loss", "figures/quantization_loss.json")
        self.assertEqual(code, 1)
        self.assertIn("figures/quantization_loss.json: it is of the model ", err)
        shutil.copy("figures/quantization_loss.json", "another/quantization_loss.json")
        self.assertEqual(run("report", "another/model.synap"), (0, "", ""))
        self.assertNotIn(loss["text"], read("another", "model.html"))

    def test_effort_replaces_that_of_the_metafile(self):
        fields = "algorithm: auto, options: {rounding: auto, bias_correction: full}, "
        meta = "quantization: {%sdataset: random}\n"
        for folder, text, args in (
            ("fields", fields, ()),
            ("best", "effort: best, ", ()),
            ("replaced", "effort: fast, ", ("--effort", "best")),
            ("plain_effort", "", ()),
            ("fast", "", ("--effort", "fast")),
        ):
            code, out, err = convert(folder, *args, model=ONNX, meta=meta % text)
            self.assertEqual((code, err), (0, ""), folder)
            self.assertEqual("SQNR" in out, folder != "fast", folder)
        bundles = {}
        for folder in ("fields", "best", "replaced", "plain_effort", "fast"):
            with open(folder + "/model.synap", "rb") as file:
                bundles[folder] = file.read()
        self.assertEqual(bundles["best"], bundles["fields"])
        self.assertEqual(bundles["replaced"], bundles["fields"])
        self.assertEqual(bundles["fast"], bundles["plain_effort"])

    def test_effort_of_a_network_that_stays_float_is_told(self):
        code, out, err = convert("float", "--effort", "best", model=ONNX)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("Note: --effort: without 'quantization' in the metafile the network stays float", out)
        code, _, err = convert("float", "--effort", "bast", model=ONNX)
        self.assertEqual(code, 1)
        self.assertIn("--effort", err)

    def test_the_model_needs_no_name(self):
        code, out, err = run("convert", MODEL, "--target", "VS680", "--out-dir", "by_position")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(os.path.exists("by_position/model.synap"))
        code, _, err = run("convert", MODEL, "--target", "VS680", "--output", "elsewhere")
        self.assertEqual(code, 1)
        self.assertIn("convert has no option '--output' (did you mean '--out-dir'?)", err)

    def test_profiling_marks_the_model(self):
        self.assertEqual(convert("profiled", "--silent", "--profiling"), (0, "", ""))
        self.assertIs(metadata("profiled")["profiling"], True)
        self.assertEqual(convert("plain", "--silent"), (0, "", ""))
        self.assertNotIn("profiling", metadata("plain"))

    def test_cpu_profiling_measures_the_layers_here(self):
        self.assertEqual(convert("measured", "--silent", "--cpu-profiling", "--preserve"), (0, "", ""))
        lines = read("measured", "cpu_profile.txt").splitlines()
        self.assertEqual(lines[0], "| lyr |    cycle | time_us |  byte_rd |  byte_wr | ot | name")
        self.assertTrue(all(re.match(r"\| +\d+ \|", line) for line in lines[1:]), lines)
        self.assertGreater(len(lines), 5)
        recorded = os.listdir("measured/build/tensors")
        self.assertIn("input_0.npy", recorded)
        self.assertIn("output_0.npy", recorded)
        self.assertGreaterEqual(len(recorded), len(lines) - 1)
        self.assertEqual(convert("measured", "--silent"), (0, "", ""))
        self.assertFalse(os.path.exists("measured/cpu_profile.txt"))

    def test_debug_keeps_the_passes(self):
        code, out, err = convert("debugged", "--debug")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("import: done", out)
        passes = read("debugged", "build", "passes.txt")
        self.assertIn("# after fold_constants\ngraph ", passes)
        self.assertRegex(passes, r"merge_duplicates +\d+ rewrites")
        self.assertTrue(os.path.exists("debugged/build/conversion_log.txt"))
        self.assertTrue(os.path.exists("debugged/build/model.onnx"))

    def test_folders_of_the_closed_toolkit_are_named_as_unused(self):
        code, out, err = convert("folders", "--tools-dir", "/opt/tools", "--vssdk-dir", "/opt/vssdk")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("Note: --tools-dir: '/opt/tools' isn't used", out)
        self.assertIn("Note: --vssdk-dir: '/opt/vssdk' isn't used", out)

    def test_out_format_nb_writes_the_program_and_its_metadata(self):
        self.assertEqual(convert("legacy", "--silent", "--out-format", "nb"), (0, "", ""))
        files = sorted(name for name in os.listdir("legacy") if name.startswith("model"))
        self.assertEqual(files, ["model.json", "model.nb", "model_info.txt"])
        code, out, err = run("-m", "legacy/model.nb", "--meta", "legacy/model.json", "random", program=SYNAP_CLI)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("Predict #0", out)
        code, _, err = convert("legacy", "--out-format", "ebg")
        self.assertEqual((code, err), (0, "Warning: output format ebg is deprecated, use nb\n"))


class MetafileFieldsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(os.environ["TEST_TMPDIR"])

    def test_data_layout_of_a_tflite_model(self):
        self.assertEqual(convert("nhwc", "--silent")[0], 0)
        ((shape, _, _),) = tensors("nhwc", "Inputs")
        self.assertEqual(convert("nchw", "--silent", "--self-test", "1", meta="data_layout: nchw")[0], 0)
        self.assertEqual(
            tensors("nchw", "Inputs"), [([shape[0], shape[3], shape[1], shape[2]], "nchw", "")]
        )
        self.assertIn("layout: nchw", read("nchw", "model_info.txt"))
        self.assertEqual(run("verify", "nchw/model.synap")[0], 0)

    def test_data_layout_of_an_onnx_model(self):
        self.assertEqual(convert("onnx", "--silent", "--self-test", "1", model=ONNX, meta="data_layout: nhwc")[0], 0)
        self.assertEqual(tensors("onnx", "Inputs"), [([1, 4, 4, 2], "nhwc", "")])
        self.assertEqual(tensors("onnx", "Outputs"), [([1, 2, 2, 2], "nhwc", "")])
        self.assertEqual(run("verify", "onnx/model.synap")[0], 0)

    def test_formats_of_all_tensors(self):
        meta = "input_format: BGR Keep_Proportions=0\noutput_format: My_Type\n"
        self.assertEqual(convert("formats", "--silent", model=ONNX, meta=meta)[0], 0)
        self.assertEqual(tensors("formats", "Inputs")[0][2], "bgr keep_proportions=0")
        self.assertEqual(tensors("formats", "Outputs")[0][2], "my_type")
        meta += "inputs: [{format: RGB}]\noutputs: [{format: Own}]\n"
        self.assertEqual(convert("formats", "--silent", model=ONNX, meta=meta)[0], 0)
        self.assertEqual(tensors("formats", "Inputs")[0][2], "RGB")
        self.assertEqual(tensors("formats", "Outputs")[0][2], "Own")

    def test_a_batch_in_an_inputs_shape_is_ignored_with_a_note(self):
        code, out, err = convert("batch", model=ONNX, meta="inputs: [{name: x, shape: [4, 2, 4, 4]}]")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(tensors("batch", "Inputs")[0][0], [1, 2, 4, 4])
        self.assertIn("Note: batch.yaml:1:10: input 'x': the batch of 4 in 'shape' is ignored", out)

    def test_shapes_of_outputs_are_checked(self):
        self.assertEqual(convert("out", "--silent", model=ONNX, meta="outputs: [{shape: [9, 2, 2, 2]}]")[0], 0)
        code, _, err = convert("out", model=ONNX, meta="outputs:\n- shape: [1, 7, 7]\n")
        self.assertEqual(code, 1)
        self.assertIn(
            "out.yaml:2:3: outputs[0].shape: output 'y' has shape 1x2x2x2 in the model, but 1x7x7 in the "
            "metafile; correct it or leave it out",
            err,
        )

    def test_full_quantizes_a_float_model(self):
        meta = "quantization: {mode: %s, dataset: random}"
        for mode in ("standard", "full"):
            self.assertEqual(convert(mode, "--silent", model=ONNX, meta=meta % mode)[0], 0)
            (value,) = metadata(mode)["Inputs"].values()
            self.assertEqual(value["dtype"], "uint8")
        with open("standard/model.synap", "rb") as standard, open("full/model.synap", "rb") as full:
            self.assertEqual(standard.read(), full.read())

    def test_full_quantizes_a_quantized_model_anew(self):
        meta = "quantization: {mode: full, data_type: int16, dataset: random}"
        self.assertEqual(convert("anew", "--silent", meta=meta)[0], 0)
        (value,) = metadata("anew")["Inputs"].values()
        self.assertEqual(value["dtype"], "int16")

    def test_full_without_a_dataset_quantizes_nothing(self):
        code, _, err = convert("nothing", model=ONNX, meta="quantization: {mode: full}")
        self.assertEqual(code, 0)
        self.assertIn("without a 'dataset' the model stays float", err)
        code, _, err = convert("nothing", meta="quantization: {mode: full}")
        self.assertEqual(code, 0)
        self.assertIn("'mode: full' without a 'dataset' leaves the model's own quantizers", err)
        self.assertEqual(convert("plain", "--silent")[0], 0)
        with open("nothing/model.synap", "rb") as nothing, open("plain/model.synap", "rb") as plain:
            self.assertEqual(nothing.read(), plain.read())

    def test_without_a_dataset_every_command_sees_the_quantizers_of_the_model(self):
        for mode in ("standard", "full"):
            with open(mode + "_mode.yaml", "w") as file:
                file.write("quantization: {mode: %s}" % mode)
            code, graph, err = run("inspect", MODEL, "--meta", mode + "_mode.yaml")
            self.assertEqual((code, err), (0, ""))
            self.assertEqual(run("import", "--model", MODEL, "--meta", mode + "_mode.yaml", "--out", mode + ".sir")[0], 0)
            if mode == "standard":
                expected = graph
        self.assertEqual(graph, expected)
        self.assertIn("layers on VS680, with 8 bits", graph)
        with open("standard.sir", "rb") as standard, open("full.sir", "rb") as full:
            self.assertEqual(standard.read(), full.read())

    def test_full_holds_for_stages_that_are_given_samples(self):
        """As build rules run them: samples from the command line, and none in the metafile."""
        with open("rule.yaml", "w") as file:
            file.write("quantization: {mode: full, data_type: int16}")
        write_png("rule.png", 3)
        for stage in ("import", "calibrate", "quantize"):
            self.assertEqual(run("metapart", "--meta", "rule.yaml", "--stage", stage, "--out", stage + ".yaml")[0], 0)
        for args in (
            ("import", "--model", MODEL, "--meta", "import.yaml", "--out", "rule.sir"),
            ("calibrate", "--graph", "rule.sir", "--meta", "calibrate.yaml", "--samples", "rule.png", "--out", "rule.stats"),
            ("quantize", "--graph", "rule.sir", "--meta", "quantize.yaml", "--stats", "rule.stats", "--out", "rule.qsir"),
            ("compile", "--graph", "rule.qsir", "--target", "VS680", "--out", "rule.synap"),
        ):
            code, _, err = run(*args)
            self.assertEqual(code, 0, err)
        with zipfile.ZipFile("rule.synap") as bundle:
            (value,) = json.loads(bundle.read("0/model.json"))["Inputs"].values()
        self.assertEqual(value["dtype"], "int16")

    def test_pictures_with_other_channels_are_converted(self):
        os.makedirs("pictures", exist_ok=True)
        for name, channels in (("a", 3), ("b", 1), ("c", 4)):
            write_png(f"pictures/{name}.png", channels)
        meta = "inputs: [{means: 128, scale: 128}]\nquantization: {mode: full, dataset: pictures/*.png}"
        code, out, err = convert("channels", meta=meta)
        self.assertEqual(code, 0)
        self.assertRegex(out, r"Note: .*1 of 3 pictures are gray \('pictures/b.png' is the first\)")
        self.assertRegex(err, r"Warning: .*1 of 3 pictures have transparent parts \('pictures/c.png' is the first\)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

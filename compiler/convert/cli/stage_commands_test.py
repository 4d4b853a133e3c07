"""The stages of a conversion as commands, and the commands that look at what they write."""

import glob
import json
import os
import shutil
import subprocess
import sys
import time
import unittest
import zipfile

SYNAP, SYNAP_CLI, MODEL, *PICTURES = [os.path.abspath(path) for path in sys.argv[1:]]
META = """
inputs: [{format: rgb keep_proportions=0, scale: 1}]
quantization: {mode: full, algorithm: kl_divergence, dataset: 'pictures/*.jpg'}
"""


def run(program, *args):
    result = subprocess.run([program, *args], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


def synap(*args):
    """The standard output of a command that has to succeed."""
    code, out, err = run(SYNAP, *args)
    assert code == 0 and not err, (args, out, err)
    return out


def read(path):
    with open(path, "rb") as file:
        return file.read()


def convert(*args):
    # Without the loss, which no stage measures.
    return synap("convert", "--no-measure", "--model", MODEL, "--meta", "model.yaml", "--target", "VS680", "--out-dir", *args)


def library_folders(program):
    """The folders of its shared libraries, which a copy of it finds by no other way."""
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return ":".join({os.path.dirname(word) for word in libraries.split() if word.startswith("/")})


class StageCommandsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(os.environ["TEST_TMPDIR"])
        os.mkdir("pictures")
        for picture in PICTURES[:4]:
            shutil.copy(picture, "pictures")
        with open("model.yaml", "w") as file:
            file.write(META)
        assert convert("out", "--silent") == ""
        synap("import", "--model", MODEL, "--meta", "model.yaml", "--out", "model.sir")
        shards = ["0.stats", "1.stats"]
        for i, shard in enumerate(shards):
            synap("calibrate", "--graph", "model.sir", "--meta", "model.yaml", "--shard", str(i), "--shards", "2", "--out", shard)
        synap("quantize", "--graph", "model.sir", "--meta", "model.yaml", "--stats", *shards, "--out", "model.qsir", "--info", "info.yaml",
              "--entropy", "entropy.txt")

    def test_stages_give_what_convert_gives(self):
        synap("metapart", "--meta", "model.yaml", "--stage", "compile", "--out", "compile.yaml")
        synap("compile", "--graph", "model.qsir", "--meta", "compile.yaml", "--target", "VS680", "--out", "model.synap", "--info",
              "info.txt")
        for made, converted in [("model.synap", "model.synap"), ("info.txt", "model_info.txt"), ("info.yaml", "quantization_info.yaml"),
                                ("entropy.txt", "quantization_entropy.txt")]:
            self.assertEqual(read(made), read(os.path.join("out", converted)), made)

    def metapart(self, text, *options):
        """Exit status and error of a part of the metafile `text`."""
        with open("part.yaml", "w", encoding="utf-8") as file:
            file.write(text)
        code, _, err = run(SYNAP, "metapart", "--meta", "part.yaml", "--stage", "calibrate", "--out", "part.out", *options)
        return code, err

    def test_parts_read_only_what_a_rule_declares(self):
        code, err = self.metapart("outputs: [{format: '${ENV:SYNAP_A} ${ENV:SYNAP_B}'}]\n")
        self.assertEqual(code, 1)
        self.assertIn('part.yaml: ${ENV:SYNAP_A}, ${ENV:SYNAP_B}: the variable isn\'t set; a rule declares it, '
                      'env = {"SYNAP_A": "...", "SYNAP_B": "..."}\n', err)
        code, err = self.metapart("outputs: [{format: '${FILE:none.txt}'}]\n")
        self.assertEqual(code, 1)
        self.assertIn("outputs[0].format: none.txt: no such file among those that the rule declares; add it to data\n", err)

    def test_parts_compare_the_declared_dataset(self):
        with open("dataset.txt", "w", encoding="utf-8") as file:
            file.write("p/samples/a.jpg\np/b.jpg\n")
        code, err = self.metapart("quantization: {dataset: samples/*.jpg}\n", "--dataset", "dataset.txt")
        self.assertEqual(code, 1)
        self.assertIn("'samples/*.jpg' doesn't match 1 of the rule's 2 samples, p/b.jpg;", err)
        code, err = self.metapart("quantization: {dataset: '*.jpg'}\n", "--dataset", "dataset.txt")
        self.assertEqual((code, err), (0, ""))

    def test_parts_tell_shards_the_last_sample_of_a_fast_calibration(self):
        with open("dataset.txt", "w", encoding="utf-8") as file:
            file.writelines(f"p/{i}.jpg\n" for i in range(10, 50))
        fast = "quantization: {effort: fast, dataset: '*.jpg'}\n"
        self.assertEqual(self.metapart(fast, "--dataset", "dataset.txt"), (0, ""))
        self.assertIn('  effort: fast\n  last_sample: "41.jpg"\n', read("part.out").decode())
        self.assertEqual(self.metapart(fast.replace("fast", "standard"), "--dataset", "dataset.txt"), (0, ""))
        self.assertNotIn("last_sample", read("part.out").decode())

    def test_a_part_of_another_metafile_is_told(self):
        synap("metapart", "--meta", "model.yaml", "--stage", "calibrate", "--out", "whole.yaml")
        synap("metapart", "--meta", "model.yaml", "--stage", "calibrate", "--check", "whole.yaml", "--out", "whole.txt")
        self.assertRegex(read("whole.txt").decode(), "^part: [0-9a-f]{64}\n$")
        code, err = self.metapart("delegate: cpu\n", "--check", "whole.yaml")
        self.assertEqual(code, 1)
        self.assertRegex(err, "whole.yaml: it is made of something else than this build asks for: what stage calibrate reads of .*part.yaml: "
                              "[0-9a-f]{64}, expected [0-9a-f]{64}; a cache gave another action's result")

    def test_a_stage_may_mark_the_model_for_profiling(self):
        synap("compile", "--graph", "model.qsir", "--meta", "model.yaml", "--target", "VS680", "--out", "profiled.synap", "--profiling")
        convert("profiled", "--profiling")
        self.assertEqual(read("profiled.synap"), read("profiled/model.synap"))
        self.assertNotEqual(read("profiled.synap"), read("out/model.synap"))

    def test_a_stage_may_record_the_self_test(self):
        synap("metapart", "--meta", "model.yaml", "--stage", "self-test", "--out", "tested.yaml")
        synap("compile", "--graph", "model.qsir", "--meta", "tested.yaml", "--target", "VS680", "--out", "tested.synap", "--profiling",
              "--self-test", "2", "--imported", "model.sir", "--samples", *sorted(glob.glob("pictures/*")))
        convert("tested", "--profiling", "--self-test", "2")
        self.assertEqual(read("tested.synap"), read("tested/model.synap"))
        self.assertIn("tested.synap: 2 samples as recorded: ", synap("verify", "tested.synap"))
        # Random samples of the graph itself.
        synap("compile", "--graph", "model.sir", "--target", "VS680", "--out", "random.synap", "--self-test", "1")
        self.assertIn("random.synap: 1 sample as recorded: ", synap("verify", "random.synap"))
        code, _, err = run(SYNAP, "compile", "--graph", "model.sir", "--target", "VS680", "--out", "no.synap", "--imported", "model.sir")
        self.assertEqual(code, 1)
        self.assertIn("--imported requires --self-test", err)

    def test_a_stage_may_write_the_program_and_its_metadata(self):
        compile_it = ["compile", "--graph", "model.qsir", "--meta", "model.yaml", "--out", "nb.synap"]
        synap(*compile_it, "--target", "VS680", "--nb", "stage.nb", "--nb-metadata", "stage.json")
        convert("legacy", "--out-format", "nb", "--silent")
        self.assertEqual(read("nb.synap"), read("out/model.synap"))
        self.assertEqual(read("stage.nb"), read("legacy/model.nb"))
        self.assertEqual(read("stage.json"), read("legacy/model.json"))
        code, _, err = run(SYNAP, *compile_it, "--target", "SL1620", "--nb", "cpu.nb", "--nb-metadata", "cpu.json")
        self.assertEqual((code, err), (1, "Error: --nb: SL1620 has no NPU, expected a target with one, which runs model.nb; leave it out\n"))
        with open("pieces.yaml", "w") as file:
            file.write("delegate: {'*': default, functional_1/global_average_pooling2d_1/Mean: cpu}\n")
        code, _, err = run(SYNAP, "compile", "--graph", "model.qsir", "--meta", "pieces.yaml", "--target", "VS680", "--out", "pieces.synap",
                           "--nb", "pieces.nb", "--nb-metadata", "pieces.json")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"Error: --nb: the layers run on several delegates, in \d+ subgraphs, which only model.synap holds; leave it out")
        code, _, err = run(SYNAP, *compile_it, "--target", "VS680", "--nb", "alone.nb")
        self.assertEqual(code, 1)
        self.assertIn("--nb requires --nb-metadata", err)

    def test_a_model_that_only_converts(self):
        convert("network", "--silent")
        arguments = ["preprocess", "network/model.synap", "--type", "nv12", "--size", "320", "240", "--target", "VS680"]
        synap(*arguments, "--out", "nv12.synap", "--info", "nv12.txt", "--provenance", "nv12.provenance")
        self.assertIn("uv8", read("nv12.txt").decode())
        code, _, err = run(SYNAP_CLI, "-m", "nv12.synap", "random")
        self.assertEqual((code, err), (0, ""))
        check = ["provenance", "nv12.synap", "--stage", "preprocess", "--provenance", "nv12.provenance", "--model", "network/model.synap",
                 "--info", "nv12.txt", "--target", "VS680", "--type"]
        synap(*check, "nv12", "--size", "320", "240")
        code, _, err = run(SYNAP, *check, "nv21", "--size", "320", "240")
        self.assertEqual(code, 1)
        self.assertIn("type: nv12, expected nv21", err)

        def error(*args):
            code, _, err = run(SYNAP, *args)
            self.assertEqual(code, 1)
            return err

        self.assertIn("network/model.synap: the model has no input 'y', expected --input to name one of '",
                      error(*arguments, "--out", "no.synap", "--input", "y"))
        self.assertIn("--type", error(*arguments[:2], "--type", "jpeg", "--target", "VS680", "--out", "no.synap"))
        self.assertIn("expected even sides",
                      error(*arguments[:4], "--size", "321", "240", "--target", "VS680", "--out", "no.synap"))
        self.assertFalse(os.path.exists("no.synap"))

    def test_graphs_are_exported(self):
        convert("preserving", "--preserve", "--silent")
        for graph in ["model.sir", "model_quantized.qsir"]:
            synap("export", "--graph", "preserving/build/" + graph, "--out", "exported.onnx")
            self.assertEqual(read("exported.onnx"), read("preserving/build/" + graph.split(".")[0] + ".onnx"))
        code, _, err = run(SYNAP, "export", "--graph", "none.sir", "--out", "none.onnx")
        self.assertEqual(code, 1)
        self.assertIn("none.sir: ", err)
        graph = ["--graph", "preserving/build/model_quantized.qsir"]
        code, _, err = run(SYNAP, "export", *graph, "--out", "exported.bin")
        self.assertEqual(code, 1)
        self.assertIn("--out: 'exported.bin' doesn't end in .onnx or .tflite, expected such a name or --to with the format", err)
        synap("export", *graph, "--out", "exported.bin", "--to", "onnx")
        self.assertEqual(read("exported.bin"), read("preserving/build/model_quantized.onnx"))

    def test_vendors_tools_have_profiles(self):
        convert("preserving", "--preserve", "--silent")
        graph = "preserving/build/model_quantized.qsir"
        synap("lint", graph, "--for", "rknn")
        synap("export", "--graph", graph, "--out", "rknn.onnx", "--for", "rknn")
        self.assertNotEqual(read("rknn.onnx"), read("preserving/build/model_quantized.onnx"))
        synap("lint", "rknn.onnx", "--for", "rknn")
        code, out, err = run(SYNAP, "lint", "preserving/build/model_quantized.onnx", "--for", "rknn")
        self.assertEqual(code, 1)
        self.assertIn("refused: the model has opset 21, expected 19 or lower: it refuses newer ones", out)
        self.assertIn("model_quantized.onnx: RKNN-Toolkit2 2.5.0 refuses ", err)
        with open("mine.yaml", "w", encoding="utf-8") as profile:
            profile.write("tool: mine\nlimits:\n- when: {operators: [Conv]}\n  sentence: it has none\n")
        code, _, err = run(SYNAP, "export", "--graph", graph, "--out", "mine.onnx", "--for", "./mine.yaml")
        self.assertEqual(code, 1)
        self.assertIn(graph + ": mine: node '", err)
        self.assertIn("(Conv): it has none", err)
        self.assertFalse(os.path.exists("mine.onnx"))
        code, _, err = run(SYNAP, "export", "--graph", graph, "--out", "mine.onnx", "--for", "rknm")
        self.assertEqual(code, 1)
        self.assertIn("--for: no tool is called 'rknm' (did you mean 'rknn'?)", err)

    def test_graphs_are_exported_for_tensorflow_lite(self):
        convert("exporting", "--preserve", "--silent")
        graph = "exporting/build/model_quantized.qsir"
        synap("export", "--graph", graph, "--out", "exported.tflite")
        self.assertEqual(read("exported.tflite")[4:8], b"TFL3")
        synap("export", "--graph", graph, "--to", "tflite", "--out", "exported.bin", "--fallback", "float", "--layout", "nhwc")
        self.assertEqual(read("exported.bin")[4:8], b"TFL3")
        synap("import", "--model", "exported.tflite", "--out", "again.sir")
        code, _, err = run(SYNAP, "export", "--graph", graph, "--out", "exported.onnx", "--layout", "nhwc")
        self.assertEqual(code, 1)
        self.assertIn("--fallback and --layout are of .tflite", err)

    def test_a_model_of_something_else_is_told(self):
        def compiled(target):
            synap("compile", "--graph", "model.qsir", "--meta", "model.yaml", "--target", target, "--out", "made.synap", "--provenance",
                  "provenance.txt")

        check = ["provenance", "made.synap", "--provenance", "provenance.txt", "--graph", "model.qsir", "--meta", "model.yaml", "--target",
                 "VS680", "--out", "checked.txt"]
        compiled("VS640")
        code, _, err = run(SYNAP, *check)
        self.assertEqual(code, 1)
        self.assertIn("made.synap: it is made of something else than this build asks for: target: VS640, expected VS680; a cache gave", err)
        self.assertFalse(os.path.exists("checked.txt"))
        compiled("vs680")
        synap(*check)
        self.assertEqual(read("checked.txt"), read("provenance.txt"))

    def test_a_graph_of_something_else_is_told(self):
        """What the other stages wrote, as a cache would give it: of another model, of other samples, of other statistics."""
        def refuses(says, *args):
            code, _, err = run(SYNAP, "provenance", *args, "--out", "lineage.txt")
            self.assertEqual(code, 1)
            self.assertIn("it is made of something else than this build asks for: " + says, err)
            self.assertFalse(os.path.exists("lineage.txt"))

        meta = ["--meta", "model.yaml"]
        pictures = sorted(glob.glob("pictures/*"))
        imported = ["import", "--model", MODEL, *meta, "--out", "made.sir"]
        synap(*imported, "--provenance", "import.txt", "--data", *pictures[:1])
        check = ["made.sir", "--stage", "import", "--model", MODEL, *meta, "--provenance", "import.txt"]
        synap("provenance", *check, "--data", *pictures[:1])
        refuses("data: ", *check)
        refuses("graph: ", "model.yaml", *check[1:], "--data", *pictures[:1])

        for shard in ["0", "1"]:
            synap("calibrate", "--graph", "made.sir", *meta, "--samples", *pictures, "--shard", shard, "--shards", "2", "--out",
                  f"made{shard}.stats", "--provenance", f"calibrate{shard}.txt")
        check = ["made0.stats", "made1.stats", "--stage", "calibrate", "--graph", "made.sir", *meta, "--provenance", "calibrate0.txt",
                 "calibrate1.txt", "--samples"]
        synap("provenance", *check, *pictures)
        refuses("samples: 4 files of which 1 aren't among those of this build, expected 3", *check, *pictures[:3])

        synap("quantize", "--graph", "made.sir", *meta, "--stats", "made0.stats", "made1.stats", "--out", "made.qsir", "--info", "made.yaml",
              "--provenance", "quantize.txt")
        check = ["made.qsir", "--stage", "quantize", "--graph", "made.sir", *meta, "--info", "made.yaml", "--provenance", "quantize.txt",
                 "--stats"]
        synap("provenance", *check, "made0.stats", "made1.stats")
        refuses("statistics: 2 files of which 1 aren't among those of this build, expected 1", *check, "made0.stats")
        code, _, err = run(SYNAP, "provenance", "made.qsir", *check[:3], "--provenance", "quantize.txt")
        self.assertEqual(code, 1)
        self.assertIn("--stage quantize: 2 results and 1 provenances, expected one of each; only calibrate has several", err)

    def test_verbose_tells_what_came_from_the_cache(self):
        self.assertIn("\nimport: from the cache\ncalibrate: from the cache\n", "\n" + convert("out", "--verbose"))
        self.assertIn("\nimport: done, ", "\n" + convert("other", "--verbose"))

    def test_another_program_finds_nothing_in_the_cache(self):
        for name, tail in [("same_synap", b""), ("other_synap", b"x")]:  # ignored by the loader
            with open(name, "wb") as file:
                file.write(read(SYNAP) + tail)
            os.chmod(name, 0o700)
        arguments = ["convert", "--model", MODEL, "--meta", "model.yaml", "--target", "VS680", "--out-dir", "programs", "--verbose"]
        libraries = {**os.environ, "LD_LIBRARY_PATH": library_folders(SYNAP)}

        def convert_by(program):
            result = subprocess.run([os.path.abspath(program), *arguments], capture_output=True, text=True, check=True, env=libraries)
            return result.stdout

        synap(*arguments)
        self.assertIn("\nimport: from the cache\ncalibrate: from the cache\n", "\n" + convert_by("same_synap"))
        self.assertNotIn("from the cache", convert_by("other_synap"))

    def test_cache_tells_its_size_and_empties_it(self):
        convert("sized", "--silent")
        size = sum(os.path.getsize(os.path.join("sized/cache", name)) for name in os.listdir("sized/cache"))
        self.assertEqual(synap("cache", "--out-dir", "sized"), f"sized/cache: 2 results, {size / 1024:.1f} KiB\n")
        self.assertIn("from the cache", convert("sized", "--verbose"))
        self.assertTrue(synap("cache", "--out-dir", "sized", "--clear").startswith("sized/cache: removed 2 results, "))
        self.assertEqual(os.listdir("sized/cache"), [])
        self.assertTrue(synap("cache", "--out-dir", "sized").startswith("sized/cache: 0 results, "))
        self.assertNotIn("from the cache", convert("sized", "--verbose"))
        code, _, err = run(SYNAP, "cache", "--out-dir", "none")
        self.assertEqual(code, 1)
        self.assertIn("none: found no folder, expected the output folder of a conversion", err)

    def test_cache_size_limits_the_cache(self):
        convert("limited", "--silent")
        newest = max(os.listdir("limited/cache"), key=lambda name: os.stat("limited/cache/" + name).st_size)
        limit = os.path.getsize("limited/cache/" + newest)
        out = convert("small", "--verbose", "--cache-size", str(limit))
        self.assertEqual(len(os.listdir("small/cache")), 1)
        self.assertNotIn("can't cache", out)
        self.assertIn("can't cache: a result has ", convert("tiny", "--verbose", "--cache-size", "1"))
        convert("uncached", "--silent", "--cache-size", "0")
        self.assertFalse(os.path.exists("uncached/cache"))
        code, _, err = run(SYNAP, "convert", "--model", MODEL, "--target", "VS680", "--out-dir", "refused", "--cache-size", "4 pages")
        self.assertEqual(code, 1)
        self.assertIn("--cache-size: found '4 pages', expected a whole number of bytes", err)
        self.assertFalse(os.path.exists("refused"))

    def test_samples_may_be_named(self):
        picture = sorted(glob.glob("pictures/*"))[0]
        calibrate = ["calibrate", "--graph", "model.sir", "--meta", "model.yaml", "--out"]
        synap(*calibrate, "one.stats", "--samples", picture)
        synap(*calibrate, "indexed.stats", "--samples", "0=" + picture)
        self.assertEqual(read("one.stats"), read("indexed.stats"))
        self.assertNotEqual(read("one.stats"), read("0.stats"))
        code, _, err = run(SYNAP, *calibrate, "no.stats", "--samples", "1=" + picture)
        self.assertEqual(code, 1)
        self.assertIn("the model has no input 1, expected 0 to 0", err)
        self.assertFalse(os.path.exists("no.stats"))

    def test_analysis_reads_models_and_graphs(self):
        common = ["analyze", "--meta", "model.yaml", "--max-samples", "2", "--top", "1"]
        graphs = synap(*common, "--graph", "model.sir", "--quantized", "model.qsir", "--samples", *sorted(glob.glob("pictures/*")),
                       "--json", "a.json")
        self.assertEqual(graphs.splitlines()[0], "Samples: 2")
        self.assertIn("\n1 of ", graphs)
        self.assertEqual(graphs, synap(*common, "--model", MODEL, "--out-dir", "out"))
        with open("a.json") as file:
            self.assertGreater(len(json.load(file)["layers"]), 1)

    def test_inspection_names_model_and_target(self):
        text = synap("inspect", MODEL, "--meta", "model.yaml", "--target", "VS640")
        self.assertEqual(text, synap("inspect", "--model", MODEL, "--meta", "model.yaml", "--target", "VS640"))
        self.assertIn(MODEL, text.splitlines()[0])
        self.assertIn("VS640", text)
        self.assertEqual(synap("inspect", MODEL, "--meta", "model.yaml", "--target", "VS640", "--out", "inspection.txt"), "")
        self.assertEqual(read("inspection.txt").decode(), text)

    def test_an_inspection_of_what_cannot_be_imported_is_printed(self):
        with open("unknown.yaml", "w") as file:
            file.write("outputs: [{name: none}]\n")
        code, out, err = run(SYNAP, "inspect", MODEL, "--meta", "unknown.yaml", "--out", "no_inspection.txt")
        self.assertEqual(code, 1)
        self.assertIn(MODEL, out.splitlines()[0])
        self.assertIn("none", err)
        self.assertFalse(os.path.exists("no_inspection.txt"))

    def test_passes_run_by_name(self):
        self.assertIn("\nimport    fold_constants ", synap("passes", "--list"))
        code, out, err = run(SYNAP, "passes", "--graph", "model.sir", "--run", "fold_pads,fuse_clamp", "--out", "after.sir", "--pass_timing")
        self.assertEqual((code, out), (0, ""))
        self.assertEqual([line.split()[0] for line in err.splitlines()], ["fold_pads", "fuse_clamp"])
        self.assertEqual(synap("passes", "--graph", "after.sir"), synap("passes", "--graph", "model.sir"))

    def test_the_torchscript_reader_is_a_program(self):
        with zipfile.ZipFile("net.pt", "w") as archive:
            for name in ["constants.pkl", "data.pkl", "version", "code/__torch__.py"]:
                archive.writestr("net/" + name, b"3\n")
        code, _, err = run(SYNAP, "import", "--model", "net.pt", "--out", "net.sir", "--torchscript-reader", "/no/such")
        self.assertEqual((code, err), (1, "Error: net.pt: can't run /no/such: No such file or directory\n"))

    def test_a_vendor_issues_further_keys(self):
        synap("keys", "--out-dir", "first", "--vendor-name", "Example vendor", "--model-name", "First")
        vendor = ["--vendor-key", "first/vendor.pem", "--vendor-certificate", "first/vendor.crt"]
        self.assertTrue(all(os.path.exists(path) for path in vendor[1::2]), os.listdir("first"))
        synap("keys", "--out-dir", "second", *vendor, "--model-name", "Second")
        self.assertEqual(read("first/vendor.crt"), read("second/vendor.crt"))
        code, _, err = run(SYNAP, "keys", "--out-dir", "third", "--vendor-key", "first/vendor.pem")
        self.assertEqual(code, 1)
        self.assertIn("--vendor-certificate", err)

    def test_runs_keep_a_rate(self):
        begin = time.monotonic()
        code, out, _ = run(SYNAP_CLI, "-m", "out/model.synap", "-r", "5", "--fps", "20", "zero")
        self.assertEqual(code, 0)
        self.assertIn("\nLoop period (ms): 50\n", out)
        # The first runs at once.
        self.assertGreaterEqual(time.monotonic() - begin, 0.2)

    def test_versions_are_one(self):
        version = synap("version")
        self.assertEqual([synap("--version"), synap("-v")], [version, version])
        self.assertEqual(run(SYNAP_CLI, "--version"), (0, "SyNAP version: " + version, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

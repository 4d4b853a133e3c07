"""synap check, and the analysis that it reads, from the command line."""

import json
import os
import re
import subprocess
import sys
import unittest

SYNAP, ANALYZE, MODEL, *PICTURES = [os.path.abspath(path) for path in sys.argv[1:]]
META = """
inputs: [{format: rgb keep_proportions=0, scale: 1}]
quantization: {mode: full}
"""


def run(program, *args):
    result = subprocess.run([program, *args], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


def synap(*args):
    code, out, err = run(SYNAP, *args)
    assert code == 0 and not err, (args, out, err)
    return out


class CheckTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(os.environ["TEST_TMPDIR"])
        with open("model.yaml", "w", encoding="utf-8") as file:
            file.write(META)
        meta = ["--meta", "model.yaml"]
        synap("metapart", *meta, "--stage", "analyze", "--out", "analyze.yaml")
        synap("import", *meta, "--model", MODEL, "--out", "model.sir")
        synap("calibrate", *meta, "--graph", "model.sir", "--samples", *PICTURES, "--out", "model.stats")
        synap("quantize", *meta, "--graph", "model.sir", "--stats", "model.stats", "--out", "model.qsir")
        synap("compile", *meta, "--graph", "model.qsir", "--target", "VS680", "--out", "model.synap")
        # As a build rule does it: the program of its own, the samples that it knows, a metafile without a dataset.
        code, out, err = run(ANALYZE, "analyze", "--meta", "analyze.yaml", "--graph", "model.sir", "--quantized", "model.qsir", "--samples",
                             *PICTURES, "--json", "analysis.json", "--silent")
        assert (code, out, err) == (0, "", ""), (out, err)

    def check(self, *limits):
        return run(SYNAP, "check", "model.synap", *limits)

    def test_a_kept_budget_is_a_table(self):
        limits = ["--max-latency-ms", "1000", "--max-arena-kb", "1e6", "--max-cpu-macs-percent", "0", "--min-sqnr-db", "1",
                  "--analysis", "analysis.json"]
        code, out, err = self.check(*limits)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(len(out.splitlines()), 5)
        self.assertEqual(self.check(*limits, "--out", "kept.txt"), (0, "", ""))
        with open("kept.txt", encoding="utf-8") as file:
            self.assertEqual(file.read(), out)

    def test_an_exceeded_budget_is_an_error_with_the_layers(self):
        code, out, err = self.check("--max-latency-ms", "0.001", "--max-arena-kb", "1e6", "--out", "exceeded.txt")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"^Error: model.synap: latency is [0-9.]+ ms, expected at most 0.001 ms; change the layers listed, or the "
                              r"budget\n$")
        self.assertIn("Layers that take longest:", out)
        times = [float(line.split()[0]) for line in out.splitlines() if re.match(r" +[0-9.]+ +[0-9.]+  N", line)]
        self.assertGreater(len(times), 2)
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertFalse(os.path.exists("exceeded.txt"))

    def test_the_error_is_that_of_the_analysis(self):
        with open("analysis.json", encoding="utf-8") as file:
            worst = min(output["sqnr_db"] for output in json.load(file)["outputs"])
        code, out, err = self.check("--min-sqnr-db", str(worst - 0.01), "--analysis", "analysis.json")
        self.assertEqual((code, err), (0, ""))
        code, out, err = self.check("--min-sqnr-db", str(worst + 0.01), "--analysis", "analysis.json")
        self.assertEqual(code, 1)
        self.assertIn("SQNR of the worst output is", err)
        self.assertIn("Layers that lose most by themselves:", out)

    def test_figures_of_something_else_are_told(self):
        """What an analysis and a budget wrote, as a cache would give it: of other samples, of another limit."""
        def refuses(says, *args):
            code, _, err = run(SYNAP, "provenance", *args)
            self.assertEqual(code, 1)
            self.assertIn("it is made of something else than this build asks for: " + says, err)

        graphs = ["--meta", "analyze.yaml", "--graph", "model.sir", "--quantized", "model.qsir", "--samples"]
        synap("analyze", *graphs, *PICTURES, "--json", "made.json", "--silent", "--provenance", "analyze.txt")
        made = ["made.json", "--stage", "analyze", "--provenance", "analyze.txt", *graphs]
        synap("provenance", *made, *PICTURES)
        refuses("samples: ", *made, *PICTURES[1:])
        refuses("max_samples: 16, expected 4", "--max-samples", "4", *made, *PICTURES)
        refuses("analysis: ", "model.yaml", *made[1:], *PICTURES)

        limits = ["--max-latency-ms", "1e+3", "--max-arena-kb", "1000000", "--max-cpu-macs-percent", "0", "--analysis", "made.json"]
        self.assertEqual(self.check(*limits, "--min-sqnr-db", "1", "--out", "kept.txt", "--provenance", "check.txt"), (0, "", ""))
        made = ["kept.txt", "--stage", "check", "--model", "model.synap", "--provenance", "check.txt", *limits]
        synap("provenance", *made, "--min-sqnr-db", "1.0")
        refuses("min_sqnr_db: 1, expected 2", *made, "--min-sqnr-db", "2")
        refuses("min_sqnr_db: 1, expected none", *made)

    def test_the_target_decides_about_the_time(self):
        def milliseconds(*args):
            code, out, err = self.check("--max-latency-ms", "1000", *args)
            self.assertEqual((code, err), (0, ""))
            return float(re.search(r"latency +1000 +([0-9.]+) ms", out).group(1))

        self.assertEqual(milliseconds(), milliseconds("--target", "VS680"))
        self.assertLess(milliseconds(), milliseconds("--target", "VS640"))

    def test_what_is_wrong_is_said(self):
        def error(*args):
            code, out, err = self.check(*args)
            self.assertEqual((code, out), (1, ""))
            return err

        self.assertIn("model.synap: nothing to check, expected one of max_latency_ms", error())
        self.assertIn("model.synap: max_latency_ms is -1, expected a number from 0", error("--max-latency-ms=-1"))
        self.assertIn("--analysis", error("--min-sqnr-db", "20"))
        self.assertIn("model.synap: ", error("--min-sqnr-db", "20", "--analysis", "model.synap"))
        self.assertIn("Invalid target specified: VS999", error("--max-arena-kb", "1", "--target", "VS999"))
        self.assertIn("folder/none", error("--max-arena-kb", "1", "--out", "folder/none/x.txt"))
        code, _, err = run(SYNAP, "analyze", "--model", MODEL)
        self.assertEqual(code, 1)
        self.assertIn("no metafile: nothing is quantized, expected 'quantization' with a 'dataset'", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

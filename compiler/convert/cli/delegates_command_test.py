"""synap convert with layers on several delegates, from the command line."""

import json
import os
import re
import subprocess
import sys
import unittest
import zipfile

SYNAP, MODEL = [os.path.abspath(path) for path in sys.argv[1:3]]


def run(*args):
    result = subprocess.run([SYNAP, *args], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


def convert(folder, delegate, *args, target="VS680"):
    with open(folder + ".yaml", "w") as file:
        file.write(f"delegate: {delegate}\n")
    return run("convert", "--model", MODEL, "--meta", folder + ".yaml", "--target", target, "--out-dir", folder, *args)


def layers(folder):
    """The first node of each layer, in order, as the tables of model_info.txt list them."""
    row = re.compile(r" +\d+ +\S+ +\S+ +\d+\.\d+ +\S+ +(.*); [^;]+$")
    with open(os.path.join(folder, "model_info.txt")) as file:
        rows = [row.match(line.rstrip("\n")) for line in file]
    return [match.group(1).split(", ")[0] for match in rows if match]


class DelegatesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(os.environ["TEST_TMPDIR"])
        assert convert("npu", "npu", "--silent", "--self-test", "2") == (0, "", "")
        cls.layer = layers("npu")[2]
        cls.rules = "{'*': npu, '%s...': 'cpu num_threads=1'}" % cls.layer
        assert convert("split", cls.rules, "--silent", "--self-test", "2", "--profiling") == (0, "", "")

    def test_subgraphs_are_connected(self):
        with zipfile.ZipFile("split/model.synap") as bundle:
            graph = json.loads(bundle.read("bundle.json"))["graph"]
            delegates = [json.loads(bundle.read(part["meta"]))["delegate"] for part in graph]
        self.assertEqual(delegates, ["npu", "cpu num_threads=1"])
        self.assertEqual(graph[0]["inputs"], [{"subgraph": -1, "out": 0}])
        self.assertEqual({edge["subgraph"] for edge in graph[1]["inputs"]}, {0})
        with open("split/model_info.txt") as file:
            info = file.read()
        self.assertIn("\nsubgraphs: 2\n", info)
        self.assertEqual(info.count("Detailed graph information for "), 2)

    def test_the_bits_are_those_of_one_delegate(self):
        self.assertEqual(run("verify", "npu/model.synap", "--record", "recorded"), (0, "", ""))
        code, out, err = run("verify", "split/model.synap", "--against", "recorded")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(all(line.split()[-3] == "0" for line in out.splitlines()[1:]), out)

    def test_the_self_test_covers_the_layers_of_all_subgraphs(self):
        code, out, err = run("verify", "split/model.synap")
        self.assertEqual((code, err), (0, ""))
        self.assertIn(f"and {2 * len(layers('split'))} results of layers", out)

    def test_one_delegate_is_one_subgraph(self):
        self.assertEqual(convert("default", "default", "--silent", "--self-test", "2"), (0, "", ""))
        self.assertEqual(convert("cpu", "cpu", "--silent", "--out-format", "nb"), (0, "", ""))
        with open("npu/model.synap", "rb") as npu, open("default/model.synap", "rb") as default:
            self.assertEqual(npu.read(), default.read())
        with open("cpu/model.json") as file:
            self.assertEqual(json.load(file)["delegate"], "cpu")

    def test_targets_without_npu_compute_the_same_bits(self):
        self.assertEqual(run("verify", "npu/model.synap", "--record", "recorded_npu"), (0, "", ""))
        for target in ("sl1620", "DVF120", "GENERIC"):
            self.assertEqual(convert(target, "default", "--silent", target=target), (0, "", ""))
            code, out, err = run("verify", f"{target}/model.synap", "--against", "recorded_npu")
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(all(line.split()[-3] == "0" for line in out.splitlines()[1:]), out)
            self.assertEqual(run("report", f"{target}/model.synap")[0], 0)
            code, out, err = convert("nb", "default", "--silent", "--out-format", "nb", target=target)
            self.assertEqual((code, out), (1, ""))
            self.assertIn(f"--out-format nb: {target.upper()} has no NPU, expected a target with one", err)

    def test_mistakes_are_said(self):
        def error(delegate, *args):
            code, out, err = convert("wrong", delegate, "--silent", *args)
            self.assertEqual((code, out), (1, ""))
            return err

        self.assertIn("wrong.yaml:1:1: delegate: found 'ncpu', expected one of default, npu", error("ncpu"))
        self.assertIn("wrong.yaml:1:22: delegate: the model has no layer '@99'", error("{'*': npu, '@99': cpu}"))
        self.assertIn("the map has no '*'", error("{a: npu}"))
        self.assertIn("in 2 subgraphs, which only model.synap holds", error(self.rules, "--out-format", "nb"))

    def test_what_a_target_lacks_is_said_before_the_model_is_read(self):
        def error(delegate, target, *args):
            command = ["convert", "--model", "none.onnx", "--meta", "early.yaml", "--target", target, "--out-dir", "early"]
            with open("early.yaml", "w") as file:
                file.write(f"delegate: {delegate}\n")
            code, out, err = run(*command, *args)
            self.assertEqual((code, out, os.path.exists("early")), (1, "", False))
            return err

        self.assertIn("--out-format nb: GENERIC has no NPU", error("default", "GENERIC", "--out-format", "nb"))
        self.assertIn("early.yaml:1:1: delegate: target GENERIC has no gpu", error("gpu", "GENERIC"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

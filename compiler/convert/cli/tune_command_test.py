"""synap tune, from the command line."""

import array
import os
import re
import subprocess
import sys
import tempfile
import unittest

SYNAP, CLASSIFIER, CONV = [os.path.abspath(path) for path in sys.argv[1:4]]
PICTURES = sorted(os.path.abspath(path) for path in sys.argv[4:] if path.endswith((".jpg", ".png")))[:2]


def run(folder, *args):
    result = subprocess.run([SYNAP, *args], cwd=folder, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def write_samples(folder, count):
    """Values for conv.onnx's input, float32[1, 2, 4, 4]; returns the files' names."""
    names = [f"{i}.npy" for i in range(count)]
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 4, 4), }".ljust(117) + "\n"
    for i, name in enumerate(names):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
            array.array("f", [((i + 3) * (j + 1) * 37 % 64) / 32 - 1 for j in range(32)]).tofile(file)
    return names


class TuneTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"])
        self.samples = write_samples(self.folder, 8)

    def test_the_recommended_metafile_converts(self):
        code, out, error = run(
            self.folder, "tune", CONV, *self.samples, "--target", "VS680,sl1620", "--time", "600"
        )
        self.assertEqual((code, error), (0, ""))
        self.assertIn("8 samples calibrate and measure by halves, in turns", out)
        self.assertIn("\nVS680 ", out)
        self.assertIn("\nSL1620 ", out)
        self.assertNotIn("Not possible", out)
        self.assertNotIn("Time was up", out)
        line = [line for line in out.splitlines() if line.startswith("synap convert ")]
        self.assertEqual(len(line), 1)
        code, out, error = run(self.folder, *line[0].split()[1:])
        self.assertEqual(code, 0, error)
        self.assertIn(", SQNR ", out)
        self.assertIn("Against the float network, ", read(self.folder, "out", "model_info.txt"))
        self.assertIn("<svg", read(self.folder, "tuned", "tune.html"))

    def test_the_results_dont_depend_on_threads(self):
        pages = []
        for threads in ("1", "3"):
            code, _, error = run(
                self.folder, "tune", CONV, *self.samples[:4], "--out-dir", "by" + threads, "--threads", threads, "--time", "600"
            )
            self.assertEqual((code, error), (0, ""))
            pages.append(read(self.folder, "by" + threads, "tune.html"))
        self.assertEqual(*pages)

    def test_a_metafile_is_the_first_way(self):
        with open(os.path.join(self.folder, "net.yaml"), "w", encoding="utf-8") as file:
            file.write("quantization: {dataset: '*.npy', data_type: int16}\n")
        code, out, error = run(self.folder, "tune", CONV, "--meta", "net.yaml", "--time", "1")
        self.assertEqual((code, error), (0, ""))
        self.assertIn("as given\n", out)

    def test_pictures_are_the_dataset_of_a_metafile_without_one(self):
        os.mkdir(os.path.join(self.folder, "sub"))
        with open(os.path.join(self.folder, "sub", "net.yaml"), "w", encoding="utf-8") as file:
            file.write("outputs: [{dequantize: true}]\n")
        code, out, error = run(self.folder, "tune", CONV, *self.samples, "--meta", "sub/net.yaml", "--time", "1")
        self.assertEqual((code, error), (0, ""))
        self.assertIn("*.npy", read(self.folder, "tuned", "recommended.yaml"))
        line = [line for line in out.splitlines() if line.startswith("synap convert ")]
        code, out, error = run(self.folder, *line[0].split()[1:])
        self.assertEqual(code, 0, error)
        self.assertIn(", SQNR ", out)

    def test_pictures_of_several_folders_are_refused(self):
        os.mkdir(os.path.join(self.folder, "other"))
        os.rename(os.path.join(self.folder, "0.npy"), os.path.join(self.folder, "other", "0.npy"))
        code, _, error = run(self.folder, "tune", CONV, *self.samples[1:], "other/0.npy")
        self.assertEqual(code, 1)
        self.assertIn("other/0.npy: a metafile's dataset is one folder for each input", error)

    def write_classifier_metafile(self):
        with open(os.path.join(self.folder, "net.yaml"), "w", encoding="utf-8") as file:
            file.write("outputs: [{format: confidence_array, dequantize: true}]\nquantization: {dataset: '*.npy'}\n")

    def write(self, name, text):
        os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_labels_make_accuracy_the_measure(self):
        self.write_classifier_metafile()
        self.write("val.txt", "".join(f"{name} {i}\n" for i, name in enumerate(self.samples)) + "another.npy 1\n")
        code, out, error = run(self.folder, "tune", CONV, "--meta", "net.yaml", "--labels", "val.txt", "--ways", "3")
        self.assertEqual((code, error), (0, ""))
        self.assertRegex(out, r"; the float network has top-1 \d+\.\d %, top-5 \d+\.\d % and 8 best classes there\.\n")
        self.assertIn("top-1 %", out)
        self.assertIn("loses at most 0.5 points of top-1", out)
        self.assertRegex(read(self.folder, "tuned", "recommended.yaml"), r"^# .*: top-1 \d+\.\d % \(float \d+\.\d %\), ")
        self.assertIn('class="float"', read(self.folder, "tuned", "tune.html"))

    def test_folders_of_classes_are_labels(self):
        self.write_classifier_metafile()
        for i, name in enumerate(self.samples):
            folder = os.path.join(self.folder, "val", str(i % 2))
            os.makedirs(folder, exist_ok=True)
            os.rename(os.path.join(self.folder, name), os.path.join(folder, name))
        with open(os.path.join(self.folder, "net.yaml"), "w", encoding="utf-8") as file:
            file.write("outputs: [{format: confidence_array, dequantize: true}]\n")
        pictures = [f"val/{i % 2}/{name}" for i, name in enumerate(self.samples)]
        code, out, error = run(
            self.folder, "tune", CONV, *pictures, "--meta", "net.yaml", "--labels", "val", "--ways", "1"
        )
        self.assertEqual((code, error), (0, ""))
        self.assertIn("top-1 %", out)
        self.assertIn("val/*/*.npy", read(self.folder, "tuned", "recommended.yaml"))

    def test_labels_that_dont_fit_are_refused(self):
        self.write_classifier_metafile()
        self.write("val.txt", "0.npy 1\n")
        code, _, error = run(self.folder, "tune", CONV, "--meta", "net.yaml", "--labels", "val.txt")
        self.assertEqual(code, 1)
        self.assertIn("val.txt: found no label of 1.npy, 2.npy, ", error)
        self.write("val.txt", "".join(f"{name} 9999\n" for name in self.samples))
        code, _, error = run(self.folder, "tune", CONV, "--meta", "net.yaml", "--labels", "val.txt")
        self.assertEqual(code, 1)
        self.assertIn("val.txt:1: class 9999, ", error)
        for name in self.samples:
            self.write(f"boxes/{name[:-4]}.txt", "0 0.5 0.5 1 1\n")
        code, _, error = run(self.folder, "tune", CONV, "--meta", "net.yaml", "--labels", "boxes")
        self.assertEqual(code, 1)
        self.assertIn("boxes: found boxes, expected a class for each sample", error)

    def test_labels_of_which_the_float_network_has_none_are_refused(self):
        self.write_classifier_metafile()
        # The classes with the lowest scores.
        self.write("val.txt", "".join(f"{name} {worst}\n" for name, worst in zip(self.samples, (2, 2, 0, 2, 0, 3, 0, 3))))
        code, _, error = run(self.folder, "tune", CONV, "--meta", "net.yaml", "--labels", "val.txt")
        self.assertEqual(code, 1)
        self.assertIn("val.txt: the float network is right in none of 8 measured samples, expected some", error)

    def test_a_number_of_ways_goes_before_the_time(self):
        code, out, error = run(self.folder, "tune", CONV, *self.samples, "--ways", "3", "--time", "1", "--silent")
        self.assertEqual((code, out, error), (0, "", ""))
        text = read(self.folder, "tuned", "tune.txt")
        self.assertRegex(text, r"\n\d+ further ways weren't tried; allow more with --ways\n$")
        # A row begins with the time and the size.
        self.assertEqual(len(re.findall(r"^ +[>*]? +\d+\.\d\d +\d+\.\d\d ", text, re.MULTILINE)), 3)

    def test_paths_may_stay_those_of_the_metafile(self):
        os.mkdir(os.path.join(self.folder, "sub"))
        self.write("sub/net.yaml", "quantization: {dataset: ../*.npy}\n")
        options = ["tune", CONV, "--meta", "sub/net.yaml", "--ways", "1", "--silent"]
        self.assertEqual(run(self.folder, *options), (0, "", ""))
        self.assertIn("../sub/../*.npy", read(self.folder, "tuned", "recommended.yaml"))
        self.assertEqual(run(self.folder, *options, "--keep-paths"), (0, "", ""))
        self.assertNotIn("../sub", read(self.folder, "tuned", "recommended.yaml"))

    def test_a_quantized_network_keeps_its_quantizers(self):
        code, _, error = run(self.folder, "tune", CLASSIFIER, *PICTURES)
        self.assertEqual(code, 1)
        self.assertIn("the model is already quantized", error)

    def test_one_sample_is_too_few(self):
        code, _, error = run(self.folder, "tune", CONV, self.samples[0])
        self.assertEqual(code, 1)
        self.assertIn("found 1 samples to choose by, expected 2 at least", error)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "tuned", "tune.html")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""synap tune, from the command line."""

import os
import subprocess
import sys
import tempfile
import unittest

SYNAP, CLASSIFIER = [os.path.abspath(path) for path in sys.argv[1:3]]
PICTURES = sorted(os.path.abspath(path) for path in sys.argv[3:] if path.endswith((".jpg", ".png")))[:8]


def run(folder, *args):
    result = subprocess.run([SYNAP, *args], cwd=folder, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout, result.stderr


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class TuneTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"])

    def test_the_recommended_metafile_converts(self):
        code, out, error = run(
            self.folder, "tune", CLASSIFIER, *PICTURES, "--target", "VS680,sl1620", "--time", "600"
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
        self.assertIn("the same best class in ", out)
        self.assertIn("Against the float network, ", read(self.folder, "out", "model_info.txt"))
        self.assertIn("<svg", read(self.folder, "tuned", "tune.html"))

    def test_the_results_dont_depend_on_threads(self):
        pages = []
        for threads in ("1", "3"):
            code, _, error = run(
                self.folder, "tune", CLASSIFIER, *PICTURES[:4], "--out-dir", "by" + threads, "--threads", threads, "--time", "600"
            )
            self.assertEqual((code, error), (0, ""))
            pages.append(read(self.folder, "by" + threads, "tune.html"))
        self.assertEqual(*pages)

    def test_a_metafile_is_the_first_way(self):
        with open(os.path.join(self.folder, "net.yaml"), "w", encoding="utf-8") as file:
            file.write(f"inputs: [{{means: 128, scale: 128}}]\nquantization: {{dataset: {os.path.dirname(PICTURES[0])}, data_type: int16}}\n")
        code, out, error = run(self.folder, "tune", CLASSIFIER, "--meta", "net.yaml", "--time", "1")
        self.assertEqual((code, error), (0, ""))
        self.assertIn("as given\n", out)

    def test_one_sample_is_too_few(self):
        code, _, error = run(self.folder, "tune", CLASSIFIER, PICTURES[0])
        self.assertEqual(code, 1)
        self.assertIn("found 1 samples to choose by, expected 2 at least", error)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "tuned", "tune.html")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

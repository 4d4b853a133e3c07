"""synap start, from the command line."""

import os
import subprocess
import sys
import tempfile
import unittest

SYNAP, CLASSIFIER, CONV, DETECTOR = [os.path.abspath(path) for path in sys.argv[1:5]]
PICTURES = [os.path.abspath(path) for path in sys.argv[5:] if path.endswith((".jpg", ".png"))]
DETECTOR_PICTURES = [path for path in PICTURES if "yolov5_face" in path][:2]


def run(folder, *args):
    result = subprocess.run(
        [SYNAP, *args], cwd=folder, capture_output=True, text=True, check=False
    )
    return result.returncode, result.stdout, result.stderr


class StartTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"])

    def test_a_classifier_converts_with_the_proposal(self):
        code, out, error = run(self.folder, "start", CLASSIFIER)
        self.assertEqual((code, error), (0, ""))
        self.assertIn(": a classifier of ", out)
        with open(os.path.join(self.folder, "model_meta.yaml"), encoding="utf-8") as file:
            text = file.read()
        questions = [line[2:] for line in out.splitlines() if line.startswith("? ")]
        self.assertEqual(text.count("# QUESTION: "), len(questions))
        # The line that it prints, with a target.
        line = [line for line in out.splitlines() if line.startswith("synap convert ")]
        self.assertEqual(len(line), 1)
        command = line[0].replace("<target>", "VS680").split()
        code, _, error = run(self.folder, *command[1:])
        self.assertEqual(code, 0, error)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out", "model.synap")))

    def test_a_picture_is_classified(self):
        code, out, error = run(self.folder, "start", CLASSIFIER, PICTURES[0])
        self.assertEqual((code, error), (0, ""))
        self.assertIn("Confidence", out)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "model_meta.synap")))

    def test_several_pictures_quantize_it(self):
        code, out, error = run(self.folder, "start", DETECTOR, *DETECTOR_PICTURES)
        self.assertEqual((code, error), (0, ""))
        self.assertRegex(out, r"\nmodel_meta_quantized.yaml quantizes it, .* of \d+ ways tried in 10 s:\n  .* detections, SQNR ")
        self.assertIn(" --meta model_meta_quantized.yaml ", out)
        code, _, error = run(self.folder, "start", DETECTOR, *DETECTOR_PICTURES, "--out", "model_meta.yaml")
        self.assertEqual(code, 1)
        self.assertIn("exists, expected a new file", error)

    def test_a_metafile_gives_open_shapes(self):
        with open(os.path.join(self.folder, "shape.yaml"), "w", encoding="utf-8") as file:
            file.write("inputs: [{name: absent, shape: [1, 3, 32, 32]}]\n")
        code, _, error = run(self.folder, "start", CONV, "--meta", "shape.yaml")
        self.assertEqual(code, 1)
        self.assertIn("absent", error)
        self.assertEqual(os.listdir(self.folder), ["shape.yaml"])

    def test_an_answered_metafile_stays(self):
        path = os.path.join(self.folder, "mine.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("optimize: false\n")
        code, _, error = run(self.folder, "start", CONV, "--out", "mine.yaml")
        self.assertEqual(code, 1)
        self.assertIn("mine.yaml: exists, expected a new file", error)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "optimize: false\n")

    def test_an_unreadable_model_leaves_no_file(self):
        code, _, error = run(self.folder, "start", "missing.onnx")
        self.assertEqual(code, 1)
        self.assertIn("missing.onnx", error)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

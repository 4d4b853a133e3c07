"""Tests of synap.detect, synap.classify and synap.convert. Argument: a file of the folder of the test models."""

import contextlib
import io
import json
import os
import pathlib
import stat
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
import PIL.Image

import synap
from synap import classify, compiler, detect

MODELS = pathlib.Path(sys.argv.pop()).parent
PIXELS = np.array([[[128, 128, 255], [255, 255, 204]]], np.uint8)


class FolderTest(unittest.TestCase):
    """With a temporary folder, self.folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class CommandTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.model = str(self.folder / "model.synap")
        pathlib.Path(self.model).write_bytes((MODELS / "detection.synap").read_bytes())
        self.picture = str(self.folder / "picture.png")
        PIL.Image.fromarray(PIXELS).save(self.picture)

    def run_command(self, main, *arguments):
        """The status, the output and the errors of a command."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(list(arguments))
        return status, out.getvalue(), err.getvalue()

    def add_labels(self):
        (self.folder / "info.json").write_text('{"labels": ["person", "car"]}', encoding="utf-8")

    def test_detect_prints_text(self):
        status, out, err = self.run_command(detect.main, self.model, self.picture)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out, self.picture + ": 1 found\n"
                         "Score  Class     Position         Size  Description, landmarks\n"
                         " 0.80      0      0,    0      2x1\n")
        self.add_labels()
        self.assertIn("2x1      person\n", self.run_command(detect.main, self.model, self.picture)[1])
        _, out, _ = self.run_command(detect.main, self.model, self.picture, "--score-threshold", "0.9")
        self.assertEqual(out, self.picture + ": 0 found\n")

    def test_detect_prints_a_line_of_json_for_each_picture(self):
        self.add_labels()
        status, out, _ = self.run_command(detect.main, "--json", self.model, self.picture, self.picture)
        self.assertEqual(status, 0)
        first, second = (json.loads(line) for line in out.splitlines())
        self.assertEqual(first, second)
        (item,) = first.pop("items")
        self.assertEqual(first, {"image": self.picture, "success": True})
        self.assertAlmostEqual(item.pop("confidence"), 0.8, 6)
        self.assertEqual(item, {
            "bounding_box": {"origin": {"x": 0, "y": 0}, "size": {"x": 2, "y": 1}},
            "class_index": 0,
            "label": "person",
            "landmarks": {"points": []},
            "mask": {"data": [], "height": 0, "width": 0},
        })

    def test_masks_and_landmarks_are_in_the_json(self):
        found = synap.Detection(3, 0.5, synap.Rect(1, 2, 3, 4), (synap.Landmark(5, 6, 0, 1.0),), np.float32([[1, -1]]))
        item = detect.json_item(found, ["person"], synap.Rect(0, -4, 16, 24))
        self.assertEqual(item["landmarks"], {"points": [{"x": 5, "y": 6, "z": 0, "visibility": 1.0}]})
        self.assertEqual(item["mask"], {"data": [1, -1], "height": 1, "width": 2,
                                        "rectangle": {"origin": {"x": 0, "y": -4}, "size": {"x": 16, "y": 24}}})
        self.assertEqual(item["label"], "")
        self.assertTrue(detect.text_line(found, []).endswith("3x4       5,6"))

    def test_classify_prints_text_and_json(self):
        self.add_labels()
        status, out, err = self.run_command(classify.main, "--top", "2", self.model, self.picture)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out, self.picture + ":\nClass  Confidence  Description\n    2      1.0000\n    3      1.0000\n")
        _, out, _ = self.run_command(classify.main, "--top", "0", "--json", self.model, self.picture)
        items = json.loads(out)["items"]
        self.assertEqual([item["label"] for item in items], ["", "", "", "", "person", "car"])

    def test_errors_are_one_line(self):
        for main in (detect.main, classify.main):
            status, _, err = self.run_command(main, "none.synap", self.picture)
            self.assertEqual((status, err), (1, "Error: [Errno 2] No such file or directory: 'none.synap'\n"))
            status, _, err = self.run_command(main, self.picture, self.picture)
            self.assertEqual((status, err.count("\n")), (1, 1))
            self.assertIn("picture.png", err)
        self.assertEqual(self.run_command(classify.main, "--top", "-1", self.model, self.picture)[2],
                         "Error: top_count is -1, expected 0 to 2147483647\n")
        self.assertEqual(self.run_command(detect.main, "--max-detections", "99999999999", self.model, self.picture)[2],
                         "Error: max_detections is 99999999999, expected 0 to 2147483647\n")


class ConvertTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "a model; rm.onnx"
        self.model.write_bytes(b"")
        self.program = self.folder / "synap"

    def use(self, script):
        """Makes `script` the program that convert() finds first."""
        self.program.write_text("#!/bin/bash\n" + script, encoding="utf-8")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.enterContext(mock.patch.dict(os.environ, {"SYNAP": str(self.program)}))

    def convert(self, **options):
        return synap.convert(self.model, target="VS680", out_dir=self.folder / "out", **options)

    def test_passes_its_arguments(self):
        self.use('printf "%%s\\n" "$@" >%s/arguments' % self.folder)
        self.assertEqual(self.convert(meta=self.model, threads=2, preserve=True), self.folder / "out" / "model.synap")
        self.assertEqual((self.folder / "arguments").read_text(encoding="utf-8").splitlines(), [
            "convert", "--silent", "--target", "VS680", "--out-format", "synap", "--out-dir", str(self.folder / "out"),
            "--threads", "2", "--model", str(self.model), "--meta", str(self.model), "--preserve"])
        self.assertEqual(self.convert(out_format="nb"), self.folder / "out" / "model.nb")

    def test_refuses_unknown_formats(self):
        self.use("exit 0")
        with self.assertRaisesRegex(ValueError, "out_format is 'ebg', expected 'synap' or 'nb'"):
            self.convert(out_format="ebg")

    def test_its_sentence_is_the_exception(self):
        self.use('echo "Warning: old opset" >&2; echo "Error: model.onnx: is empty" >&2; exit 1')
        with self.assertRaisesRegex(synap.Error, "^model.onnx: is empty$"):
            self.convert()
        self.use("exit 3")
        with self.assertRaisesRegex(synap.Error, "synap ended with status 3$"):
            self.convert()

    def test_warnings_go_to_the_logger(self):
        self.use('echo "Warning: old opset" >&2')
        with self.assertLogs("synap", "WARNING") as logs:
            self.convert()
        self.assertEqual(logs.output, ["WARNING:synap:Warning: old opset"])

    def test_names_missing_files_and_programs(self):
        self.use("exit 0")
        with self.assertRaisesRegex(FileNotFoundError, "none.yaml"):
            self.convert(meta="none.yaml")
        with mock.patch.dict(os.environ, {"SYNAP": "/none/synap"}), self.assertRaisesRegex(FileNotFoundError, "/none/synap"):
            self.convert()
        with mock.patch.dict(os.environ, {"SYNAP": "", "PATH": ""}), self.assertRaisesRegex(FileNotFoundError, "'synap'"):
            self.convert()
        with mock.patch.dict(os.environ, {"SYNAP": "", "PATH": str(self.folder)}):
            self.assertEqual(compiler.find_compiler(), str(self.program))


if __name__ == "__main__":
    unittest.main()

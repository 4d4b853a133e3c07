"""From a network's file to boxes with the metafile that synap start proposes.

Arguments: synap, synap_cli_od, a photograph of eight people, networks that find faces or people.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SYNAP, SYNAP_CLI_OD, PICTURE = [os.path.abspath(path) for path in sys.argv[1:4]]
NETWORKS = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[4:]}

# The task that is recognized, and the fewest of the eight people that the network finds.
EXPECTED = {
    "ultraface_RFB-320.onnx": ("a detector of faces, UltraFace", 7),
    "yunet_n_320_320.onnx": ("a detector of faces, YuNet", 7),
    "blazeface_short_range.tflite": ("a detector of faces, BlazeFace", 1),
    "yolov5n-0.5-face_640.onnx": ("a detector of faces, YOLOv5-face", 7),
    "yolox_nano_opencv_zoo.onnx": ("a detector, YOLOX with 80 classes", 4),
}


def run(*command, folder=None):
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


class StartTest(unittest.TestCase):
    def test_proposals_find_people(self):
        self.assertEqual(set(NETWORKS), set(EXPECTED))
        for name, path in NETWORKS.items():
            task, fewest = EXPECTED[name]
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                out = run(SYNAP, "start", path, "--out", "net.yaml", folder=folder)
                self.assertIn(task, out.splitlines()[0])
                run(SYNAP, "convert", "--model", path, "--meta", "net.yaml", "--target", "VS680",
                    "--out-dir", "out", folder=folder)
                found = run(SYNAP_CLI_OD, "-m", "out/model.synap", PICTURE, folder=folder)
                items = json.loads(found)["items"]
                self.assertGreaterEqual(len(items), fewest)
                self.assertLessEqual(len(items), 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Runs import_workflow.sh and holds each step against what the step is for.

Arguments: the script, the detector's network, synap, synap_cli.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT, NETWORK, *PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:])
STEPS = ["preliminary", "float", "wrong", "uint8", "pruned", "one_picture", "channels", "kl", "int16", "mixed", "one_output", "nv12"]


def overlap(a, b):
    """Intersection over union of two boxes."""
    def side(axis):
        ends = [box["origin"][axis] + box["size"][axis] for box in (a, b)]
        return max(0, min(ends) - max(a["origin"][axis], b["origin"][axis]))

    both = side("x") * side("y")
    return both / (a["size"]["x"] * a["size"]["y"] + b["size"]["x"] * b["size"]["y"] - both)


class ImportWorkflowTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"])
        path = os.pathsep.join([os.path.dirname(program) for program in PROGRAMS] + [os.environ["PATH"]])
        result = subprocess.run([SCRIPT, os.path.dirname(NETWORK), cls.folder], env=dict(os.environ, PATH=path), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert result.returncode == 0, result.stdout
        with open(os.path.join(cls.folder, "results.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        cls.steps = [row["step"] for row in rows]
        cls.milliseconds = {row["step"]: float(row["milliseconds"]) for row in rows}

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def faces(self, step):
        with open(self.path(step, "detections.json"), encoding="utf-8") as file:
            return json.load(file)["items"]

    def landmark_error(self, step):
        """Mean distance in pixels of the landmarks from those of the network without quantization."""
        distances = []
        for face in self.faces("float"):
            found = max(self.faces(step), key=lambda other: overlap(face["bounding_box"], other["bounding_box"]))
            for a, b in zip(face["landmarks"]["points"], found["landmarks"]["points"]):
                distances.append(((a["x"] - b["x"])**2 + (a["y"] - b["y"])**2)**0.5)
        return sum(distances) / len(distances)

    def test_every_step_runs_in_order(self):
        self.assertEqual(self.steps, STEPS)

    def test_the_two_mistakes_make_the_model_useless(self):
        self.assertGreater(len(self.faces("wrong")), 10 * len(self.faces("float")))

    def test_the_others_find_the_faces_of_the_network_without_quantization(self):
        expected = self.faces("float")
        self.assertGreaterEqual(len(expected), 4)
        for step in ("uint8", "one_picture", "channels", "kl", "int16", "mixed"):
            found = self.faces(step)
            self.assertEqual(len(found), len(expected), step)
            for face in expected:
                self.assertGreater(max(overlap(face["bounding_box"], other["bounding_box"]) for other in found), 0.7, step)

    def test_removing_layers_changes_no_detection(self):
        self.assertEqual(self.faces("pruned"), self.faces("uint8"))
        self.assertLess(self.milliseconds["pruned"], self.milliseconds["uint8"])

    def test_neither_samples_nor_algorithms_bring_the_landmarks_back(self):
        for step in ("uint8", "one_picture", "channels", "kl"):
            self.assertGreater(self.landmark_error(step), 10, step)

    def test_16_bits_bring_the_landmarks_back(self):
        self.assertLess(self.landmark_error("int16"), 1)
        self.assertGreater(self.milliseconds["int16"], 1.5 * self.milliseconds["pruned"])

    def test_16_bits_in_the_head_are_nearly_as_good_and_cost_less(self):
        self.assertLess(self.landmark_error("mixed"), 2)
        self.assertLess(self.milliseconds["pruned"], self.milliseconds["mixed"])
        self.assertLess(self.milliseconds["mixed"], self.milliseconds["int16"])

    def test_quantization_is_faster_than_float(self):
        for step in ("preliminary", "uint8", "int16"):
            self.assertLess(self.milliseconds[step], self.milliseconds["float"], step)

    def test_an_output_less_saves_time(self):
        self.assertLess(self.milliseconds["one_output"], self.milliseconds["mixed"])
        self.assertGreaterEqual(len(self.faces("one_output")), 1)

    def test_preprocessing_on_the_npu_takes_frames_and_time(self):
        self.assertGreater(self.milliseconds["nv12"], self.milliseconds["one_output"])
        self.assertGreaterEqual(len(self.faces("nv12")), 4)

    def test_what_a_reader_looks_at_is_there(self):
        for parts in (("face_720p_out.jpg",), ("kl", "quantization_entropy.txt"), ("profile.txt",)):
            self.assertGreater(os.path.getsize(self.path(*parts)), 0, parts)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Builds an example with make, as a user would, against an installed prefix, and compares what it prints with synap_cli_od.

Arguments: what install.py installs, files of a model, a picture, the example's Makefile.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from install import install

ARCHIVE = sys.argv[1]
MODEL = [path for path in sys.argv[2:] if path.endswith(".synap")][0]
PICTURE, MAKEFILE = sys.argv[-2:]


def output_of(*command, **kwargs):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **kwargs).stdout


def expected(prefix, picture):
    """The lines that the example has to print, from synap_cli_od's JSON."""
    text = output_of(os.path.join(prefix, "bin/synap_cli_od"), "-m", MODEL, picture)
    found = json.loads(text)
    lines = []
    for item in found["items"]:
        origin, size = item["bounding_box"]["origin"], item["bounding_box"]["size"]
        lines.append("%s: %.2f at %d,%d size %dx%d\n" % (picture, item["confidence"], origin["x"], origin["y"], size["x"], size["y"]))
    return "".join(lines)


class ExamplesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.prefix = os.path.join(cls.folder, "prefix")
        cls.build = os.path.join(cls.folder, "detect_faces")
        assert install.main([ARCHIVE, "--prefix", cls.prefix]) == 0
        shutil.copytree(os.path.dirname(MAKEFILE), cls.build)
        subprocess.run(["make", "PREFIX=" + cls.prefix], cwd=cls.build, check=True)
        cls.lines = expected(cls.prefix, PICTURE)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def program(self, name):
        return os.path.join(self.build, name)

    def test_the_picture_has_faces(self):
        self.assertGreaterEqual(self.lines.count("\n"), 2)

    def test_the_program_in_cxx_finds_them(self):
        self.assertEqual(output_of(self.program("detect_faces"), MODEL, PICTURE), self.lines)

    def test_the_program_in_c_finds_them(self):
        self.assertEqual(output_of(self.program("detect_faces_in_c"), MODEL, PICTURE), self.lines)

    def test_errors_are_one_sentence(self):
        for name in ("detect_faces", "detect_faces_in_c"):
            result = subprocess.run([self.program(name), MODEL, "nothing.jpg"], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn("nothing.jpg", result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_programs_run_from_a_prefix_that_was_moved(self):
        moved = os.path.join(self.folder, "moved")
        shutil.copytree(self.prefix, moved, symlinks=True)
        build = os.path.join(self.folder, "moved build")
        shutil.copytree(os.path.dirname(MAKEFILE), build)
        shutil.move(self.prefix, self.prefix + ".gone")
        self.addCleanup(shutil.move, self.prefix + ".gone", self.prefix)
        subprocess.run(["make", "PREFIX=" + moved, "detect_faces"], cwd=build, check=True)
        self.assertEqual(output_of(os.path.join(build, "detect_faces"), MODEL, PICTURE), self.lines)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

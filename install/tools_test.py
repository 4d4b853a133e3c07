"""Unpacks the archive of tools and runs what is in it without the machine's own copies of our libraries. Argument: the archive."""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ARCHIVE = sys.argv[1]
# What an optional package has: libtorch, for models of TorchScript.
READER = "synap_torchscript_reader"


class ToolsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        with tarfile.open(ARCHIVE) as archive:
            cls.names = archive.getnames()
            archive.extractall(folder.name)
        cls.root = os.path.join(folder.name, "synap")

    def programs(self):
        for folder in ["bin", "libexec/synap"]:
            for name in sorted(os.listdir(os.path.join(self.root, folder))):
                if name != READER:
                    yield os.path.join(self.root, folder, name)

    def test_is_a_repository_below_one_folder(self):
        self.assertEqual([name for name in self.names if not name.startswith("synap/")], [])
        for name in ["WORKSPACE", "MODULE.bazel", "LICENSE", "rules/synap.bzl", "rules/BUILD.bazel", "libexec/synap/synap_calibrate"]:
            self.assertIn("synap/" + name, self.names)

    def test_programs_take_the_libraries_of_the_archive(self):
        bundled = set(os.listdir(os.path.join(self.root, "lib/synap")))
        self.assertIn("libyaml-cpp.so.0.7", bundled)
        self.assertEqual([name for name in bundled if "torch" in name or "c10" in name], [])
        for program in self.programs():
            loaded = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
            for line in loaded.splitlines():
                name, _, path = line.strip().partition(" => ")
                if name in bundled:
                    place = os.path.realpath(path.split(" (")[0])
                    self.assertEqual(place, os.path.realpath(os.path.join(self.root, "lib/synap", name)), program)
                self.assertNotIn("not found", line, program)

    def test_the_reader_has_the_libraries_that_libtorch_does_not_use(self):
        dynamic = subprocess.run(["objdump", "-p", os.path.join(self.root, "bin", READER)], check=True, capture_output=True, text=True).stdout
        unused = "$ORIGIN/../lib/synap/unused:" if "libtorch_cpu" in dynamic else ""
        self.assertEqual(re.findall(r"R(?:UN)?PATH +(\S+)", dynamic), [unused + "$ORIGIN/../lib/synap"])

    def test_programs_run(self):
        for program in self.programs():
            result = subprocess.run([program, "--help"], capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("sage", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Tests of the wheel: what is in it, and that it works where pip installs it.

Arguments: the wheel's folder, a detector (.synap), a picture, synap_cli_od, the detector's network (.onnx), docs/python.md,
examples/detect_faces/detect_faces.py.
"""

import base64
import csv
import hashlib
import json
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import venv
import zipfile

WHEEL_FOLDER, MODEL, PICTURE, DETECTOR, NETWORK, PAGE, EXAMPLE = (pathlib.Path(file).resolve() for file in sys.argv[1:])
(WHEEL,) = WHEEL_FOLDER.glob("*.whl")
VERSION, TAG = re.fullmatch(r"synap-(\d+\.\d+\.\d+)-(.*)\.whl", WHEEL.name).groups()
INFO = "synap-%s.dist-info/" % VERSION


class ContentTest(unittest.TestCase):
    def setUp(self):
        self.archive = zipfile.ZipFile(WHEEL)
        self.addCleanup(self.archive.close)

    def test_is_for_this_interpreter(self):
        python = "cp%d%d" % sys.version_info[:2]
        self.assertEqual(TAG, "%s-%s-%s" % (python, python, sysconfig.get_platform().replace("-", "_")))
        self.assertIn("synap/_synap" + sysconfig.get_config_var("EXT_SUFFIX"), self.archive.namelist())
        self.assertIn("Tag: %s\n" % TAG, self.archive.read(INFO + "WHEEL").decode())
        self.assertIn("\nVersion: %s\n" % VERSION, self.archive.read(INFO + "METADATA").decode())

    def test_works_with_every_numpy(self):
        self.assertIn("\nRequires-Dist: numpy\n", self.archive.read(INFO + "METADATA").decode())
        module = self.archive.read("synap/_synap" + sysconfig.get_config_var("EXT_SUFFIX"))
        self.assertNotIn(b"multiarray", module)  # numpy's C interface, which numpy 2 has changed

    def test_records_all_files(self):
        rows = list(csv.reader(self.archive.read(INFO + "RECORD").decode().splitlines()))
        self.assertEqual(sorted(row[0] for row in rows), sorted(self.archive.namelist()))
        for name, digest, size in rows:
            if name == INFO + "RECORD":
                self.assertEqual((digest, size), ("", ""))
                continue
            content = self.archive.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            self.assertEqual((digest, int(size)), ("sha256=" + expected, len(content)), name)

    def test_is_reproducible(self):
        entries = self.archive.infolist()
        self.assertEqual({entry.date_time for entry in entries}, {(1980, 1, 1, 0, 0, 0)})
        self.assertEqual([entry.filename for entry in entries], sorted(entry.filename for entry in entries))
        for entry in entries:
            is_program = entry.filename == "synap/bin/synap"
            self.assertEqual(stat.S_IMODE(entry.external_attr >> 16), 0o755 if is_program else 0o644, entry.filename)

    def test_has_types_and_the_license(self):
        names = self.archive.namelist()
        for name in ("synap/py.typed", "synap/_synap.pyi", INFO + "LICENSE"):
            self.assertIn(name, names)
        self.assertFalse([name for name in names if re.search("libtorch|libpython|_linked", name)])


class InstalledTest(unittest.TestCase):
    """In a fresh environment, with the system's numpy."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        venv.create(cls.folder / "venv", system_site_packages=True, with_pip=True)
        cls.python = cls.folder / "venv" / "bin" / "python"
        for name, file in (("model.synap", MODEL), ("photo.jpg", PICTURE), ("model.onnx", NETWORK)):
            shutil.copyfile(file, cls.folder / name)
        cls.run_python("-m", "pip", "install", "--no-index", "--no-deps", str(WHEEL))

    @classmethod
    def run_python(cls, *arguments):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(cls.folder), "XDG_RUNTIME_DIR": str(cls.folder)}
        ran = subprocess.run([cls.python, *arguments], cwd=cls.folder, env=environment, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise AssertionError(ran.stdout + ran.stderr)
        return ran.stdout

    def test_finds_its_own_libraries(self):
        loaded = self.run_python("-c", "import synap; print(open('/proc/self/maps').read())")
        self.assertIn("/synap/lib/libabsl_strings.so", loaded)
        self.assertNotRegex(loaded, "/usr/lib/.*(absl|jpeg|spng|hwy)")

    def test_finds_the_boxes_of_synap_cli_od(self):
        printed = subprocess.run([DETECTOR, "-m", MODEL, PICTURE], capture_output=True, text=True, check=True).stdout
        expected = json.loads(printed)["items"]
        self.assertGreater(len(expected), 3)
        found = json.loads(self.run_python("-m", "synap.detect", "model.synap", "photo.jpg", "--json"))["items"]
        self.assertEqual(found, expected)

    def test_runs_the_example(self):
        printed = self.run_python(str(EXAMPLE), "model.synap", "photo.jpg").splitlines()
        self.assertEqual(len(printed), 5)
        self.assertEqual(printed[0], "photo.jpg: 0.97 at 300,211 size 140x156")

    def test_runs_the_examples_of_the_page(self):
        examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        self.assertGreater(len(examples), 3)
        printed = self.run_python("-c", "".join(examples))
        self.assertIn("Rect(x=300, y=211, width=140, height=156)", printed)
        self.assertIn("<synap.Network 'converted/model.synap'", printed)

    def test_names_the_compilers_errors(self):
        printed = self.run_python("-c", """
import synap
try:
    synap.convert("photo.jpg", target="VS999", out_dir="none")
except synap.Error as error:
    print(error)
""")
        self.assertRegex(printed, "^Invalid target specified: VS999. Available targets: .*\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

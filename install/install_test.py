"""Installs the archive into folders of the test and looks at what is there. Argument: the archive."""

import contextlib
import errno
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

from install import install

ARCHIVE = sys.argv[1]
READER = "synap_torchscript_reader"


def run(*arguments):
    """Exit code, output and errors of the installer."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = install.main([ARCHIVE, *arguments])
    return code, out.getvalue(), err.getvalue()


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names)


def members():
    with tarfile.open(ARCHIVE) as archive:
        return [info.name for info in archive.getmembers()]


def output_of(*command, **kwargs):
    return subprocess.run(command, check=True, capture_output=True, text=True, **kwargs).stdout


class InstallTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.prefix = os.path.join(self.folder.name, "some prefix")

    def path(self, name):
        return os.path.join(self.prefix, name)

    def test_installs_every_file_and_the_list_of_them(self):
        code, out, err = run("--prefix", self.prefix)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("installed %d files" % len(members()), out)
        self.assertEqual(files_below(self.prefix), sorted(members() + [install.LIST]))
        with open(self.path(install.LIST), encoding="utf-8") as file:
            self.assertEqual(file.read().split("\n")[:-1], sorted(members() + [install.LIST]))

    def test_programs_run_from_there_and_have_pages_and_completions(self):
        run("--prefix", self.prefix)
        for name in os.listdir(self.path("bin")):
            dynamic = output_of("objdump", "-p", self.path("bin/" + name))
            if name == READER:
                unused = ["$ORIGIN/../lib/synap/unused"] if "libtorch_cpu" in dynamic else []
                self.assertEqual(re.findall(r"R(?:UN)?PATH +(\S+)", dynamic), unused)
                continue
            self.assertNotIn("PATH  ", dynamic, "has a run path")
            subprocess.run([self.path("bin/" + name), "--help"], check=True, capture_output=True)
            with open(self.path("share/man/man1/%s.1" % name), encoding="utf-8") as page:
                self.assertIn("\n.B \\-", page.read())
            completion = self.path("share/bash-completion/completions/" + name)
            script = "source '%s'; COMP_WORDS=(%s --hel); COMP_CWORD=1; _%s; echo ${COMPREPLY[@]}" % (completion, name, name)
            self.assertEqual(output_of("bash", "-c", script), "--help\n")

    def test_the_reader_loads_empty_libraries_for_those_it_does_not_use(self):
        run("--prefix", self.prefix)
        if "libtorch_cpu" not in output_of("objdump", "-p", self.path("bin/" + READER)):
            self.skipTest("this machine has no libtorch")
        # With all symbols looked up: one of a library that is used after all would be missing.
        said = output_of("bash", "-c", 'ldd -r "$0" 2>&1', self.path("bin/" + READER))
        self.assertNotIn("undefined symbol", said)
        loaded = dict(re.findall(r"(\S+) => (\S.*) \(", said))
        unused = self.path("lib/synap/unused")
        self.assertGreater(len(os.listdir(unused)), 10)
        for name in os.listdir(unused):
            self.assertEqual(os.path.realpath(loaded[name]), os.path.realpath(os.path.join(unused, name)))
        self.assertLess(len(loaded), 100)

    def test_the_library_has_its_names(self):
        run("--prefix", self.prefix)
        header = output_of("objdump", "-p", self.path("lib/libsynap.so"))
        soname = header.split("SONAME")[1].split()[0]
        self.assertEqual(os.readlink(self.path("lib/libsynap.so")), soname)
        version = os.readlink(self.path("lib/" + soname)).replace("libsynap.so.", "")
        self.assertEqual(output_of(self.path("bin/synap"), "version"), version + "\n")
        environment = dict(os.environ, PKG_CONFIG_PATH=self.path("lib/pkgconfig"))
        self.assertEqual(output_of("pkg-config", "--modversion", "synap", env=environment), version + "\n")
        include = output_of("pkg-config", "--variable=includedir", "synap", env=environment).strip().replace("\\", "")
        self.assertTrue(os.path.samefile(include, self.path("include")))

    def test_repeats_without_a_trace_and_removes_what_an_earlier_version_had(self):
        run("--prefix", self.prefix)
        with open(self.path(install.LIST), "a", encoding="utf-8") as file:
            file.write("lib/old/libsynap.so.0.0.1\n")
        os.mkdir(self.path("lib/old"))
        open(self.path("lib/old/libsynap.so.0.0.1"), "w", encoding="utf-8").close()
        open(self.path("lib/mine"), "w", encoding="utf-8").close()
        self.assertEqual(run("--prefix", self.prefix)[0], 0)
        self.assertEqual(files_below(self.prefix), sorted(members() + [install.LIST, "lib/mine"]))
        self.assertFalse(os.path.exists(self.path("lib/old")))

    def test_leaves_a_running_program_its_file(self):
        run("--prefix", self.prefix)
        with open(self.path("bin/synap"), "rb") as running:
            run("--prefix", self.prefix)
            self.assertEqual(os.fstat(running.fileno()).st_nlink, 0)
            self.assertEqual(running.read(4), b"\x7fELF")

    def test_uninstalls_what_it_installed_only(self):
        run("--prefix", self.prefix)
        open(self.path("bin/mine"), "w", encoding="utf-8").close()
        code, out, _ = run("--prefix", self.prefix, "--uninstall")
        self.assertEqual(code, 0)
        self.assertIn("removed %d files" % (len(members()) + 1), out)
        self.assertEqual(files_below(self.prefix), ["bin/mine"])
        code, _, err = run("--prefix", self.prefix, "--uninstall")
        self.assertEqual(code, 1)
        self.assertIn("nothing is installed here", err)

    def test_a_list_that_was_changed_removes_nothing_elsewhere(self):
        run("--prefix", self.prefix)
        outside = os.path.join(self.folder.name, "mine")
        open(outside, "w", encoding="utf-8").close()
        with open(self.path(install.LIST), "a", encoding="utf-8") as file:
            file.write("../mine\n")
        code, _, err = run("--prefix", self.prefix, "--uninstall")
        self.assertEqual(code, 1)
        self.assertIn("'../mine' is no path below the prefix", err)
        self.assertTrue(os.path.exists(outside))

    def test_writes_below_destdir(self):
        code, _, _ = run("--prefix", "/usr", "--destdir", self.folder.name)
        self.assertEqual(code, 0)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "usr/bin/synap")))

    def test_a_prefix_that_cannot_be_made_is_an_error(self):
        open(self.prefix, "w", encoding="utf-8").close()
        code, _, err = run("--prefix", self.path("sub"))
        self.assertEqual(code, 1)
        self.assertIn("can't make the folder: ", err)
        self.assertIn("choose another folder with --prefix", err)
        self.assertEqual(os.listdir(self.folder.name), ["some prefix"])

    def test_a_folder_in_place_of_a_file_changes_nothing(self):
        os.makedirs(self.path("share/man/man1/synap.1"))
        code, _, err = run("--prefix", self.prefix)
        self.assertEqual(code, 1)
        self.assertIn("man1/synap.1: is a folder, expected a file or nothing; remove it", err)
        self.assertEqual(files_below(self.prefix), [])

    def test_a_disk_that_becomes_full_changes_nothing(self):
        run("--prefix", self.prefix)
        before = {name: os.stat(self.path(name), follow_symlinks=False).st_ino for name in files_below(self.prefix)}
        copies = []

        def copy(source, target):
            copies.append(target)
            if len(copies) == 8:
                raise OSError(errno.ENOSPC, "No space left on device")
            target.write(source.read())

        with mock.patch("shutil.copyfileobj", copy):
            code, _, err = run("--prefix", self.prefix)
        self.assertEqual(code, 1)
        self.assertIn("can't write the file: No space left on device; nothing was installed", err)
        after = {name: os.stat(self.path(name), follow_symlinks=False).st_ino for name in files_below(self.prefix)}
        self.assertEqual(before, after)

    def test_too_small_a_disk_is_an_error_before_anything_is_written(self):
        with mock.patch("shutil.disk_usage", lambda folder: mock.Mock(free=5 << 20)):
            code, _, err = run("--prefix", self.prefix)
        self.assertEqual(code, 1)
        self.assertRegex(err, r"5 MiB are free, expected \d+ MiB; nothing was installed")
        self.assertFalse(os.path.exists(self.prefix))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Looks into the Debian package with dpkg's own tools. Arguments: the package, what it was made of (see deb.py)."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

PACKAGE = sys.argv[1]
SOURCES = sys.argv[2:]


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def names_of(field):
    """The packages that a field of the control file names, without versions."""
    return {name.split(" ")[0] for name in output_of("dpkg-deb", "--field", PACKAGE, field).strip().split(", ")}


def packages_of(libraries):
    """The installed packages that have these libraries: library -> package."""
    paths = {}
    for name, path in re.findall(r"\t(\S+) .*=> (\S+)", output_of("/sbin/ldconfig", "-p")):
        paths.setdefault(name, path)
    # dpkg knows some libraries below /lib and others below /usr/lib, which are the same folder.
    places = {place: name for name in libraries for place in (paths[name], re.sub("^/usr", "", paths[name]), "/usr" + paths[name])}
    found = subprocess.run(["dpkg", "-S", *places], capture_output=True, text=True, check=False).stdout
    return {places[path]: package for package, path in re.findall(r"(?m)^([^:\s]+)(?::\w+)?: (\S+)$", found) if path in places}


class DebTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def extract(self):
        subprocess.run(["dpkg-deb", "--raw-extract", PACKAGE, self.folder.name], check=True)
        return self.folder.name

    def test_has_what_dpkg_asks_for(self):
        self.assertEqual(output_of("dpkg-deb", "--field", PACKAGE, "Package"), "synap\n")
        self.assertEqual(output_of("dpkg-deb", "--field", PACKAGE, "Architecture"), output_of("dpkg", "--print-architecture"))
        contents = output_of("dpkg-deb", "--contents", PACKAGE)
        self.assertRegex(contents, r"-rwxr-xr-x root/root +\d+ 1970-01-01 \S+ ./usr/bin/synap\n")
        self.assertRegex(contents, r"lrwxrwxrwx root/root +0 1970-01-01 \S+ ./usr/lib/libsynap.so -> libsynap.so.\d+\n")
        self.assertNotRegex(contents, r"(?m)^[-dl](?!rwxr-xr-x|rw-r--r--|rwxrwxrwx)")

    def test_checksums_are_right_and_complete(self):
        folder = self.extract()
        subprocess.run(["md5sum", "--check", "--quiet", "--strict", "DEBIAN/md5sums"], cwd=folder, check=True)
        with open(os.path.join(folder, "DEBIAN/md5sums"), encoding="utf-8") as file:
            listed = {line.rstrip("\n").split("  ")[1] for line in file}
        paths = {os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names}
        links = {path for path in paths if os.path.islink(os.path.join(folder, path))}
        self.assertEqual(listed, {path for path in paths if path.startswith("usr/")} - links)

    def test_depends_on_the_packages_of_all_libraries(self):
        folder = self.extract()
        depends, recommends = names_of("Depends"), names_of("Recommends")
        users = {}  # library -> files that need it
        for place in ("usr/bin", "usr/lib", "usr/libexec/synap"):
            for entry in os.scandir(os.path.join(folder, place)):
                if entry.is_file(follow_symlinks=False):
                    for library in re.findall(r"NEEDED +(\S+)", output_of("objdump", "-p", entry.path)):
                        users.setdefault(library, set()).add(entry.name)
        packages = packages_of(users)
        self.assertGreater(len(users), 10)
        for library, files in users.items():
            allowed = depends | recommends if files == {"synap_torchscript_reader"} else depends
            self.assertIn(packages.get(library), allowed, "%s need %s" % (files, library))

    def test_its_programs_run(self):
        folder = self.extract()
        self.assertEqual(
            output_of(folder + "/usr/bin/synap", "version"), output_of("dpkg-deb", "--field", PACKAGE, "Version"))

    def test_is_the_same_a_second_time(self):
        again = os.path.join(self.folder.name, "again.deb")
        subprocess.run([sys.executable, "-m", "install.deb", again, *SOURCES], check=True)
        with open(PACKAGE, "rb") as first, open(again, "rb") as second:
            self.assertTrue(first.read() == second.read(), "its bytes differ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""deb.py OUTPUT VERSION_HEADER ARCHIVE PACKAGES: writes a Debian package of what archive.py has packed, the same bytes for the same content.

A line of PACKAGES is `library package [(>= version)]`, the package that has a library which our files are linked with; the
library is a pattern of fnmatch. A library without a line is an error.
"""

import fnmatch
import gzip
import hashlib
import io
import lzma
import sys
import tarfile

from install import archive
from install import elf

_CONTROL = """\
Package: synap
Version: {version}
Architecture: {architecture}
Maintainer: The synap authors
Installed-Size: {kibibytes}
Depends: {depends}
{recommends}Suggests: bash-completion, bazel-bootstrap, cmake, pkg-config
Section: devel
Priority: optional
Description: compiler and runtime of neural networks for edge NPUs
 Converts trained networks to model.synap and runs them, bit-exactly, on
 an emulated NPU: programs, libsynap.so with its headers for C++ and C,
 package files for CMake and pkg-config, rules for Bazel.
"""

# Libraries that only this program needs, for one of the frameworks, are recommended.
_OPTIONAL = "bin/synap_torchscript_reader"


def read_packages(path):
    """(pattern, package) of each line."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return [tuple(line.split(" ", 1)) for line in lines]


def packages_of(libraries, table):
    """The packages that have these libraries, sorted."""
    found = set()
    for library in libraries:
        matches = [package for pattern, package in table if fnmatch.fnmatchcase(library, pattern)]
        if not matches:
            sys.exit("install/debian_packages.txt: no line for %s; `dpkg -S %s` names its package" % (library, library))
        found.add(matches[0])
    return sorted(found)


def read_members(path):
    """(TarInfo, content; None for a link) of each file."""
    with tarfile.open(path) as members:
        return [(info, members.extractfile(info).read() if info.isreg() else None) for info in members.getmembers()]


def folders_of(names):
    """All folders above these paths, those above before those below."""
    folders = set()
    for name in names:
        parts = name.split("/")[:-1]
        folders |= {"/".join(parts[:i + 1]) for i in range(len(parts))}
    return sorted(folders)


def folder_info(name):
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.uname, info.gname = tarfile.DIRTYPE, 0o755, "root", "root"
    return info


def tar(members):
    """A tar file of (TarInfo, content)."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as result:
        for info, data in members:
            result.addfile(info, None if data is None else io.BytesIO(data))
    return output.getvalue()


def data_tar(members):
    """The files below ./usr, with the folders that they are in."""
    for info, _ in members:
        info.name = "./usr/" + info.name
    folders = [(folder_info(name), None) for name in folders_of([info.name for info, _ in members])]
    return tar(folders + members)


def control_tar(control, members):
    sums = "".join("%s  usr/%s\n" % (hashlib.md5(data).hexdigest(), info.name) for info, data in members if data is not None)
    files = {"control": control, "md5sums": sums, "triggers": "activate-noawait ldconfig\n"}
    entries = [(folder_info("."), None)]
    for name, text in files.items():
        info = tarfile.TarInfo("./" + name)
        info.size, info.mode, info.uname, info.gname = len(text.encode()), 0o644, "root", "root"
        entries.append((info, text.encode()))
    return tar(entries)


def control(members, table, version):
    files = {info.name: data for info, data in members if data is not None and elf.is_elf(data)}
    required = {library for name, data in files.items() if name != _OPTIONAL for library in elf.needed(data)}
    optional = set(elf.needed(files[_OPTIONAL])) - required
    depends = packages_of(required, table)
    recommends = [package for package in packages_of(optional, table) if package not in depends]
    return _CONTROL.format(
        version=version,
        architecture=elf.architecture(files["bin/synap"]),
        kibibytes=sum((info.size + 1023) // 1024 for info, _ in members),
        depends=", ".join(depends),
        recommends="Recommends: %s\n" % ", ".join(recommends) if recommends else "",
    )


def ar(files):
    """An ar archive, the format of Debian's packages."""
    output = b"!<arch>\n"
    for name, data in files:
        output += ("%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (name, 0, 0, 0, 0o100644, len(data))).encode() + data
        output += b"\n" * (len(data) % 2)
    return output


def main(output, version_header, archive_file, packages_file):
    members = read_members(archive_file)
    text = control(members, read_packages(packages_file), archive.read_version(version_header))
    files = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", gzip.compress(control_tar(text, members), 9, mtime=0)),
        ("data.tar.xz", lzma.compress(data_tar(members), filters=archive.COMPRESSION)),
    ]
    with open(output, "wb") as file:
        file.write(ar(files))


if __name__ == "__main__":
    main(*sys.argv[1:])
